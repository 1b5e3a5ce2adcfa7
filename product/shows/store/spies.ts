import type { Tx } from '#platform/data/data.ts';
import { dayOf } from '#platform/time/days.ts';
import { sql, type Selectable, type Updateable } from 'kysely';
import { carriedAfter } from '../rules/meter.ts';
import { RECEIPTS_PAGE } from '../rules/private.ts';
import type { ShowsTables } from './tables.ts';

type SpiesTable = ShowsTables['shows.spies'];

/** A viewer's current or past spying on a private show. */
export type SpyRow = Selectable<SpiesTable>;
export type SpyChange = Omit<Updateable<SpiesTable>, 'operator_id' | 'id' | 'performer_id' | 'viewer_id'>;

const tables = (tx: Tx): ReturnType<typeof tx.sql<ShowsTables>> => tx.sql<ShowsTables>();

/** Starts spying on a show. Carries over the fraction of a token left by earlier spying there. */
export async function insertSpy(
  tx: Tx,
  spy: Pick<
    SpyRow,
    'private_id' | 'performer_id' | 'viewer_id' | 'price' | 'startup_tip' | 'preview'
  >,
): Promise<SpyRow> {
  const before = await tables(tx).selectFrom('shows.spies')
    .select(['carried', 'price', 'seconds', 'captured'])
    .where('private_id', '=', spy.private_id).where('viewer_id', '=', spy.viewer_id)
    .orderBy('id', 'desc').executeTakeFirst();
  return tables(tx).insertInto('shows.spies').values({
    ...spy,
    carried: before ? carriedAfter(before) : 0,
    started_at: tx.now,
    paid_at: null,
    reads_since: null,
    ended_at: null,
    end_reason: null,
  }).returningAll().executeTakeFirstOrThrow();
}

export const changeSpy = async (tx: Tx, id: number, change: SpyChange): Promise<SpyRow> =>
  tables(tx).updateTable('shows.spies').set(change).where('id', '=', id).returningAll()
    .executeTakeFirstOrThrow();

/** Where somebody is spying now; null for nowhere. */
export async function findSpy(tx: Tx, viewerId: number): Promise<SpyRow | null> {
  return (await tables(tx).selectFrom('shows.spies').selectAll().where('viewer_id', '=', viewerId)
    .where('ended_at', 'is', null).executeTakeFirst()) ?? null;
}

/** Everybody who is spying, after a start of the site. */
export const findAllSpies = (tx: Tx): Promise<SpyRow[]> =>
  tables(tx).selectFrom('shows.spies').selectAll().where('ended_at', 'is', null).orderBy('id').execute();

/** People spying on a private show now. */
export async function findSpyIds(tx: Tx, privateId: number): Promise<number[]> {
  const rows = await tables(tx).selectFrom('shows.spies').select('viewer_id')
    .where('private_id', '=', privateId).where('ended_at', 'is', null).execute();
  return rows.map(({ viewer_id: id }) => id);
}

/** People spying on a private show who can read its chat, and since when. */
export async function findReadingSpies(
  tx: Tx,
  privateId: number,
): Promise<{ readonly personId: number; readonly since: Date }[]> {
  const rows = await tables(tx).selectFrom('shows.spies').select(['viewer_id', 'reads_since'])
    .where('private_id', '=', privateId).where('ended_at', 'is', null).where('reads_since', 'is not', null)
    .execute();
  return rows.flatMap(({ viewer_id: personId, reads_since: since }) => (since ? [{ personId, since }] : []));
}

/** The spans in which somebody spied on a private show and read its chat; `until` is null for now. */
export async function findReadsOf(
  tx: Tx,
  privateId: number,
  viewerId: number,
): Promise<{ readonly since: Date; readonly until: Date | null }[]> {
  const rows = await tables(tx).selectFrom('shows.spies').select(['reads_since', 'ended_at'])
    .where('private_id', '=', privateId).where('viewer_id', '=', viewerId)
    .where('reads_since', 'is not', null).orderBy('id').execute();
  return rows.flatMap(({ reads_since: since, ended_at: until }) => (since ? [{ since, until }] : []));
}

/** How many people spy on a show, and the tokens paid by everybody who spied on it. */
export async function countSpies(
  tx: Tx,
  privateId: number,
): Promise<{ readonly count: number; readonly tokens: number }> {
  return tables(tx).selectFrom('shows.spies').where('private_id', '=', privateId).select([
    sql<number>`count(*) filter (where ended_at is null)::int`.as('count'),
    sql<number>`coalesce(sum(captured + case when paid_at is null then 0 else startup_tip end), 0)::int`
      .as('tokens'),
  ]).executeTakeFirstOrThrow();
}

/** Whether a viewer has used some of a performer's free preview today (UTC). */
export async function hasPreviewed(tx: Tx, viewerId: number, performerId: number): Promise<boolean> {
  const today = new Date(`${dayOf(tx.now)}T00:00:00Z`);
  const row = await tables(tx).selectFrom('shows.spies').select('id').where('viewer_id', '=', viewerId)
    .where('performer_id', '=', performerId).where('started_at', '>=', today).where('previewed', '>', 0)
    .executeTakeFirst();
  return row !== undefined;
}

/** When a viewer last paid a performer's tip to start; null for never. */
export async function lastStartupTip(tx: Tx, viewerId: number, performerId: number): Promise<Date | null> {
  const row = await tables(tx).selectFrom('shows.spies').select(sql<Date | null>`max(paid_at)`.as('at'))
    .where('viewer_id', '=', viewerId).where('performer_id', '=', performerId)
    .where('startup_tip', '>', 0).executeTakeFirst();
  return row?.at ?? null;
}

/** Finished spying by a person and on a person, newest first. */
export const findSpyReceipts = (tx: Tx, personId: number, before: number | null): Promise<SpyRow[]> =>
  tables(tx).selectFrom('shows.spies').selectAll().where('ended_at', 'is not', null)
    .where((e) => e.or([e('viewer_id', '=', personId), e('performer_id', '=', personId)]))
    .$if(before !== null, (query) => query.where('id', '<', before ?? 0))
    .orderBy('id', 'desc').limit(RECEIPTS_PAGE + 1).execute();
