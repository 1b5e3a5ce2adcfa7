/** A limit, because chat pages read the whole list and look each line up in it. */
export const MAX_IGNORES = 500;
/** People on one page of the caller's list. */
export const IGNORES_PAGE = 50;
