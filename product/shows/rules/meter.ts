import { SECOND_MS } from '#platform/time/units.ts';

/** Counted seconds are captured at least this often: a crash costs the operator no more than this. */
export const CAPTURE_EVERY_MS = 10 * SECOND_MS;
/** A person who gets no media for this long has left; those seconds are free. */
export const AWAY_MS = 30 * SECOND_MS;
const SECONDS_A_MINUTE = 60;
/** The reason of a private show that ended without one: the tokens ran out (spec 2 §4.2). */
export const DEFAULT_END_REASON = 'out_of_tokens';

/**
 * The meter of a show that is paid by the minute. A second counts when the relay received the performer's
 * media and sent media to this viewer. The caller decides that; the meter only computes the cost.
 */
export interface Meter {
  /** Tokens a minute, whole and above zero. */
  readonly price: number;
  /** The most this show may cost, in tokens; null without one. */
  readonly limit: number | null;
  /** Seconds counted. */
  readonly seconds: number;
  /** Sixtieths of a token, below 60, that earlier seconds of the same show cost and that are still unpaid. */
  readonly carried: number;
  /** Tokens that the performer has been paid for those seconds. */
  readonly captured: number;
  /** Tokens set aside and not captured yet. */
  readonly held: number;
}

/** The meter of a show before its first second, with what is set aside for it. */
export const newMeter = (
  { price, limit, held }: Pick<Meter, 'price' | 'limit' | 'held'>,
): Meter => ({ price, limit, held, seconds: 0, carried: 0, captured: 0 });

/** Cost of the counted seconds in whole tokens. The last fraction is not charged: at most once per show. */
export const costOf = ({ price, seconds, carried }: Pick<Meter, 'price' | 'seconds' | 'carried'>): number =>
  Math.floor((price * seconds + carried) / SECONDS_A_MINUTE);

/**
 * Sixtieths of a token that are carried over to the viewer's next turn on the same show. Never a whole token:
 * tokens that could not be captured are not owed.
 */
export const carriedAfter = (
  { price, seconds, carried, captured }: Pick<Meter, 'price' | 'seconds' | 'carried' | 'captured'>,
): number => Math.min(SECONDS_A_MINUTE - 1, carried + price * seconds - SECONDS_A_MINUTE * captured);

/** Seconds that this many tokens pay in full, in addition to what is carried over. */
const secondsBeside = ({ price, carried }: Meter, tokens: number): number =>
  Math.floor((SECONDS_A_MINUTE * tokens - carried) / price);

/** Seconds that this many tokens pay in full. */
export const secondsFor = (price: number, tokens: number): number =>
  Math.floor((SECONDS_A_MINUTE * tokens) / price);

/** Seconds paid or set aside for, including those already counted. */
const coveredSeconds = (meter: Meter): number => secondsBeside(meter, meter.captured + meter.held);

/** Seconds set aside for and not counted yet: a viewer gets them back if the show ends now. */
export const prepaidSeconds = (meter: Meter): number => Math.max(0, coveredSeconds(meter) - meter.seconds);

/** Tokens due and not captured yet. */
export const toCapture = (meter: Meter): number => costOf(meter) - meter.captured;

/** Whole tokens of a refund counted in hundredths: the payee keeps the fraction. */
export const refundOf = (hundredths: number): number => Math.floor(hundredths / 100);

/** What must happen before the next second may count. */
export type Step =
  /** The second is covered: count it. */
  | { readonly kind: 'count' }
  /** This many tokens must be held first, or what is left if that is less; see {@link renewed}. */
  | { readonly kind: 'hold'; readonly tokens: number }
  /** The viewer's own limit of this show is reached. */
  | { readonly kind: 'used_up' };

export function nextStep(meter: Meter): Step {
  if (prepaidSeconds(meter) > 0) return { kind: 'count' };
  const { price, limit } = meter;
  const tokens = limit === null ? price : Math.min(price, limit - costOf(meter));
  return isWorthHolding(meter, tokens) ? { kind: 'hold', tokens } : { kind: 'used_up' };
}

/** Whether this many tokens would pay for at least one more second. */
export const isWorthHolding = (meter: Meter, tokens: number): boolean =>
  tokens > 0 && prepaidSeconds(renewed(meter, tokens)) > 0;

/**
 * The meter once everything due is captured, the rest of the old hold released, and this many tokens held.
 */
export const renewed = (meter: Meter, tokens: number): Meter => ({
  ...meter,
  captured: costOf(meter),
  held: tokens,
});

/** The meter after one more second. Throws when the hold does not cover it: nobody owes for a show. */
export function counted(meter: Meter): Meter {
  if (prepaidSeconds(meter) === 0) throw new Error('a second is counted that nothing is held for');
  return { ...meter, seconds: meter.seconds + 1 };
}

/** The meter once everything due is captured from the hold. */
export function capturedDue(meter: Meter): Meter {
  const due = toCapture(meter);
  if (due > meter.held) throw new Error('more is due than is held');
  return { ...meter, captured: meter.captured + due, held: meter.held - due };
}

/** Seconds that a balance pays for beyond those counted, given the hold, the limit and the price. */
export function secondsLeft(meter: Meter, balance: number): number {
  const { limit, captured, held } = meter;
  const within = limit === null ? captured + held + balance : Math.min(limit, captured + held + balance);
  return Math.max(0, secondsBeside(meter, within) - meter.seconds);
}
