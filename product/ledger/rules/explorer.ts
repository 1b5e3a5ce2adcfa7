/** Operations of one page of the explorer: each comes with all its rows. */
export const EXPLORER_PAGE = 20;
