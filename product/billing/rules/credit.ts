import { DAY_MS, HOUR_MS } from '../../../platform/time/units.ts';
import { nextDay } from '../../../platform/time/days.ts';
import { plainCents } from './products.ts';
import type { DeclineCode, ReUpError } from '../rules.ts';

/** A re-up as a person set it, and how it went so far. */
export interface ReUp {
  readonly enabled: boolean;
  readonly threshold: number;
  readonly perDay: number;
  /** Order under way; at most one. */
  readonly inFlight: string | null;
  readonly failures: number;
}
/** Failures in a row that turn a re-up off: a card that fails thrice is dead. */
export const MAX_REUP_FAILURES = 3;
/** What a purchase that turns re-ups on sets when it does not say. */
export const DEFAULT_REUP_THRESHOLD = 50;
export const DEFAULT_REUP_PER_DAY = 1;

/** Whether a fallen balance is filled up now. `today` counts the re-ups of the UTC day. */
export function reUpNow(reUp: ReUp, balance: { readonly tokens: number; readonly change: number },
  today: number):
'charge' | 'limit' | 'nothing' {
  if (!reUp.enabled || reUp.inFlight !== null || reUp.failures >= MAX_REUP_FAILURES) return 'nothing';
  // Only spending empties: a credit that ends below the threshold is no reason to buy more.
  if (balance.change >= 0 || balance.tokens >= reUp.threshold) return 'nothing';
  return today >= reUp.perDay ? 'limit' : 'charge';
}

/** What a person read and confirmed of a re-up. */
export interface Confirmed {
  readonly tokens: number;
  readonly priceMinor: number;
  readonly currency: string;
}

/** Whether a product is still what was confirmed, or better: nobody is charged more than they agreed to. */
export const isAsConfirmed = (confirmed: Confirmed | null, item: Confirmed): boolean => confirmed === null
  || (item.currency === confirmed.currency && item.priceMinor <= confirmed.priceMinor
    && item.tokens >= confirmed.tokens);

/** What a person is told of a declined re-up (spec 1 §8). */
export function reUpErrorOf(decline: DeclineCode | null): ReUpError {
  if (decline === 'VERIFY') return 'verification_required';
  return decline === 'NMYSERVNOTALLOWED' || decline === 'NMYDNVEL' ? 'contact_support' : 'declined';
}

/** Hour (UTC) at which what was spent on account is charged: between the evenings of the world. */
const CHARGE_HOUR = 10;

/** When post-pay is charged next. */
export function nextCharge(now: Date): Date {
  const today = nextDay(now).getTime() - DAY_MS + CHARGE_HOUR * HOUR_MS;
  return new Date(today > now.getTime() ? today : today + DAY_MS);
}

/** Whether post-pay is for somebody: the operator's switch, a purchase and a card they kept. */
export const mayPostpay = (who: {
  readonly isSwitchedOn: boolean; readonly hasPurchase: boolean; readonly hasCard: boolean;
}): boolean => who.isSwitchedOn && who.hasPurchase && who.hasCard;

/** The line a person has: none while it is off, or while what is owed cannot be charged. */
export const lineOf = (
  state: { readonly enabled: boolean; readonly cardFailed: boolean }, tokens: number,
): number => (state.enabled && !state.cardFailed ? tokens : 0);

/** The price of what is owed, in US cents: the plain rate. */
export const debtCents = (owedTokens: number): number => plainCents(owedTokens);
