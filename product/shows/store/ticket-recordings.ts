import type { Tx } from '#platform/data/data.ts';
import { sql, type Selectable } from 'kysely';
import type { TicketState } from '../rules/ticket-show.ts';
import type { ShowsTables } from './tables.ts';

type TicketRecordingsTable = ShowsTables['shows.ticket_recordings'];

/** A recording that a viewer bought. */
export type TicketRecordingRow = Selectable<TicketRecordingsTable>;

const tables = (tx: Tx): ReturnType<typeof tx.sql<ShowsTables>> => tx.sql<ShowsTables>();
const bought = (tx: Tx) => tables(tx).selectFrom('shows.ticket_recordings').selectAll();

export const insertTicketRecording = async (
  tx: Tx,
  recording: Pick<TicketRecordingRow, 'show_id' | 'viewer_id' | 'price'>,
): Promise<TicketRecordingRow> =>
  tables(tx).insertInto('shows.ticket_recordings')
    .values({ ...recording, bought_at: tx.now, state: 'held', settled_at: null })
    .returningAll().executeTakeFirstOrThrow();

/** The recording of a show that a viewer bought, in any state. */
export async function findTicketRecording(
  tx: Tx,
  showId: number,
  viewerId: number,
): Promise<TicketRecordingRow | null> {
  return (await bought(tx).where('show_id', '=', showId).where('viewer_id', '=', viewerId)
    .executeTakeFirst()) ?? null;
}

/** Recordings of a show that these viewers bought, not settled yet. */
export async function findHeldRecordings(
  tx: Tx,
  showId: number,
  viewerIds: readonly number[],
): Promise<TicketRecordingRow[]> {
  if (viewerIds.length === 0) return [];
  return bought(tx).where('show_id', '=', showId).where('viewer_id', 'in', [...viewerIds])
    .where('state', '=', 'held').orderBy('id').execute();
}

/** Recordings of these shows that a viewer bought, by show. */
export async function findRecordingsOf(
  tx: Tx,
  viewerId: number,
  showIds: readonly number[],
): Promise<ReadonlyMap<number, TicketRecordingRow>> {
  if (showIds.length === 0) return new Map();
  const rows = await bought(tx).where('viewer_id', '=', viewerId).where('show_id', 'in', [...showIds])
    .execute();
  return new Map(rows.map((row) => [row.show_id, row]));
}

export async function settleTicketRecording(
  tx: Tx,
  id: number,
  state: Exclude<TicketState, 'held'>,
): Promise<void> {
  await tables(tx).updateTable('shows.ticket_recordings').set({ state, settled_at: tx.now })
    .where('id', '=', id).execute();
}

/** Totals of paid recordings, by show; shows without one are left out. */
export async function sumRecordings(tx: Tx, showIds: readonly number[]): Promise<
  ReadonlyMap<number, {
    readonly paid: number;
    readonly tokens: number;
  }>
> {
  if (showIds.length === 0) return new Map();
  const rows = await tables(tx).selectFrom('shows.ticket_recordings').where('show_id', 'in', [...showIds])
    .where('state', '=', 'paid').groupBy('show_id').select([
      'show_id',
      sql<number>`count(*)::int`.as('paid'),
      sql<number>`sum(price)::int`.as('tokens'),
    ]).execute();
  return new Map(rows.map(({ show_id: id, ...sums }) => [id, sums]));
}
