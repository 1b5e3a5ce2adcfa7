/** A page of a chat looks each line up in them, and reads them all. */
export const MAX_IGNORES = 500;
/** People on one page of the own list. */
export const IGNORES_PAGE = 50;
