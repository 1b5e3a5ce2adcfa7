/** A ticket for a copy of one's data is used at once: this is the time to click the button. */
export const COPY_TICKET_SECONDS = 5 * 60;
/** Rows read at once; each batch is a unit of work of its own. */
export const COPY_BATCH_ROWS = 500;
/** Rows of one table in a copy: years of chat. With more, the copy would take longer than a minute. */
export const MAX_COPY_ROWS = 50_000;
