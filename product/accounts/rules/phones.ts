import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/time/units.ts';

/** How long a code that was sent to a number works. */
export const PHONE_CODE_MS = 10 * MINUTE_MS;
/** Wrong codes before another one is needed. */
const PHONE_CODE_TRIES = 5;

/** Whether a code that was sent can still be typed. */
export const isPhoneCodeOpen = (
  { expiresAt, tries }: { readonly expiresAt: Date; readonly tries: number }, now: Date,
): boolean => expiresAt > now && tries < PHONE_CODE_TRIES;

const SECOND_MS = 1000;
/**
 * Codes that are sent. Each costs the operator, and whoever earns by numbers of theirs has codes sent there
 * from many accounts and addresses: what one of them may cost a day is a few texts. Of a person they also
 * bound guessing: 25 of a million a day.
 */
export const PHONE_CODE_LIMITS = {
  /** The next code comes a minute later: the one before may be on its way. */
  rest: { points: 1, seconds: MINUTE_MS / SECOND_MS },
  person: { points: 5, seconds: DAY_MS / SECOND_MS },
  number: { points: 5, seconds: DAY_MS / SECOND_MS },
  address: { points: 10, seconds: HOUR_MS / SECOND_MS },
} as const;
