/** Kind of an operation that pays tokens out, and so the type of its token update (spec 1 §3, §8). */
export const PAYOUT = 'payout';
/** Kind of an operation that sells tokens (spec 1 §3). */
export const PURCHASE = 'purchase_tokens';
