import { sql, type Generated } from 'kysely';
import type { Tx } from '../../platform/data/data.ts';
import { MAX_LIVE } from './rules.ts';

interface BrowseTables {
  'browse.live': {
    operator_id: Generated<number>; performer_id: number; state: 'online' | 'reconnecting';
    title: string; tags: string[]; started_at: Date; stream: string | null;
  };
}

/** A performer who is live. */
export interface LiveRow {
  readonly performer_id: number;
  readonly state: 'online' | 'reconnecting';
  readonly title: string;
  readonly tags: string[];
  readonly started_at: Date;
  /** Null while it is not public. */
  readonly stream: string | null;
}

/** Serializes rebuilding one performer's row: the last one to read also writes last. */
export async function lockLive(tx: Tx, performerId: number): Promise<void> {
  const name = `browse.live:${tx.operatorId}:${performerId}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx.sql<BrowseTables>());
}

export async function saveLive(tx: Tx, row: LiveRow): Promise<void> {
  await tx.sql<BrowseTables>().insertInto('browse.live').values(row)
    .onConflict((conflict) => conflict.columns(['operator_id', 'performer_id']).doUpdateSet(row))
    .execute();
}

export async function deleteLive(tx: Tx, performerId: number): Promise<void> {
  await tx.sql<BrowseTables>().deleteFrom('browse.live').where('performer_id', '=', performerId).execute();
}

/** Everybody who is live, by start. */
export async function listLive(tx: Tx): Promise<LiveRow[]> {
  return tx.sql<BrowseTables>().selectFrom('browse.live')
    .select(['performer_id', 'state', 'title', 'tags', 'started_at', 'stream'])
    .orderBy('started_at').orderBy('performer_id').limit(MAX_LIVE).execute();
}
