import { SECOND_MS } from '#platform/time/units.ts';

/** What is counted is captured at least this often: a crash costs the operator no more than this. */
export const CAPTURE_EVERY_MS = 10 * SECOND_MS;
/** Whoever gets no media for this long has left; the seconds are free. */
export const AWAY_MS = 30 * SECOND_MS;
const SECONDS_A_MINUTE = 60;
/** Why a private show ended whose end names no reason: nothing more could be taken (spec 2 §4.2). */
export const DEFAULT_END_REASON = 'out_of_tokens';

/**
 * The meter of a show that is paid by the minute. A second counts when the relay received media of the
 * performer and sent media to this viewer; whoever counts decides that, and the meter only what it costs.
 */
export interface Meter {
  /** Tokens a minute, whole and above zero. */
  readonly price: number;
  /** The most this show may cost, in tokens; null without one. */
  readonly limit: number | null;
  /** Seconds counted. */
  readonly seconds: number;
  /** Sixtieths of a token, below 60, that earlier seconds of the same show cost and nobody has paid. */
  readonly carried: number;
  /** Tokens the performer has been paid for them. */
  readonly captured: number;
  /** Tokens set aside of which nothing was captured yet. */
  readonly held: number;
}

/** The meter of a show before its first second, with what is set aside for it. */
export const newMeter = (
  { price, limit, held }: Pick<Meter, 'price' | 'limit' | 'held'>,
): Meter => ({ price, limit, held, seconds: 0, carried: 0, captured: 0 });

/** What the seconds counted cost, in whole tokens. The fraction of a token is the viewer's, once a show. */
export const costOf = ({ price, seconds, carried }: Pick<Meter, 'price' | 'seconds' | 'carried'>): number =>
  Math.floor((price * seconds + carried) / SECONDS_A_MINUTE);

/**
 * Sixtieths of a token that the viewer's next turn on the same show carries. Never a whole token: what could
 * not be captured is nobody's.
 */
export const carriedAfter = (
  { price, seconds, carried, captured }: Pick<Meter, 'price' | 'seconds' | 'carried' | 'captured'>,
): number => Math.min(SECONDS_A_MINUTE - 1, carried + price * seconds - SECONDS_A_MINUTE * captured);

/** Seconds that so many tokens pay in full beside what is carried. */
const secondsBeside = ({ price, carried }: Meter, tokens: number): number =>
  Math.floor((SECONDS_A_MINUTE * tokens - carried) / price);

/** Seconds that so many tokens pay in full. */
export const secondsFor = (price: number, tokens: number): number =>
  Math.floor((SECONDS_A_MINUTE * tokens) / price);

/** Seconds that are paid or set aside for, those counted among them. */
const coveredSeconds = (meter: Meter): number => secondsBeside(meter, meter.captured + meter.held);

/** Seconds set aside for that were not counted yet: what a viewer gets back when the show ends now. */
export const prepaidSeconds = (meter: Meter): number => Math.max(0, coveredSeconds(meter) - meter.seconds);

/** Tokens that are due and were not captured yet. */
export const toCapture = (meter: Meter): number => costOf(meter) - meter.captured;

/** Whole tokens of a refund that is counted in hundredths: the fraction stays with who was paid. */
export const refundOf = (hundredths: number): number => Math.floor(hundredths / 100);

/** What must happen before the next second may count. */
export type Step =
  /** It is set aside for. */
  | { readonly kind: 'count' }
  /** So many tokens are held first, or what is left when that is less; see {@link renewed}. */
  | { readonly kind: 'hold'; readonly tokens: number }
  /** The viewer's own limit of this show is reached. */
  | { readonly kind: 'used_up' };

export function nextStep(meter: Meter): Step {
  if (prepaidSeconds(meter) > 0) return { kind: 'count' };
  const { price, limit } = meter;
  const tokens = limit === null ? price : Math.min(price, limit - costOf(meter));
  return isWorthHolding(meter, tokens) ? { kind: 'hold', tokens } : { kind: 'used_up' };
}

/** Whether so many tokens would pay for at least one more second. */
export const isWorthHolding = (meter: Meter, tokens: number): boolean =>
  tokens > 0 && prepaidSeconds(renewed(meter, tokens)) > 0;

/** After everything due was captured, the rest of the old hold released, and so many tokens held. */
export const renewed = (meter: Meter, tokens: number): Meter =>
  ({ ...meter, captured: costOf(meter), held: tokens });

/** After one second more. Throws when nothing is set aside for it: nobody owes for a show. */
export function counted(meter: Meter): Meter {
  if (prepaidSeconds(meter) === 0) throw new Error('a second is counted that nothing is held for');
  return { ...meter, seconds: meter.seconds + 1 };
}

/** After what is due was captured out of the hold. */
export function capturedDue(meter: Meter): Meter {
  const due = toCapture(meter);
  if (due > meter.held) throw new Error('more is due than is held');
  return { ...meter, captured: meter.captured + due, held: meter.held - due };
}

/** Seconds that a balance gives beyond those counted, by what is held, the limit and the price. */
export function secondsLeft(meter: Meter, balance: number): number {
  const { limit, captured, held } = meter;
  const within = limit === null ? captured + held + balance : Math.min(limit, captured + held + balance);
  return Math.max(0, secondsBeside(meter, within) - meter.seconds);
}
