import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/time/units.ts';

/** How long a code sent to a number works. */
export const PHONE_CODE_MS = 10 * MINUTE_MS;
/** Wrong codes before a new one is needed. */
const PHONE_CODE_TRIES = 5;

/** Whether the code sent last still works. */
export const isPhoneCodeOpen = (
  { expiresAt, tries }: { readonly expiresAt: Date; readonly tries: number },
  now: Date,
): boolean => expiresAt > now && tries < PHONE_CODE_TRIES;

const SECOND_MS = 1000;
/**
 * Limits of codes by text message. Each costs the operator, and owners of premium-rate numbers make sites
 * send codes there from many accounts and addresses. So each person, number and address may cause only a few
 * texts. Per person the limit also stops guessing: 25 of a million codes a day.
 */
export const PHONE_CODE_LIMITS = {
  /** A new code is sent after a minute at the earliest: the one before may still be on its way. */
  rest: { points: 1, seconds: MINUTE_MS / SECOND_MS },
  person: { points: 5, seconds: DAY_MS / SECOND_MS },
  number: { points: 5, seconds: DAY_MS / SECOND_MS },
  address: { points: 10, seconds: HOUR_MS / SECOND_MS },
} as const;
