import { cleanText } from '#platform/text/clean-text.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { FANCLUB_LEVELS, type FanclubLevel } from '#product/accounts/rules/current-user.ts';

/** Whole percent of a member's payment that the performer earns (spec 1 §9). */
export const FANCLUB_SHARE_PERCENT = 80;

/** Divides a payment: the performer's share is rounded down, the operator gets the rest. */
export function divideDues(tokens: number): { readonly performer: number; readonly operator: number } {
  const performer = Math.floor((tokens * FANCLUB_SHARE_PERCENT) / 100);
  return { performer, operator: tokens - performer };
}

/** Below this, a month is worth less than a greeting; above it, one typing error costs over $1,000. */
export const MIN_CLUB_PRICE_TOKENS = 10;
export const MAX_CLUB_PRICE_TOKENS = 10_000;
/** Tokens a month of each level. */
export type ClubPrices = Readonly<Record<FanclubLevel, number>>;
/** Initial prices of a club: shown as $10, $25 and $50. */
export const USUAL_PRICES: ClubPrices = { supporter: 100, insider: 250, legend: 500 };

export const isClubPrice = (tokens: number): boolean =>
  Number.isSafeInteger(tokens) && tokens >= MIN_CLUB_PRICE_TOKENS && tokens <= MAX_CLUB_PRICE_TOKENS;

/** Each level must cost more than those below it: otherwise an upgrade would be undefined. */
export const pricesAscend = (prices: ClubPrices): boolean =>
  FANCLUB_LEVELS.every((level, at) => {
    const below = FANCLUB_LEVELS[at - 1];
    return below === undefined || prices[level] > prices[below];
  });

/** The club's description: one phone screen. */
export const MAX_CLUB_DESCRIPTION_LENGTH = 1_000;
/** Lines that a performer promises for each level, in addition to what every club offers. */
export const MAX_PERKS = 6;
export const MAX_PERK_LENGTH = 80;
export type ClubPerks = Readonly<Record<FanclubLevel, readonly string[]>>;
export const NO_PERKS: ClubPerks = { supporter: [], insider: [], legend: [] };
/** Perks as stored: cleaned lines without empty ones. */
export const perksOf = (lines: readonly string[]): string[] =>
  lines.map((line) => [...cleanText(line)].slice(0, MAX_PERK_LENGTH).join('').trim())
    .filter((line) => line !== '').slice(0, MAX_PERKS);

/** Members on one page of a performer's list. */
export const MEMBERS_PAGE = 50;
/** Clubs that one person can be in: the current user lists all of them. */
export const MAX_MEMBERSHIPS = 200;
/** How long an ended membership is still listed, for the member and the performer. */
export const ENDED_SHOWN_MS = 90 * DAY_MS;
