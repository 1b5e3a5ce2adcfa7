import type { Tx } from '#platform/data/data.ts';
import {
  changeRows,
  deleteRows,
  ownedRows,
  unreadRows,
  type EraseRows,
  type OwnedRows,
} from '#platform/data/database/owned-rows.ts';
import { sql } from 'kysely';

const MODERATION = 'moderators and authorities must be able to ask who was excluded, and when';

/** A reason may quote what its subject said; whoever typed it wrote it in their own words. */
const withReasonOf = (id: number) => sql`(person_id = ${id} or by_id = ${id}) and reason <> ''`;

/** The reasons in the audit log that the person typed about others, as long as there are any. */
async function forgetTypedReasons(tx: Tx, id: number, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(platform.forget_reasons(a.subject, ${limit}::int, ${id})), 0)::int as count from (
      select distinct case when person_id is null then 'guest:' || guest_name else 'person:' || person_id end
        as subject
      from room_moderation.actions where by_id = ${id}) a`.execute(tx.sql());
  return rows[0]?.count ?? 0;
}

const eraseReasons = (table: string): EraseRows => (tx, { id }, limit) =>
  changeRows(tx, table, sql`reason = ''`, withReasonOf(id), limit);

const eraseActionReasons: EraseRows = async (tx, person, limit) => {
  const cleared = await eraseReasons('room_moderation.actions')(tx, person, limit);
  return cleared > 0 ? cleared : forgetTypedReasons(tx, person.id, limit);
};

/** Personal data that this slice stores, as the person may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'room_moderation.restrictions',
    owner: 'person_id',
    order: ['id'],
    people: ['performer_id'],
    columns: ['performer_id', 'kind', 'reason', 'at', 'until', 'ended_at'],
    erase: { by: eraseReasons('room_moderation.restrictions'), keeps: MODERATION },
  }),
  ownedRows({
    table: 'room_moderation.rules',
    owner: 'performer_id',
    order: ['performer_id'],
    columns: ['preset', 'chat_allowed', 'slow_mode_seconds', 'links', 'blocked_words', 'changed_at'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'room_moderation.held',
    owner: 'person_id',
    order: ['id'],
    people: ['performer_id'],
    columns: ['performer_id', 'body', 'at'],
    alsoOf: ['performer_id'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'room_moderation.speakers',
    owner: 'person_id',
    order: ['performer_id'],
    people: ['performer_id'],
    columns: ['performer_id', 'entered_at', 'seen_at', 'last_said_at', 'strikes', 'silences', 'silenced_at'],
    alsoOf: ['performer_id'],
    erase: 'rows',
  }),
  unreadRows('they protect rooms from whoever evades a ban', {
    table: 'room_moderation.marks',
    owners: ['performer_id'],
    erase: { keeps: MODERATION },
  }),
  unreadRows('they protect rooms from whoever evades a ban', {
    table: 'room_moderation.sketches',
    owners: ['person_id', 'performer_id'],
    erase: 'rows',
  }),
  unreadRows('they protect rooms from whoever evades a ban', {
    table: 'room_moderation.traces',
    owners: [],
    erase: {
      by: (tx, { id }, limit) =>
        deleteRows(tx, 'room_moderation.traces', sql`who = ${`person:${id}`}`, limit),
    },
  }),
  unreadRows('they are about what moderators did to others', {
    table: 'room_moderation.actions',
    owners: ['performer_id', 'person_id'],
    erase: { by: eraseActionReasons, keeps: MODERATION },
  }),
];
