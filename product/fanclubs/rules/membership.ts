import { DAY_MS } from '#platform/time/units.ts';
import type { FanclubLevel } from '#product/accounts/rules/current-user.ts';
import type { ClubPrices } from '../rules.ts';
import { hasLevel, type LevelOrNone } from './benefits.ts';

/** Duration that one payment covers. */
export const PAID_MS = 30 * DAY_MS;
/** How long somebody stays a member after a renewal that their balance did not cover. */
export const GRACE_MS = 3 * DAY_MS;
/** Interval between attempts at the renewal in that time. */
export const RETRY_MS = DAY_MS;

/** Somebody's membership of one club. Times are milliseconds since 1970. */
export interface Membership {
  readonly level: FanclubLevel;
  /** Tokens a month that the member agreed to; a renewal never costs more. */
  readonly price: number;
  /** Tokens that the running month cost: what was paid, and the credit an upgrade took over. */
  readonly paid: number;
  readonly paidFrom: number;
  readonly paidUntil: number;
  /** Whether another month is paid for when this one is over. */
  readonly renews: boolean;
  /** The lower level from the next month on; null for the same level. */
  readonly nextLevel: FanclubLevel | null;
  /** Tokens a month that the member agreed to for `nextLevel`; null in plans stored before this was asked. */
  readonly nextPrice: number | null;
  readonly isEnded: boolean;
}

/**
 * `grace`: the renewal is not paid yet, and the level's benefits continue. The state depends only on the
 * clock, so that nobody gains anything from a late job.
 */
export const MEMBERSHIP_STATES = ['active', 'grace', 'ended'] as const;
export type MembershipState = (typeof MEMBERSHIP_STATES)[number];

export function stateOf({ isEnded, paidUntil, renews }: Membership, now: number): MembershipState {
  if (isEnded) return 'ended';
  if (now < paidUntil) return 'active';
  return renews && now < paidUntil + GRACE_MS ? 'grace' : 'ended';
}

/** The level in effect now; null without one. */
export const levelAt = (
  membership: Membership | null,
  now: number,
): LevelOrNone => (membership === null || stateOf(membership, now) === 'ended' ? null : membership.level);

/** What kind of joining a level would be now, and its cost. */
export type Offer =
  | { readonly kind: 'join' | 'upgrade'; readonly tokens: number; readonly from: number }
  | { readonly kind: 'member' | 'lower' };

/** Minimum charge of an upgrade: the charge is what makes it happen only once. */
const MIN_CHARGE_TOKENS = 1;

/**
 * A new month from now, or in the grace from the end of the paid month. An upgrade also starts a new month,
 * from whose price the rest of the running month is deducted, rounded down. A member who has the level or a
 * higher one pays nothing.
 */
export function offerOf(
  membership: Membership | null,
  level: FanclubLevel,
  prices: ClubPrices,
  now: number,
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

/** Unused tokens of the running month, rounded down. */
function creditOf({ paid, paidFrom, paidUntil }: Membership, now: number): number {
  const left = Math.max(0, Math.min(paidUntil - now, paidUntil - paidFrom));
  return Math.floor((paid * left) / (paidUntil - paidFrom));
}

/** The membership once an offer is paid. */
export const joined = (
  { tokens, from }: { readonly tokens: number; readonly from: number },
  level: FanclubLevel,
  price: number,
): Membership => ({
  level,
  price,
  paid: tokens,
  paidFrom: from,
  paidUntil: from + PAID_MS,
  renews: true,
  nextLevel: null,
  nextPrice: null,
  isEnded: false,
});

/** A membership once an upgrade is paid: the deducted credit counts as paid for the new month. */
export const upgraded = (
  before: Membership,
  offer: { readonly tokens: number; readonly from: number },
  level: FanclubLevel,
  price: number,
): Membership => ({
  ...joined(offer, level, price),
  paid: offer.tokens + creditOf(before, offer.from),
});

/** What the job of renewals has to do. */
export type Renewal =
  /** Nothing is due before `at`. */
  | { readonly kind: 'wait'; readonly at: number }
  | { readonly kind: 'end' }
  | { readonly kind: 'charge'; readonly level: FanclubLevel; readonly tokens: number; readonly from: number };

/**
 * What is due for a membership. If the site was down for longer than the grace and one attempt, one month is
 * charged that starts now: nobody pays for time they could not use.
 * @param prices null for a closed club
 */
export function renewalOf(membership: Membership, prices: ClubPrices | null, now: number): Renewal {
  const { paidUntil, renews, nextLevel, level: before } = membership;
  if (now < paidUntil) return { kind: 'wait', at: paidUntil };
  if (!renews || prices === null) return { kind: 'end' };
  const level = nextLevel ?? before;
  return {
    kind: 'charge',
    level,
    tokens: Math.min(agreedPrice(membership), prices[level]),
    from: now < paidUntil + GRACE_MS + RETRY_MS ? paidUntil : now,
  };
}

/** For a lower level without an agreed price, at most the price of the current level. */
const agreedPrice = (
  { nextLevel, nextPrice, price }: Membership,
): number => (nextLevel === null ? price : nextPrice ?? price);

/** When a renewal that the balance did not cover is tried again; null once the grace is over. */
export function retryAt({ paidUntil }: Membership, now: number): number | null {
  const end = paidUntil + GRACE_MS;
  return now >= end ? null : Math.min(now + RETRY_MS, end);
}

/** The plan for the next month: none, the same level, or a lower one. */
export interface Plan {
  readonly renews: boolean;
  readonly level: FanclubLevel | null;
}

/** The membership with another plan; null for a level above the paid one, which has to be joined instead. */
export function planned(
  membership: Membership,
  { renews, level }: Plan,
  prices: ClubPrices,
): Membership | null {
  if (!renews) return { ...membership, renews: false, nextLevel: null, nextPrice: null };
  if (level !== null && !hasLevel(membership.level, level)) return null;
  if (level === null || level === membership.level) {
    return { ...membership, renews: true, nextLevel: null, nextPrice: null };
  }
  return { ...membership, renews: true, nextLevel: level, nextPrice: lowerPrice(membership, level, prices) };
}

/** The current price, or a lower one already agreed to for the level. */
function lowerPrice({ nextLevel, nextPrice }: Membership, level: FanclubLevel, prices: ClubPrices): number {
  return nextLevel === level && nextPrice !== null ? Math.min(nextPrice, prices[level]) : prices[level];
}
