/** Deleting an account: what prevents it, and when it becomes final. */
import { DAY_MS } from '#platform/time/units.ts';

/** Time to change one's mind. Article 17 of the GDPR wants erasure "without undue delay": at most a month. */
export const DELETION_DAYS = 30;
/** When the last email before it becomes final is sent: late enough to matter, early enough to act. */
const REMINDER_DAYS = 3;
/** A ticket that keeps an account is used at once: this is the time to read the page. */
export const KEEP_TICKET_SECONDS = 15 * 60;
/** Rows erased in one unit of work: few, so that nobody waits for it. */
export const ERASE_BATCH_ROWS = 1_000;
/** Batches for one table: ten million rows. A table with more left does not finish. */
export const MAX_ERASE_BATCHES = 10_000;
/** Earnings are paid out within days; checking more often finds nothing new. */
export const SETTLEMENT_WAIT_MS = DAY_MS;
/** Prefix of the pseudonym of an erased person; nobody can register such a name. */
export const PSEUDONYM_PREFIX = 'deleted-';

export const pseudonymOf = (personId: number): string => `${PSEUDONYM_PREFIX}${personId}`;
export const deletionTime = (requestedAt: Date): Date =>
  new Date(requestedAt.getTime() + DELETION_DAYS * DAY_MS);
export const reminderTime = (deletionAt: Date): Date =>
  new Date(deletionAt.getTime() - REMINDER_DAYS * DAY_MS);

/** What somebody has at the site, in tokens. */
export interface Holdings {
  readonly tokens: number;
  /** Not paid out yet. */
  readonly earned: number;
  /** Set aside for something that is still going on. */
  readonly held: number;
  /** What the person owes; never negative. */
  readonly owed: number;
}

export type DeletionObstacle = 'debt_open' | 'last_admin';

/** Why somebody cannot delete their account now; null when they can. */
export function deletionObstacle(
  { owed, isLastAdmin }: Pick<Holdings, 'owed'> & { readonly isLastAdmin: boolean },
): DeletionObstacle | null {
  if (isLastAdmin) return 'last_admin';
  return owed > 0 ? 'debt_open' : null;
}

/** Whether the deletion cannot become final yet: something is still to be paid or settled. */
export const waitsForSettlement = ({ earned, held, owed }: Omit<Holdings, 'tokens'>): boolean =>
  earned > 0 || held > 0 || owed > 0;
