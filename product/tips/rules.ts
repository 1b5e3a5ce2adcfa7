/** The amount the tip panel starts with (spec 1 §9, spec 2 §9, spec 3 §9). */
export const DEFAULT_TIP_TOKENS = 25;
export const MIN_TIP_TOKENS = 1;
/** One slip of a finger may not cost more than $10,000: larger tips are sent as several. */
export const MAX_TIP_TOKENS = 100_000;
export const MAX_TIP_COMMENT_LENGTH = 200;
/** Amounts offered at one press beside the free choice. */
export const QUICK_TIP_TOKENS = [10, 25, 50, 100, 250] as const;
/** The value shown: 10 tokens are one dollar (spec 1 §1). What a token pays out is another setting. */
const TOKENS_PER_DOLLAR_SHOWN = 10;

/** The shown value of tokens in US cents. */
export const shownCents = (tokens: number): number => Math.round((tokens * 100) / TOKENS_PER_DOLLAR_SHOWN);

/** Whether an amount can be tipped at all: a whole number within the limits. */
export const isTipAmount = (tokens: number): boolean =>
  Number.isSafeInteger(tokens) && tokens >= MIN_TIP_TOKENS && tokens <= MAX_TIP_TOKENS;

/** "Recent tips" of a viewer are those of this long (readings.md, Room). */
export const RECENT_TIPS_MS = 24 * 3_600_000;
/** What a performer earns of a tip: every token. What an earned token pays out ($0.05, half of what it is
 * shown
 * as) is a setting of payouts, so odd amounts lose nothing. An operator may keep a share in tokens instead.
 * */
export const PERFORMER_SHARE_PERCENT = 100;
/** Values a room app may send along with a tip: a menu item and a few choices. */
export const MAX_APP_DATA_FIELDS = 16;

/**
 * Divides a tip: the performer's share rounded down to whole tokens, the rest to the operator. Nothing is
 * lost: the two sum to the tip.
 * @param sharePercent whole percent, 0 to 100
 */
export function divideTip(tokens: number, sharePercent: number): { performer: number; operator: number } {
  if (!isTipAmount(tokens)) throw new RangeError('no amount that can be tipped');
  if (!Number.isInteger(sharePercent) || sharePercent < 0 || sharePercent > 100) {
    throw new RangeError('a share is a whole percent');
  }
  const performer = Math.floor((tokens * sharePercent) / 100);
  return { performer, operator: tokens - performer };
}
