/**
 * What a token is worth where prices are shown, and costs without discount (spec 1 §1, §9); what it pays
 * out is another setting.
 */
export const TOKENS_PER_DOLLAR = 10;

/** The value shown beside tokens, in whole US cents; below zero for what was spent. */
export const shownCents = (tokens: number): number => (tokens * 100) / TOKENS_PER_DOLLAR;
