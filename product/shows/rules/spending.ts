/** Tokens in one unit of `avail` (spec 2 §4.9). */
const TOKENS_AN_AVAIL = 10;
/** With so many seconds left a viewer is warned (spec 2 §9). */
export const LOW_BALANCE_SECONDS = 60;

/** What somebody with post-pay can spend, in the unit of the field `avail`. */
export const availOf = (tokens: number): number => tokens / TOKENS_AN_AVAIL;

/** Tokens that an `avail` stands for. */
export const tokensOfAvail = (avail: number): number => Math.round(avail * TOKENS_AN_AVAIL);

/**
 * Whether the tokens of a viewer in a show are running out: the time left, or for post-pay what is available
 * (spec 2 §4.9).
 */
export const isLow = (
  { secondsLeft, avail, price }: {
    readonly secondsLeft: number; readonly avail: number | null; readonly price: number;
  },
): boolean => (avail === null ? secondsLeft <= LOW_BALANCE_SECONDS : tokensOfAvail(avail) <= price);
