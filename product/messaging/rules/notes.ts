/** A note says who somebody is and what they like; it is no file about them. */
export const MAX_NOTE_LENGTH = 500;
/** Most notes of one person. */
export const MAX_NOTES = 2_000;
