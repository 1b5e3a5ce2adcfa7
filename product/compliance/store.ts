import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { CLEARANCES_PER_PAGE, type PerformerStatus } from './rules.ts';
import type { ComplianceTables } from './store/tables.ts';

const tables = (tx: Tx): ReturnType<typeof tx.sql<ComplianceTables>> => tx.sql<ComplianceTables>();

/** Adds a performer to the list of clearances, once. */
export async function enrol(tx: Tx, performerId: number, registeredAt: Date): Promise<void> {
  await tables(tx)
    .insertInto('compliance.performers')
    .values({ performer_id: performerId, registered_at: registeredAt })
    .onConflict((conflict) => conflict.columns(['operator_id', 'performer_id']).doNothing())
    .execute();
}

async function setStatus(
  tx: Tx,
  performerId: number,
  status: PerformerStatus,
  by: number | null,
): Promise<void> {
  await tables(tx)
    .updateTable('compliance.performers')
    .set({ status, decided_at: tx.now, decided_by: by })
    .where('performer_id', '=', performerId)
    .execute();
}

/** Ends the valid clearance of a performer; returns its id, or null without one. */
async function endValid(
  tx: Tx,
  performerId: number,
  how: 'superseded' | 'revoked',
  by: number | null,
  reason: string,
): Promise<number | null> {
  const ended = await tables(tx)
    .updateTable('compliance.clearances')
    .set({ state: how, ended_at: tx.now, ended_by: by, ended_reason: reason })
    .where('performer_id', '=', performerId)
    .where('state', '=', 'valid')
    .returning('id')
    .executeTakeFirst();
  return ended?.id ?? null;
}

/** Inserts a clearance with its evidence, which replaces the earlier one; returns the new id. */
export async function insertClearance(
  tx: Tx,
  clearance: { performerId: number; decidedBy: number | null; reason: string; expiresAt: Date },
): Promise<number> {
  const { performerId, decidedBy, reason, expiresAt } = clearance;
  await endValid(tx, performerId, 'superseded', decidedBy, reason);
  const { id } = await tables(tx)
    .insertInto('compliance.clearances')
    .values({
      performer_id: performerId,
      reason,
      decided_at: tx.now,
      expires_at: expiresAt,
      decided_as: decidedBy === null ? 'system' : 'person',
      decided_by: decidedBy,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await setStatus(tx, performerId, 'cleared', decidedBy);
  return id;
}

/** Revokes a performer's clearance and lists them as revoked; returns the id of the ended clearance. */
export async function revokeClearance(
  tx: Tx,
  performerId: number,
  by: number | null,
  reason: string,
): Promise<number | null> {
  const ended = await endValid(tx, performerId, 'revoked', by, reason);
  await setStatus(tx, performerId, 'revoked', by);
  return ended;
}

/** Expires a clearance; returns its performer, or null if it had ended already or has not expired yet. */
export async function expireClearance(tx: Tx, clearanceId: number): Promise<number | null> {
  const expired = await tables(tx)
    .updateTable('compliance.clearances')
    .set({ state: 'expired', ended_at: tx.now })
    .where('id', '=', clearanceId)
    .where('state', '=', 'valid')
    .where('expires_at', '<=', tx.now)
    .returning('performer_id')
    .executeTakeFirst();
  if (!expired) return null;
  await setStatus(tx, expired.performer_id, 'pending', null);
  return expired.performer_id;
}

/** The performer's valid clearance, or null. */
export async function validClearance(tx: Tx, performerId: number): Promise<number | null> {
  const row = await tables(tx)
    .selectFrom('compliance.clearances')
    .select('id')
    .where('performer_id', '=', performerId)
    .where('state', '=', 'valid')
    .where('expires_at', '>', tx.now)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Filters performers to those with a valid clearance now, each with the regions they block. */
export async function clearedAmong(
  tx: Tx,
  performerIds: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  if (performerIds.length === 0) return new Map();
  const rows = await tables(tx)
    .selectFrom('compliance.clearances as clearance')
    .leftJoin('compliance.region_blocks as block', (join) =>
      join
        .onRef('block.operator_id', '=', 'clearance.operator_id')
        .onRef('block.performer_id', '=', 'clearance.performer_id'))
    .select(['clearance.performer_id', 'block.regions'])
    .where('clearance.performer_id', 'in', performerIds)
    .where('clearance.state', '=', 'valid')
    .where('clearance.expires_at', '>', tx.now)
    .execute();
  return new Map(rows.map((row) => [row.performer_id, row.regions ?? []]));
}

/** The regions in which a performer is hidden, cleared or not. */
export async function findBlocks(tx: Tx, performerId: number): Promise<readonly string[]> {
  const row = await tables(tx).selectFrom('compliance.region_blocks').select('regions')
    .where('performer_id', '=', performerId).executeTakeFirst();
  return row?.regions ?? [];
}

/** Replaces the regions in which a performer is hidden. */
export async function replaceBlocks(tx: Tx, performerId: number, regions: readonly string[]): Promise<void> {
  const row = { performer_id: performerId, regions: [...regions] };
  await tables(tx)
    .insertInto('compliance.region_blocks')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'performer_id']).doUpdateSet({ regions: row.regions })
    )
    .execute();
}

/** The last decision about a person; null if they are not listed. */
export async function statusOf(tx: Tx, performerId: number): Promise<PerformerStatus | null> {
  const row = await tables(tx)
    .selectFrom('compliance.performers')
    .select('status')
    .where('performer_id', '=', performerId)
    .executeTakeFirst();
  return row?.status ?? null;
}

export interface ClearanceRow {
  readonly performer_id: number;
  readonly registered_at: Date;
  readonly status: PerformerStatus;
  readonly decided_at: Date | null;
  readonly decided_by: number | null;
}

/** One page of clearances, pending first, then oldest first; and how many there are in all. */
export async function clearancePage(
  tx: Tx,
  status: PerformerStatus | undefined,
  page: number,
): Promise<{ lines: readonly ClearanceRow[]; total: number }> {
  let chosen = tables(tx).selectFrom('compliance.performers');
  if (status) chosen = chosen.where('status', '=', status);
  const { total } = await chosen
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const lines = await chosen
    .select(['performer_id', 'registered_at', 'status', 'decided_at', 'decided_by'])
    .orderBy(sql`status <> 'pending'`)
    .orderBy('registered_at')
    .orderBy('performer_id')
    .limit(CLEARANCES_PER_PAGE)
    .offset((page - 1) * CLEARANCES_PER_PAGE)
    .execute();
  return { lines, total };
}

/** When a performer hid themselves; null while they are shown. */
export async function hiddenSince(tx: Tx, performerId: number): Promise<Date | null> {
  const row = await tables(tx).selectFrom('compliance.hidden').select('since')
    .where('performer_id', '=', performerId).executeTakeFirst();
  return row?.since ?? null;
}

/** Filters performers to those who have hidden themselves. */
export async function hiddenAmong(tx: Tx, performerIds: readonly number[]): Promise<ReadonlySet<number>> {
  if (performerIds.length === 0) return new Set();
  const rows = await tables(tx).selectFrom('compliance.hidden').select('performer_id')
    .where('performer_id', 'in', performerIds).execute();
  return new Set(rows.map(({ performer_id: id }) => id));
}

/** Returns whether anything changed. */
export async function saveHidden(tx: Tx, performerId: number, isHidden: boolean): Promise<boolean> {
  const changed = isHidden
    ? await tables(tx).insertInto('compliance.hidden').values({ performer_id: performerId, since: tx.now })
      .onConflict((conflict) => conflict.doNothing()).returning('performer_id').executeTakeFirst()
    : await tables(tx).deleteFrom('compliance.hidden').where('performer_id', '=', performerId)
      .returning('performer_id').executeTakeFirst();
  return changed !== undefined;
}
