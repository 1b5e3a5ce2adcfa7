import { DAY_MS } from '#platform/time/units.ts';

/** Ways in younger than this at a recovery are shown to the person: whoever was in may have added them. */
const WAYS_IN_NEW_MS = 30 * DAY_MS;

/**
 * Ways in that were added since are to be looked at after a recovery.
 * @param since since when somebody else may have held the account
 */
export const waysInSince = (since: Date): Date => new Date(since.getTime() - WAYS_IN_NEW_MS);

/** From when to when ways in were added that a person has to look at; null where there is nothing to ask. */
export function waysInToCheck(
  { recoveredAt, since, checkedAt }:
  { readonly recoveredAt: Date | null; readonly since: Date | null; readonly checkedAt: Date | null },
): { readonly after: Date; readonly until: Date } | null {
  if (recoveredAt === null || (checkedAt !== null && checkedAt >= recoveredAt)) return null;
  return { after: since ?? waysInSince(recoveredAt), until: recoveredAt };
}
