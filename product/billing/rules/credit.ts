import { nextDay } from '#platform/time/days.ts';
import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import type { DeclineCode, ReUpError } from '../rules.ts';
import { plainCents } from './products.ts';

/** A person's auto re-up, with its state. */
export interface ReUp {
  readonly enabled: boolean;
  readonly threshold: number;
  readonly perDay: number;
  /** The open order; at most one. */
  readonly inFlight: string | null;
  readonly failures: number;
}
/** Failures in a row that turn a re-up off. */
export const MAX_REUP_FAILURES = 3;
/** Defaults for a purchase that turns re-ups on. */
export const DEFAULT_REUP_THRESHOLD = 50;
export const DEFAULT_REUP_PER_DAY = 1;

/** What to do after the balance fell. `today` counts the re-ups of the UTC day. */
export function reUpNow(
  reUp: ReUp,
  balance: { readonly tokens: number; readonly change: number },
  today: number,
): 'charge' | 'limit' | 'nothing' {
  if (!reUp.enabled || reUp.inFlight !== null || reUp.failures >= MAX_REUP_FAILURES) return 'nothing';
  // Only spending counts: a credit that leaves the balance below the threshold is no reason to buy.
  if (balance.change >= 0 || balance.tokens >= reUp.threshold) return 'nothing';
  return today >= reUp.perDay ? 'limit' : 'charge';
}

/** The offer that a person confirmed for a re-up. */
export interface Confirmed {
  readonly tokens: number;
  readonly priceMinor: number;
  readonly currency: string;
}

/** Whether a product is at least as good as confirmed: nobody is charged more than they agreed to. */
export const isAsConfirmed = (confirmed: Confirmed | null, item: Confirmed): boolean =>
  confirmed === null
  || (item.currency === confirmed.currency && item.priceMinor <= confirmed.priceMinor
    && item.tokens >= confirmed.tokens);

/** The error of a declined re-up (spec 1 §8). */
export function reUpErrorOf(decline: DeclineCode | null): ReUpError {
  if (decline === 'VERIFY') return 'verification_required';
  return decline === 'NMYSERVNOTALLOWED' || decline === 'NMYDNVEL' ? 'contact_support' : 'declined';
}

/** Hour (UTC) of the post-pay charge: between Asia's evening and America's morning. */
const CHARGE_HOUR = 10;

/** When the next post-pay charge is due. */
export function nextCharge(now: Date): Date {
  const today = nextDay(now).getTime() - DAY_MS + CHARGE_HOUR * HOUR_MS;
  return new Date(today > now.getTime() ? today : today + DAY_MS);
}

/** Whether post-pay is offered: it is switched on, and the person has a purchase and a saved card. */
export const mayPostpay = (who: {
  readonly isSwitchedOn: boolean;
  readonly hasPurchase: boolean;
  readonly hasCard: boolean;
}): boolean => who.isSwitchedOn && who.hasPurchase && who.hasCard;

/** A person's credit limit in tokens: zero while post-pay is off, or while the last charge failed. */
export const creditLimitOf = (
  state: { readonly enabled: boolean; readonly cardFailed: boolean },
  tokens: number,
): number => (state.enabled && !state.cardFailed ? tokens : 0);

/** The price of a debt at the plain rate, in US cents. */
export const debtCents = (owedTokens: number): number => plainCents(owedTokens);
