/** A refund or chargeback of a payment. */
export interface Reversal {
  readonly id: string;
  readonly type: 'refunded' | 'charged_back';
  /** In minor units of the payment's currency. */
  readonly minor: number;
}

/**
 * Tokens to remove for a reversed part of a payment: their share, rounded up, so that nobody keeps a token
 * whose money was returned. All of them when all the money is reversed, and never more. A further reversal
 * removes only the difference, so that parts add up.
 * @param tokens paid tokens
 * @param backMinor total money reversed, at most `paidMinor`
 */
export function tokensBack(tokens: number, backMinor: number, paidMinor: number): number {
  if (paidMinor <= 0 || backMinor >= paidMinor) return tokens;
  // No real price exceeds what a double multiplies exactly; refuse one rather than round wrongly.
  if (!Number.isSafeInteger(tokens * backMinor)) throw new RangeError('amounts too large to be divided');
  return Math.ceil((tokens * backMinor) / paidMinor);
}

/**
 * How much of a payment is reversed, for any order of events: refunds and chargebacks add up to at most the
 * paid amount. `excess` lists partial refunds beyond it, which need attention. A full reversal is never
 * excess: billers report disputes with the full amount, and the same refund twice.
 */
export function reversedOf(paidMinor: number, reversals: readonly Reversal[]): {
  readonly minor: number;
  readonly isCharged: boolean;
  readonly excess: readonly string[];
} {
  let sum = 0;
  const excess: string[] = [];
  for (const { id, type, minor } of reversals) {
    if (type === 'refunded' && minor < paidMinor && sum + minor > paidMinor) excess.push(id);
    sum = Math.min(paidMinor, sum + minor);
  }
  return { minor: sum, isCharged: reversals.some(({ type }) => type === 'charged_back'), excess };
}
