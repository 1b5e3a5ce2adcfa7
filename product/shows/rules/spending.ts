/** Tokens in one unit of `avail` (spec 2 §4.9). */
const TOKENS_AN_AVAIL = 10;
/** A viewer is warned when this many seconds are left (spec 2 §9). */
export const LOW_BALANCE_SECONDS = 60;

/** What a post-pay member can spend, in the unit of the field `avail`. */
export const availOf = (tokens: number): number => tokens / TOKENS_AN_AVAIL;

/** Tokens that an `avail` stands for. */
export const tokensOfAvail = (avail: number): number => Math.round(avail * TOKENS_AN_AVAIL);

/**
 * Whether a viewer in a show is running out of tokens, by the time left or, with post-pay, by what is
 * available (spec 2 §4.9).
 */
export const isLow = (
  { secondsLeft, avail, price }: {
    readonly secondsLeft: number;
    readonly avail: number | null;
    readonly price: number;
  },
): boolean => (avail === null ? secondsLeft <= LOW_BALANCE_SECONDS : tokensOfAvail(avail) <= price);
