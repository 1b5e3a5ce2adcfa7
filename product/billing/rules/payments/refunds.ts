/** What goes back with money that goes back. */

/** What a biller took back of one payment, as far as it decides anything. */
export interface TakenBack {
  readonly id: string;
  readonly type: 'refunded' | 'charged_back';
  /** Minor units of the payment's own currency. */
  readonly minor: number;
}

/**
 * Tokens that are back when so much of a payment is: their share of it, rounded up, for a token is never kept
 * by who has its money. All of them exactly when all the money is back, never more; and what a further refund
 * takes is the difference, so that parts add up however they are cut.
 * @param tokens tokens that were paid for
 * @param backMinor money that is back in all, at most `paidMinor`
 */
export function tokensBack(tokens: number, backMinor: number, paidMinor: number): number {
  if (paidMinor <= 0 || backMinor >= paidMinor) return tokens;
  // Numbers beyond what a double multiplies exactly are no price; a wrong one must not pass.
  if (!Number.isSafeInteger(tokens * backMinor)) throw new RangeError('amounts too large to be divided');
  return Math.ceil((tokens * backMinor) / paidMinor);
}

/**
 * How much of a payment is back, in whatever order it was heard: refunds and chargebacks add up, and to no
 * more than was paid. `excess` are refunds that would be more than all of it: somebody has to look. A refund
 * or chargeback of everything is no excess, whatever was taken back beside it: billers report the whole
 * amount of what is disputed, and the same refund over two ways.
 */
export function takenOf(paidMinor: number, reversals: readonly TakenBack[]): {
  readonly minor: number; readonly isCharged: boolean; readonly excess: readonly string[];
} {
  let sum = 0;
  const excess: string[] = [];
  for (const { id, type, minor } of reversals) {
    if (type === 'refunded' && minor < paidMinor && sum + minor > paidMinor) excess.push(id);
    sum = Math.min(paidMinor, sum + minor);
  }
  return { minor: sum, isCharged: reversals.some(({ type }) => type === 'charged_back'), excess };
}
