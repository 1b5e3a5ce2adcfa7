/**
 * What a token is worth where prices are shown, and costs without discount (spec 1 §1, §9); its payout
 * is another setting.
 */
export const TOKENS_PER_DOLLAR = 10;

/** The value shown beside tokens, in whole US cents; negative for spent tokens. */
export const shownCents = (tokens: number): number => (tokens * 100) / TOKENS_PER_DOLLAR;
