import { DAY_MS } from '#platform/time/units.ts';

// Limits of stored callbacks that could not be authenticated: anybody can send them.

/** Query, headers and body together. Callbacks of the supported billers have 4 kB at most. */
export const MAX_UNAUTHENTICATED_BYTES = 8 * 1024;
/** Rows for one biller: 1.6 MB. */
export const MAX_UNAUTHENTICATED_PER_BILLER = 200;
/** Rows of one address among them, so that one sender leaves room for the biller itself. */
export const MAX_UNAUTHENTICATED_PER_ADDRESS = 20;
/** Per minute, address and biller; further callbacks are answered but neither counted nor stored. */
export const UNAUTHENTICATED_LIMIT = { points: 30, seconds: 60 } as const;
/** Billers repeat callbacks for three days; a new key is entered sooner than this. */
export const UNAUTHENTICATED_RETAINED_MS = 7 * DAY_MS;
