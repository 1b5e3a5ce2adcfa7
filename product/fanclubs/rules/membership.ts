import { DAY_MS } from '#platform/time/units.ts';
import type { FanclubLevel } from '#product/accounts/rules/current-user.ts';
import type { ClubPrices } from '../rules.ts';
import { hasLevel, type LevelOrNone } from './benefits.ts';

/** What one payment lasts. */
export const PAID_MS = 30 * DAY_MS;
/** How long somebody stays a member after a renewal that their balance did not cover. */
export const GRACE_MS = 3 * DAY_MS;
/** When a renewal is tried again meanwhile. */
export const RETRY_MS = DAY_MS;

/** Somebody's membership of one club. Times are milliseconds since 1970. */
export interface Membership {
  readonly level: FanclubLevel;
  /** Tokens a month that the member agreed to; a renewal never costs more. */
  readonly price: number;
  /** Tokens that the running month cost: what was paid for it, and what an upgrade took over. */
  readonly paid: number;
  readonly paidFrom: number;
  readonly paidUntil: number;
  /** Whether another month is paid when this one is over. */
  readonly renews: boolean;
  /** The lower level it goes on with then; null for the same. */
  readonly nextLevel: FanclubLevel | null;
  /** Tokens a month that the member agreed to for `nextLevel`; null in plans older than the question. */
  readonly nextPrice: number | null;
  readonly isEnded: boolean;
}

/**
 * `grace`: the renewal is not paid yet, and what the level gives goes on. The state follows from the clock
 * alone, so that a job that is late gives nobody anything.
 */
export const MEMBERSHIP_STATES = ['active', 'grace', 'ended'] as const;
export type MembershipState = (typeof MEMBERSHIP_STATES)[number];

export function stateOf({ isEnded, paidUntil, renews }: Membership, now: number): MembershipState {
  if (isEnded) return 'ended';
  if (now < paidUntil) return 'active';
  return renews && now < paidUntil + GRACE_MS ? 'grace' : 'ended';
}

/** The level that counts now; null for nobody's. */
export const levelAt = (membership: Membership | null, now: number): LevelOrNone =>
  (membership === null || stateOf(membership, now) === 'ended' ? null : membership.level);

/** What joining a level now is, and costs. */
export type Offer =
  | { readonly kind: 'join' | 'upgrade'; readonly tokens: number; readonly from: number }
  | { readonly kind: 'member' | 'lower' };

/** An upgrade costs something: a charge is what makes it happen once. */
const MIN_CHARGE_TOKENS = 1;

/**
 * A new month from now; in the grace, from where the unpaid one began. Going up begins a new month too, and
 * what is left of the running one is taken off, rounded down. Whoever is a member of the level, or of a
 * higher one, has nothing to pay.
 */
export function offerOf(
  membership: Membership | null, level: FanclubLevel, prices: ClubPrices, now: number,
): Offer {
  const price = prices[level];
  if (membership === null) return { kind: 'join', tokens: price, from: now };
  const state = stateOf(membership, now);
  if (state === 'ended') return { kind: 'join', tokens: price, from: now };
  if (state === 'grace') {
    const tokens = level === membership.level ? Math.min(membership.price, price) : price;
    return { kind: 'join', tokens, from: membership.paidUntil };
  }
  if (level === membership.level) return { kind: 'member' };
  if (hasLevel(membership.level, level)) return { kind: 'lower' };
  const tokens = Math.max(MIN_CHARGE_TOKENS, price - creditOf(membership, now));
  return { kind: 'upgrade', tokens, from: now };
}

/** Tokens of the running month that is not over, rounded down. */
function creditOf({ paid, paidFrom, paidUntil }: Membership, now: number): number {
  const left = Math.max(0, Math.min(paidUntil - now, paidUntil - paidFrom));
  return Math.floor((paid * left) / (paidUntil - paidFrom));
}

/** The membership once an offer is paid. */
export const joined = (
  { tokens, from }: { readonly tokens: number; readonly from: number }, level: FanclubLevel, price: number,
): Membership => ({
  level, price, paid: tokens, paidFrom: from, paidUntil: from + PAID_MS, renews: true, nextLevel: null,
  nextPrice: null, isEnded: false,
});

/** A membership once the way up is paid: what was taken off counts for its month, as what was paid does. */
export const upgraded = (
  before: Membership, offer: { readonly tokens: number; readonly from: number }, level: FanclubLevel,
  price: number,
): Membership => ({
  ...joined(offer, level, price), paid: offer.tokens + creditOf(before, offer.from),
});

/** What the job of renewals has to do. */
export type Renewal =
  /** Nothing is due before `at`. */
  | { readonly kind: 'wait'; readonly at: number }
  | { readonly kind: 'end' }
  | { readonly kind: 'charge'; readonly level: FanclubLevel; readonly tokens: number; readonly from: number };

/**
 * What is due for a membership. A site that was away for longer than the grace and a try charges one month,
 * which begins now: nobody pays for time that they could not use.
 * @param prices null for a club that takes nobody any more
 */
export function renewalOf(membership: Membership, prices: ClubPrices | null, now: number): Renewal {
  const { paidUntil, renews, nextLevel, level: before } = membership;
  if (now < paidUntil) return { kind: 'wait', at: paidUntil };
  if (!renews || prices === null) return { kind: 'end' };
  const level = nextLevel ?? before;
  return {
    kind: 'charge', level, tokens: Math.min(agreedPrice(membership), prices[level]),
    from: now < paidUntil + GRACE_MS + RETRY_MS ? paidUntil : now,
  };
}

/** Of a lower level without a price of its own, the most is what the higher one costs. */
const agreedPrice = ({ nextLevel, nextPrice, price }: Membership): number =>
  (nextLevel === null ? price : nextPrice ?? price);

/** When a renewal that was not covered is tried again; null once the grace is over. */
export function retryAt({ paidUntil }: Membership, now: number): number | null {
  const end = paidUntil + GRACE_MS;
  return now >= end ? null : Math.min(now + RETRY_MS, end);
}

/** What the next month is to be: none, the same, or a lower level. */
export interface Plan {
  readonly renews: boolean;
  readonly level: FanclubLevel | null;
}

/** The membership with another plan; null for a level above the paid one, which is joined instead. */
export function planned(
  membership: Membership, { renews, level }: Plan, prices: ClubPrices,
): Membership | null {
  if (!renews) return { ...membership, renews: false, nextLevel: null, nextPrice: null };
  if (level !== null && !hasLevel(membership.level, level)) return null;
  if (level === null || level === membership.level) {
    return { ...membership, renews: true, nextLevel: null, nextPrice: null };
  }
  return { ...membership, renews: true, nextLevel: level, nextPrice: lowerPrice(membership, level, prices) };
}

/** The price of the day, or a lower one that was agreed to for the level already. */
function lowerPrice({ nextLevel, nextPrice }: Membership, level: FanclubLevel, prices: ClubPrices): number {
  return nextLevel === level && nextPrice !== null ? Math.min(nextPrice, prices[level]) : prices[level];
}
