/** Deleting an account: what stands in the way, and when it becomes final. */
import { DAY_MS } from '#platform/time/units.ts';

/** Time to change one's mind. Article 17 of the GDPR wants erasure "without undue delay": a month at most. */
export const DELETION_DAYS = 30;
/** The last email before it becomes final: late enough to matter, early enough to act. */
const REMINDER_DAYS = 3;
/** A ticket that keeps an account is used at once: time to read the page. */
export const KEEP_TICKET_SECONDS = 15 * 60;
/** Rows that are erased in one unit of work, so that nobody waits for it. */
export const ERASE_BATCH_ROWS = 1_000;
/** Batches of one table: ten million rows. What needs more does not come to an end. */
export const MAX_ERASE_BATCHES = 10_000;
/** Earnings are paid out within days; asking more often finds nothing new. */
export const SETTLEMENT_WAIT_MS = DAY_MS;
/** What stands for the name of whom was erased; nobody can register such a name. */
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
  /** Set aside for what runs. */
  readonly held: number;
  /** What they owe, not negative. */
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

/** Whether it cannot become final yet: somebody is still to be paid, or something is still to be settled. */
export const waitsForSettlement = ({ earned, held, owed }: Omit<Holdings, 'tokens'>): boolean =>
  earned > 0 || held > 0 || owed > 0;
