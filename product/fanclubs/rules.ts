import { cleanText } from '#platform/text/clean-text.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { FANCLUB_LEVELS, type FanclubLevel } from '#product/accounts/rules/current-user.ts';

/** What a performer earns of each payment of a member, in whole percent (spec 1 §9). */
export const FANCLUB_SHARE_PERCENT = 80;

/** Who gets what of a payment: the performer's share is rounded down, the operator has the rest. */
export function divideDues(tokens: number): { readonly performer: number; readonly operator: number } {
  const performer = Math.floor((tokens * FANCLUB_SHARE_PERCENT) / 100);
  return { performer, operator: tokens - performer };
}

/** Below it, a month is worth less than a greeting; above it, one slip of a finger costs over $1,000. */
export const MIN_CLUB_PRICE_TOKENS = 10;
export const MAX_CLUB_PRICE_TOKENS = 10_000;
/** Tokens a month of each level. */
export type ClubPrices = Readonly<Record<FanclubLevel, number>>;
/** What a club costs before its performer says anything: $10, $25 and $50 shown. */
export const USUAL_PRICES: ClubPrices = { supporter: 100, insider: 250, legend: 500 };

export const isClubPrice = (tokens: number): boolean =>
  Number.isSafeInteger(tokens) && tokens >= MIN_CLUB_PRICE_TOKENS && tokens <= MAX_CLUB_PRICE_TOKENS;

/** A level costs more than those below it: else nobody could say what an upgrade is. */
export const pricesAscend = (prices: ClubPrices): boolean =>
  FANCLUB_LEVELS.every((level, at) => {
    const below = FANCLUB_LEVELS[at - 1];
    return below === undefined || prices[level] > prices[below];
  });

/** What a performer writes of the club: a screen of a phone. */
export const MAX_CLUB_DESCRIPTION_LENGTH = 1_000;
/** Lines that a performer promises for each level, beside what every club has. */
export const MAX_PERKS = 6;
export const MAX_PERK_LENGTH = 80;
export type ClubPerks = Readonly<Record<FanclubLevel, readonly string[]>>;
export const NO_PERKS: ClubPerks = { supporter: [], insider: [], legend: [] };
/** Perks as they are stored: clean lines, none of them empty. */
export const perksOf = (lines: readonly string[]): string[] =>
  lines.map((line) => [...cleanText(line)].slice(0, MAX_PERK_LENGTH).join('').trim())
    .filter((line) => line !== '').slice(0, MAX_PERKS);

/** Members on one page of a performer's list. */
export const MEMBERS_PAGE = 50;
/** Clubs that one person can be in: the current user names them all. */
export const MAX_MEMBERSHIPS = 200;
/** How long it is called so after it has ended: the lists of the person and of the performer. */
export const ENDED_SHOWN_MS = 90 * DAY_MS;
