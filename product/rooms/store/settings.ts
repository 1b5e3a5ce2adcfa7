import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { PASSWORD_PROOF_MS, type BroadcastCategory } from '../rules.ts';
import { tables } from '../store.ts';

/** Settings of a room. */
export interface Settings {
  readonly followEnabled: boolean;
  readonly isUserListVisible: boolean;
  readonly broadcastCategory: BroadcastCategory | null;
  readonly subjectColor: string | null;
  readonly passwordHash: string | null;
  readonly passwordNumber: number;
  readonly notice: string | null;
  readonly noticeMinutes: number | null;
}
const DEFAULT_SETTINGS: Settings = {
  followEnabled: true,
  isUserListVisible: false,
  broadcastCategory: null,
  subjectColor: null,
  passwordHash: null,
  passwordNumber: 0,
  notice: null,
  noticeMinutes: null,
};

export async function findSettings(tx: Tx, performerId: number): Promise<Settings> {
  const row = await tables(tx).selectFrom('rooms.settings').select([
    'follow_enabled as followEnabled',
    'is_user_list_visible as isUserListVisible',
    'broadcast_category as broadcastCategory',
    'subject_color as subjectColor',
    'password_hash as passwordHash',
    'password_number as passwordNumber',
    'notice',
    'notice_minutes as noticeMinutes',
  ]).where('performer_id', '=', performerId).executeTakeFirst();
  return row ?? DEFAULT_SETTINGS;
}

/** Those of the given rooms that have a camera password. */
export async function lockedAmong(tx: Tx, performerIds: readonly number[]): Promise<ReadonlySet<number>> {
  if (performerIds.length === 0) return new Set();
  const rows = await tables(tx).selectFrom('rooms.settings').select('performer_id')
    .where('performer_id', 'in', performerIds).where('password_hash', 'is not', null).execute();
  return new Set(rows.map(({ performer_id: id }) => id));
}

/** Saves the given settings. Lock the room first: `before` must be current. */
export async function saveSettings(
  tx: Tx,
  performerId: number,
  before: Settings,
  changed: Partial<Settings>,
): Promise<Settings> {
  const next = { ...before, ...changed };
  const values = {
    follow_enabled: next.followEnabled,
    is_user_list_visible: next.isUserListVisible,
    broadcast_category: next.broadcastCategory,
    subject_color: next.subjectColor,
    password_hash: next.passwordHash,
    password_number: next.passwordNumber,
    notice: next.notice,
    notice_minutes: next.noticeMinutes,
  };
  await tables(tx).insertInto('rooms.settings').values({ performer_id: performerId, ...values })
    .onConflict((conflict) => conflict.columns(['operator_id', 'performer_id']).doUpdateSet(values))
    .execute();
  return next;
}

/** Records that a session entered the camera password with this number, and deletes expired records. */
export async function saveProof(
  tx: Tx,
  performerId: number,
  proof: { sessionId: string; viewer: string; number: number },
): Promise<void> {
  const { sessionId, viewer, number } = proof;
  const values = { 'seat': viewer, password_number: number, at: tx.now };
  await tables(tx).deleteFrom('rooms.password_proofs').where('performer_id', '=', performerId)
    .where('at', '<', new Date(tx.now.getTime() - PASSWORD_PROOF_MS)).execute();
  await tables(tx).insertInto('rooms.password_proofs')
    .values({ performer_id: performerId, session_id: sessionId, ...values })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'performer_id', 'session_id'])
        .doUpdateSet(values)
    )
    .execute();
}

export async function hasProof(
  tx: Tx,
  performerId: number,
  sessionId: string,
  number: number,
): Promise<boolean> {
  const row = await tables(tx).selectFrom('rooms.password_proofs').select('password_number')
    .where('performer_id', '=', performerId).where('session_id', '=', sessionId)
    .where('password_number', '=', number)
    .where('at', '>=', new Date(tx.now.getTime() - PASSWORD_PROOF_MS)).executeTakeFirst();
  return row !== undefined;
}

/** Persons or guest sessions that entered the camera password with this number. */
export async function provenViewers(tx: Tx, performerId: number, number: number): Promise<string[]> {
  const rows = await tables(tx).selectFrom('rooms.password_proofs').select('seat as viewer').distinct()
    .where('performer_id', '=', performerId).where('password_number', '=', number).execute();
  return rows.map(({ viewer }) => viewer);
}

export async function deleteProofs(tx: Tx, performerId: number): Promise<void> {
  await tables(tx).deleteFrom('rooms.password_proofs').where('performer_id', '=', performerId).execute();
}

/** Levels of invisible mode; visible people are left out. */
export async function findInvisible(
  tx: Tx,
  personIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (personIds.length === 0) return new Map();
  const rows = await tables(tx).selectFrom('rooms.invisible').select(['person_id', 'level'])
    .where('person_id', '=', sql<number>`any(${[...personIds]}::bigint[])`).execute();
  return new Map(rows.map(({ person_id: id, level }) => [id, level]));
}

export async function saveInvisible(tx: Tx, personId: number, level: number): Promise<void> {
  await tables(tx).deleteFrom('rooms.invisible').where('person_id', '=', personId).execute();
  if (level === 0) return;
  await tables(tx).insertInto('rooms.invisible').values({ person_id: personId, level }).execute();
}
