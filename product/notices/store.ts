import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { MAX_NOTICES, NOTICE_MS } from './rules.ts';
import type { NoticesTables } from './store/tables.ts';

/** A stored notice of a person's list. */
export interface NoticeRow {
  readonly id: number;
  readonly kind: string;
  readonly values: Record<string, string | number>;
  readonly link: string;
  readonly created_at: Date;
  readonly read_at: Date | null;
}

export interface NewNotice {
  readonly personId: number;
  /** Whether it is in the person's list. */
  readonly isListed: boolean;
}

const tables = (tx: Tx): ReturnType<typeof tx.sql<NoticesTables>> => tx.sql<NoticesTables>();

/**
 * Stores a notice for each of these people in one statement.
 * @param once names the occasion: nobody gets a second notice of the same one
 * @returns the people who did not have it yet
 */
export async function insertNotices(tx: Tx, people: readonly NewNotice[], notice: {
  readonly kind: string;
  readonly values: Readonly<Record<string, string | number>>;
  readonly link: string;
  readonly once: string | null;
}): Promise<ReadonlySet<number>> {
  const { kind, values, link, once } = notice;
  const { rows } = await sql<{ person_id: number }>`
    insert into notices.notices (person_id, kind, values, link, once, listed, created_at)
    select n.person_id, ${kind}, ${JSON.stringify(values)}::jsonb, ${link}, ${once}, n.listed, ${tx.now}
    from unnest(${people.map(({ personId }) => personId)}::bigint[],
      ${people.map(({ isListed }) => isListed)}::boolean[]) as n(person_id, listed)
    on conflict (operator_id, person_id, once) do nothing
    returning person_id`.execute(tables(tx));
  return new Set(rows.map(({ person_id: id }) => id));
}

/** Old notices checked with each new one: more than one, so that a list shrinks after a pause. */
const SWEPT = 20;

/** Deletes notices that lists do not retain: those beyond the newest, and old ones. */
export async function trimNotices(tx: Tx, personIds: readonly number[]): Promise<void> {
  const oldest = new Date(tx.now.getTime() - NOTICE_MS);
  await sql`
    delete from notices.notices n using (
      select x.id from unnest(${[...personIds]}::bigint[]) as p(person_id) cross join lateral (
        (select id from notices.notices where person_id = p.person_id
         order by id desc offset ${MAX_NOTICES})
        union
        select o.id from (select id, created_at from notices.notices where person_id = p.person_id
          order by id limit ${SWEPT}) o where o.created_at < ${oldest}) x) gone
    where n.id = gone.id`.execute(tables(tx));
}

/** A page of a person's list, older than `before`, newest first. */
export async function findNotices(tx: Tx, personId: number, { before, isUnread, limit }: {
  readonly before: number | null;
  readonly isUnread: boolean;
  readonly limit: number;
}): Promise<NoticeRow[]> {
  return tables(tx).selectFrom('notices.notices')
    .select(['id', 'kind', 'values', 'link', 'created_at', 'read_at'])
    .where('person_id', '=', personId).where('listed', '=', true)
    .$if(before !== null, (query) => query.where('id', '<', before))
    .$if(isUnread, (query) => query.where('read_at', 'is', null))
    .orderBy('id', 'desc').limit(limit).execute();
}

/** Unread notices in the list of each of these people; people without any are left out. */
export async function countUnread(
  tx: Tx,
  personIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  // Person by person, because for many people at once the planner reads the whole table.
  const { rows } = await sql<{ person_id: number; count: number }>`
    select p.person_id, c.count from unnest(${[...personIds]}::bigint[]) as p(person_id) cross join lateral (
      select count(*) as count from notices.notices n
      where n.operator_id = ${tx.operatorId} and n.person_id = p.person_id
        and n.listed and n.read_at is null) c
    where c.count > 0`.execute(tables(tx));
  return new Map(rows.map(({ person_id: id, count }) => [id, count]));
}

/** Marks a notice as read or unread; false when the person has no such notice in their list. */
export async function saveRead(tx: Tx, personId: number, id: number, isRead: boolean): Promise<boolean> {
  const { numUpdatedRows } = await tables(tx).updateTable('notices.notices')
    .set({ read_at: isRead ? tx.now : null })
    .where('person_id', '=', personId).where('id', '=', id).where('listed', '=', true).executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Marks a person's notices as read, up to one of them. Returns how many were unread. */
export async function saveAllRead(tx: Tx, personId: number, upTo: number): Promise<number> {
  const { numUpdatedRows } = await tables(tx).updateTable('notices.notices').set({ read_at: tx.now })
    .where('person_id', '=', personId).where('id', '<=', upTo).where('listed', '=', true)
    .where('read_at', 'is', null).executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Takes a notice out of a person's list; the row stays as a record that they were notified. */
export async function unlist(tx: Tx, personId: number, id: number): Promise<boolean> {
  const { numUpdatedRows } = await tables(tx).updateTable('notices.notices').set({ listed: false })
    .where('person_id', '=', personId).where('id', '=', id).where('listed', '=', true).executeTakeFirst();
  return numUpdatedRows > 0n;
}
