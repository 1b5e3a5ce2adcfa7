import type { Tx } from '#platform/data/data.ts';
import { MAX_ACTIONS, MODERATION_PER_PAGE, type ModerationAction } from '../rules.ts';
import { tables, type Subject } from './schema.ts';

export interface StoredAction {
  readonly id: number;
  readonly action: ModerationAction;
  readonly personId: number | null;
  readonly guestName: string | null;
  readonly byId: number | null;
  readonly reason: string;
  readonly until: Date | null;
  readonly at: Date;
}

/** Appends to the room's own log; the oldest entries beyond the limit are deleted. */
export async function insertAction(
  tx: Tx,
  performerId: number,
  subject: Subject,
  { action, byId, reason, until }: Pick<StoredAction, 'action' | 'byId' | 'reason' | 'until'>,
): Promise<void> {
  await tables(tx).insertInto('room_moderation.actions').values({
    performer_id: performerId,
    action,
    person_id: subject.personId,
    guest_name: subject.guestName ?? null,
    by_id: byId,
    reason,
    until,
    at: tx.now,
  }).execute();
  const last = await tables(tx).selectFrom('room_moderation.actions').select('id')
    .where('performer_id', '=', performerId).orderBy('id', 'desc').offset(MAX_ACTIONS).limit(1)
    .executeTakeFirst();
  if (!last) return;
  await tables(tx).deleteFrom('room_moderation.actions')
    .where('performer_id', '=', performerId).where('id', '<=', last.id).execute();
}

/** A page of a room's own log, newest first. */
export async function pageOfActions(
  tx: Tx,
  performerId: number,
  before: number | null,
): Promise<StoredAction[]> {
  const rows = await tables(tx).selectFrom('room_moderation.actions').selectAll()
    .where('performer_id', '=', performerId)
    .$if(before !== null, (query) => query.where('id', '<', before as number))
    .orderBy('id', 'desc').limit(MODERATION_PER_PAGE + 1).execute();
  return rows.map((row) => ({
    id: row.id,
    action: row.action,
    personId: row.person_id,
    guestName: row.guest_name,
    byId: row.by_id,
    reason: row.reason,
    until: row.until,
    at: row.at,
  }));
}
