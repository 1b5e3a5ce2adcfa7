import { DAY_MS } from '#platform/time/units.ts';

/**
 * Ways to log in younger than this at a recovery are shown to the person: an intruder may have added them.
 */
const WAYS_IN_NEW_MS = 30 * DAY_MS;

/** How long an address can be restored: people who go away for weeks find the email when they return. */
export const FORMER_EMAIL_MS = 30 * DAY_MS;
/** Most replaced addresses that a person can still restore: people change theirs once or twice. */
export const MAX_FORMER_EMAILS = 20;

/**
 * Ways to log in added after the returned time need a check after a recovery.
 * @param since when somebody else may have taken over the account
 */
export const waysInSince = (since: Date): Date => new Date(since.getTime() - WAYS_IN_NEW_MS);

/** The period whose new ways to log in a person has to check; null where there is nothing to ask. */
export function waysInToCheck(
  { recoveredAt, since, checkedAt }: {
    readonly recoveredAt: Date | null;
    readonly since: Date | null;
    readonly checkedAt: Date | null;
  },
): { readonly after: Date; readonly until: Date } | null {
  if (recoveredAt === null || (checkedAt !== null && checkedAt >= recoveredAt)) return null;
  return { after: since ?? waysInSince(recoveredAt), until: recoveredAt };
}
