import type { Tx } from '#platform/data/data.ts';
import { sql, type Selectable, type Updateable } from 'kysely';
import { TICKETS_PAGE, type Absence, type TicketState } from '../rules/ticket-show.ts';
import type { ShowsTables } from './tables.ts';

type TicketShowsTable = ShowsTables['shows.ticket_shows'];
type TicketsTable = ShowsTables['shows.tickets'];
export type TicketShowRow = Selectable<TicketShowsTable>;
export type TicketRow = Selectable<TicketsTable>;
export type TicketShowChange = Omit<Updateable<TicketShowsTable>, 'operator_id' | 'id' | 'performer_id'>;
/** A ticket and its show. */
export type BoughtTicket =
  & TicketRow
  & Pick<
    TicketShowRow,
    | 'performer_id'
    | 'message'
    | 'end_reason'
    | 'starts_at'
    | 'started_at'
    | 'ended_at'
    | 'refund_minutes'
    | 'recorded_ms'
  >;

const tables = (tx: Tx): ReturnType<typeof tx.sql<ShowsTables>> => tx.sql<ShowsTables>();

/** Serializes changes to a performer's ticket show until the unit ends. */
export async function lockTicketShow(tx: Tx, performerId: number): Promise<void> {
  await tx.lock('shows.ticket_shows', performerId);
}

export const insertTicketShow = async (
  tx: Tx,
  show: Pick<
    TicketShowRow,
    | 'performer_id'
    | 'message'
    | 'ticket_price'
    | 'refund_minutes'
    | 'minimum_tickets'
    | 'minutes'
    | 'starts_at'
    | 'recording_price'
    | 'recording_consent_at'
    | 'recording_consent_version'
    | 'chat_line'
  >,
): Promise<TicketShowRow> =>
  tables(tx).insertInto('shows.ticket_shows')
    .values({
      ...show,
      phase: 'offered',
      offered_at: tx.now,
      started_at: null,
      away_since: null,
      ended_at: null,
      end_reason: null,
    })
    .returningAll().executeTakeFirstOrThrow();

/** The offered or running show of a performer. */
export async function findOpenTicketShow(tx: Tx, performerId: number): Promise<TicketShowRow | null> {
  return (await tables(tx).selectFrom('shows.ticket_shows').selectAll()
    .where('performer_id', '=', performerId).where('phase', 'in', ['offered', 'running'])
    .executeTakeFirst()) ?? null;
}

/** Which of these performers offer a ticket show, or are in one. */
export async function findTicketShowsAmong(
  tx: Tx,
  performerIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (performerIds.length === 0) return new Set();
  const rows = await tables(tx).selectFrom('shows.ticket_shows').select('performer_id')
    .where('performer_id', 'in', [...performerIds]).where('phase', 'in', ['offered', 'running']).execute();
  return new Set(rows.map(({ performer_id: id }) => id));
}

export async function findTicketShow(tx: Tx, id: number): Promise<TicketShowRow | null> {
  return (await tables(tx).selectFrom('shows.ticket_shows').selectAll().where('id', '=', id)
    .executeTakeFirst()) ?? null;
}

/** Running shows, after a start of the site. */
export const findRunningTicketShows = (tx: Tx): Promise<TicketShowRow[]> =>
  tables(tx).selectFrom('shows.ticket_shows').selectAll().where('phase', '=', 'running').orderBy('id')
    .execute();

/** A performer's shows that are over, newest first; one more than a page. */
export const findPastTicketShows = (
  tx: Tx,
  performerId: number,
  before: number | null,
): Promise<TicketShowRow[]> =>
  tables(tx).selectFrom('shows.ticket_shows').selectAll()
    .where('performer_id', '=', performerId).where('phase', 'in', ['ended', 'cancelled'])
    .$if(before !== null, (query) => query.where('id', '<', before ?? 0))
    .orderBy('id', 'desc').limit(TICKETS_PAGE + 1).execute();

export const changeTicketShow = async (
  tx: Tx,
  id: number,
  change: TicketShowChange,
): Promise<TicketShowRow> =>
  tables(tx).updateTable('shows.ticket_shows').set(change).where('id', '=', id)
    .returningAll().executeTakeFirstOrThrow();

/** Totals of tickets, by show; shows without settled tickets are left out. */
export async function sumTickets(tx: Tx, showIds: readonly number[]): Promise<
  ReadonlyMap<number, {
    readonly paid: number;
    readonly returned: number;
    readonly tokens: number;
  }>
> {
  if (showIds.length === 0) return new Map();
  const rows = await tables(tx).selectFrom('shows.tickets').where('show_id', 'in', [...showIds])
    .groupBy('show_id').select([
      'show_id',
      sql<number>`count(*) filter (where state = 'paid')::int`.as('paid'),
      sql<number>`count(*) filter (where state = 'returned')::int`.as('returned'),
      sql<number>`coalesce(sum(price) filter (where state = 'paid'), 0)::int`.as('tokens'),
    ]).execute();
  return new Map(rows.map(({ show_id: id, ...sums }) => [id, sums]));
}

export const insertTicket = async (
  tx: Tx,
  ticket: Pick<TicketRow, 'show_id' | 'viewer_id' | 'price' | 'region'>,
): Promise<TicketRow> =>
  tables(tx).insertInto('shows.tickets')
    .values({ ...ticket, bought_at: tx.now, state: 'held', settled_at: null })
    .returningAll().executeTakeFirstOrThrow();

/** A viewer's ticket, in any state. */
export async function findTicket(tx: Tx, showId: number, viewerId: number): Promise<TicketRow | null> {
  return (await tables(tx).selectFrom('shows.tickets').selectAll()
    .where('show_id', '=', showId).where('viewer_id', '=', viewerId).executeTakeFirst()) ?? null;
}

/** Tickets of a show whose tokens are set aside, oldest first. */
export const findHeldTickets = (tx: Tx, showId: number, atMost: number): Promise<TicketRow[]> =>
  tables(tx).selectFrom('shows.tickets').selectAll().where('show_id', '=', showId)
    .where('state', '=', 'held').orderBy('id').limit(atMost).execute();

/** Notes where a ticket holder watches from, or for how long they could not. */
export async function changeTicket(
  tx: Tx,
  id: number,
  { missed_in: missed, ...change }: Partial<
    Pick<
      TicketRow,
      'region' | 'served_region' | 'shut_out_since' | 'shut_out_ms' | 'full_since' | 'missed_in'
    >
  >,
): Promise<void> {
  const stored = missed === undefined ? {} : { missed_in: missed && JSON.stringify(missed) };
  await tables(tx).updateTable('shows.tickets').set({ ...change, ...stored }).where('id', '=', id).execute();
}

/** Adds a span without video to every ticket that was held during it. */
export async function addAbsence(tx: Tx, showId: number, { from, until }: Absence): Promise<void> {
  const [start, end] = [new Date(from), new Date(until)];
  const without = sql`${end}::timestamptz - greatest(bought_at, ${start}::timestamptz)`;
  await tables(tx).updateTable('shows.tickets')
    .set({ away_ms: sql<number>`away_ms + round(extract(epoch from ${without}) * 1000)::int` })
    .where('show_id', '=', showId).where('state', '=', 'held').where('bought_at', '<', end).execute();
}

export async function settleTicket(
  tx: Tx,
  id: number,
  state: Exclude<TicketState, 'held'>,
): Promise<void> {
  await tables(tx).updateTable('shows.tickets').set({ state, settled_at: tx.now }).where('id', '=', id)
    .execute();
}

/** Tickets a person bought, newest first; one more than a page. */
export const findTicketsOf = (tx: Tx, viewerId: number, before: number | null): Promise<BoughtTicket[]> =>
  tables(tx).selectFrom('shows.tickets as t')
    .innerJoin('shows.ticket_shows as s', (join) =>
      join
        .onRef('s.operator_id', '=', 't.operator_id').onRef('s.id', '=', 't.show_id'))
    .selectAll('t').select([
      's.performer_id',
      's.message',
      's.end_reason',
      's.starts_at',
      's.started_at',
      's.ended_at',
      's.refund_minutes',
      's.recorded_ms',
    ])
    .where('t.viewer_id', '=', viewerId)
    .$if(before !== null, (query) => query.where('t.id', '<', before ?? 0))
    .orderBy('t.id', 'desc').limit(TICKETS_PAGE + 1).execute();

/** Shows whose recording can be watched, newest first, below an id. */
export const findRecordedShows = (
  tx: Tx,
  before: number | null,
  limit: number,
): Promise<TicketShowRow[]> =>
  tables(tx).selectFrom('shows.ticket_shows').selectAll()
    .where('recorded_ms', 'is not', null)
    .$if(before !== null, (query) => query.where('id', '<', before ?? 0))
    .orderBy('id', 'desc').limit(limit).execute();

/** Performers of such shows, sorted by their newest show. */
export const findRecordedPerformers = async (tx: Tx, limit: number): Promise<number[]> => {
  const rows = await tables(tx).selectFrom('shows.ticket_shows').select('performer_id')
    .where('recorded_ms', 'is not', null).groupBy('performer_id')
    .orderBy(({ fn }) => fn.max('id'), 'desc').limit(limit).execute();
  return rows.map((row) => row.performer_id);
};
