/** The amount the tip panel starts with (spec 1 §9, spec 2 §9, spec 3 §9). */
export const DEFAULT_TIP_TOKENS = 25;
export const MIN_TIP_TOKENS = 1;
/** One slip of a finger may not cost more than $10,000: larger tips are sent as several. */
export const MAX_TIP_TOKENS = 100_000;
export const MAX_TIP_COMMENT_LENGTH = 200;
