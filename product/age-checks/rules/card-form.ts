/** Limits of the card form (spec 3, section 5). */
export const MAX_TEXT = 50;
export const EXPIRATION_LENGTH = 2;
export const MAX_CVC = 5;
/** The choice `do_purchase` of the card form: nothing is charged, or the offer is bought. */
export const DO_PURCHASE = [0, 1] as const;
/** The product of the offer that a card check may buy: 300 tokens for 10.99 dollars. */
export const OFFER_PRODUCT = 'promo_300';
/** What becomes of the offer: `pending` and `unknown` are settled later by the biller. */
export const PURCHASE_STATES = ['paid', 'pending', 'unknown', 'declined', 'refused'] as const;
