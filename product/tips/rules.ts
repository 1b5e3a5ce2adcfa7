import { cleanText } from '#platform/text/clean-text.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { MAX_DAILY_LIMIT_TOKENS } from '#product/accounts/rules/settings.ts';

/** The amount the tip panel starts with (spec 1 §9, spec 2 §9, spec 3 §9). */
export const DEFAULT_TIP_TOKENS = 25;
export const MIN_TIP_TOKENS = 1;
/** Limits a typing error to $10,000: larger tips are sent as several. */
export const MAX_TIP_TOKENS = 100_000;
export const MAX_TIP_COMMENT_LENGTH = 200;
/** Amounts offered for one click, besides the free choice. */
export const QUICK_TIP_TOKENS = [10, 25, 50, 100, 250] as const;
/** Whether an amount can be tipped: a whole number within the limits. */
export const isTipAmount = (tokens: number): boolean =>
  Number.isSafeInteger(tokens) && tokens >= MIN_TIP_TOKENS && tokens <= MAX_TIP_TOKENS;

/** Period of a viewer's "recent tips" (readings.md, Room). */
export const RECENT_TIPS_MS = DAY_MS;
/**
 * A performer earns every token of a tip. The payout of an earned token ($0.05, half of its shown value) is a
 * setting of payouts, so odd amounts lose nothing. An operator may retain a share in tokens instead.
 */
export const PERFORMER_SHARE_PERCENT = 100;
/** Tips of this type order an item of the menu: `app_data.item` is its id. */
export const MENU_TYPE = 'menu';
/** Tips that are shares of a split. */
export const SPLIT_TYPE = 'split';

/** Title of a menu item or a goal: one line on a phone. */
export const MAX_TITLE_LENGTH = 60;
/** A title as stored: one cleaned line, possibly empty. */
export const titleOf = (text: string): string =>
  [...cleanText(text)].slice(0, MAX_TITLE_LENGTH).join('').trim();
/** The longest menu that people would still read. */
export const MAX_MENU_ITEMS = 40;
/**
 * A changed or removed item can be ordered for this much longer: by viewers who clicked it before the change
 * arrived, and by tips that are sent again because the response was lost.
 */
export const OLD_ITEM_MS = 120_000;

export const GOAL_STATES = ['running', 'waiting'] as const;
/** Shown as $1 million: more than any show earns. */
export const MAX_GOAL_TOKENS = 10_000_000;
/** As many as an evening needs. */
export const MAX_GOALS = 12;

/** Effects of tips: an ordered item, a reached goal, a paid split, an alert on the overlay. */
export const EFFECT_KINDS = ['order', 'goal', 'split', 'alert'] as const;
export type EffectKind = (typeof EFFECT_KINDS)[number];
export const EFFECT_STATES = ['waiting', 'delivered', 'failed'] as const;
export type EffectState = (typeof EFFECT_STATES)[number];
/** An effect not delivered within this time has failed: a late alert would surprise everybody. */
export const EFFECT_WAIT_MS = 20_000;
/** Long enough for the performer to look back over a month. */
export const EFFECTS_RETAINED_MS = 30 * DAY_MS;
export const EFFECTS_PAGE = 50;

/** Tips on one page: two phone screens. */
export const TIPS_PAGE = 40;
/** Days on one page: a month. */
export const TIP_DAYS_PAGE = 31;
/** A limit as typed: null for no limit, undefined for invalid input. */
export function dailyLimitOf(typed: string): number | null | undefined {
  const text = typed.trim();
  if (text === '') return null;
  const tokens = /^\d{1,8}$/u.test(text) ? Number(text) : 0;
  return tokens >= 1 && tokens <= MAX_DAILY_LIMIT_TOKENS ? tokens : undefined;
}

/** Most values a room app may send with a tip: a menu item and a few choices. */
export const MAX_APP_DATA_FIELDS = 16;

/**
 * Divides a tip: the performer's share is rounded down to whole tokens, the rest goes to the operator. The
 * two add up to the tip.
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
