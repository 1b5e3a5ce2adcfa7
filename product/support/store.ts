import type { Tx } from '#platform/data/data.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { REQUESTS_PER_PAGE, RETAIN_CLOSED_DAYS, type Topic } from './rules.ts';
import type { SupportTables } from './store/tables.ts';

export interface RequestRow {
  readonly id: number;
  readonly personId: number | null;
  readonly topic: Topic;
  readonly message: string;
  readonly email: string | null;
  readonly at: Date;
  readonly closedAt: Date | null;
}

const COLUMNS = [
  'id',
  'person_id as personId',
  'topic',
  'message',
  'email',
  'at',
  'closed_at as closedAt',
] as const;

export async function countOpen(tx: Tx, personId: number): Promise<number> {
  const { count } = await tx.sql<SupportTables>().selectFrom('support.requests')
    .select((query) => query.fn.countAll<number>().as('count'))
    .where('person_id', '=', personId).where('closed_at', 'is', null).executeTakeFirstOrThrow();
  return count;
}

/** Stores a request, and erases requests closed long ago. */
export async function insertRequest(
  tx: Tx,
  request: Pick<RequestRow, 'personId' | 'topic' | 'message' | 'email'>,
): Promise<number> {
  const { personId, topic, message, email } = request;
  const { id } = await tx.sql<SupportTables>().insertInto('support.requests')
    .values({ person_id: personId, topic, message, email, at: tx.now, closed_at: null })
    .returning('id').executeTakeFirstOrThrow();
  await tx.sql<SupportTables>().deleteFrom('support.requests')
    .where('closed_at', '<', new Date(tx.now.getTime() - RETAIN_CLOSED_DAYS * DAY_MS)).execute();
  return id;
}

/** A page of open or closed requests older than `before`, newest first. */
export function selectRequests(tx: Tx, isClosed: boolean, before: number | null): Promise<RequestRow[]> {
  return tx.sql<SupportTables>().selectFrom('support.requests').select(COLUMNS)
    .where('closed_at', isClosed ? 'is not' : 'is', null)
    .$if(before !== null, (query) => query.where('id', '<', before))
    .orderBy('id', 'desc').limit(REQUESTS_PER_PAGE).execute();
}

/** Closes a request; null for an unknown one. A closed request stays as it is. */
export async function close(tx: Tx, id: number): Promise<RequestRow | null> {
  await tx.sql<SupportTables>().updateTable('support.requests').set({ closed_at: tx.now })
    .where('id', '=', id).where('closed_at', 'is', null).execute();
  return await tx.sql<SupportTables>().selectFrom('support.requests').select(COLUMNS)
    .where('id', '=', id).executeTakeFirst() ?? null;
}
