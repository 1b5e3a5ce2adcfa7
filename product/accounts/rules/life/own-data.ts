/** A ticket for a copy of one's data is used at once: time to press the button, no longer. */
export const COPY_TICKET_SECONDS = 5 * 60;
/** Rows that are read at once: each batch is a unit of work of its own. */
export const COPY_BATCH_ROWS = 500;
/** Rows of one table in a copy: years of chat; beyond it the copy would not be made within a minute. */
export const MAX_COPY_ROWS = 50_000;
