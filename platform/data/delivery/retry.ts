/** Failures after which a row is parked for a person: about 4 minutes of waiting, longer than any restart. */
export const MAX_ATTEMPTS = 8;
const FIRST_WAIT_MS = 1_000;
/** Beyond five minutes a longer wait only hides the problem. */
const LONGEST_WAIT_MS = 300_000;

/** How long to wait after this many failures (1 is the first): 1 s, doubling, at most 5 min. */
export const waitAfter = (failures: number): number =>
  Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);

/** Where delivery reports. `fields` never hold payloads, because payloads hold what people wrote. */
export interface Log {
  readonly warn: (fields: Readonly<Record<string, unknown>>, text: string) => void;
  readonly error: (fields: Readonly<Record<string, unknown>>, text: string) => void;
}
