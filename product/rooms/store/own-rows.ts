import {
  changeRows,
  countOf,
  deleteRows,
  ownedRows,
  unreadRows,
  type EraseRows,
  type OwnedRows,
} from '#platform/data/database/owned-rows.ts';
import { sql } from 'kysely';
import { messagesRemoved } from '../contract/moderation.ts';

/** Erases messages of a person or in their room, and quotes of theirs in other people's messages. */
const eraseMessages = (table: string): EraseRows => async (tx, { id }, limit) =>
  await changeRows(
    tx,
    table,
    sql`reply_to = null, reply_sender_id = null, reply_excerpt = null`,
    sql`reply_sender_id = ${id}`,
    limit,
  )
  + await deleteRows(tx, table, sql`(sender_id = ${id} or performer_id = ${id})`, limit);

/**
 * Deletes the log of the person's own room. In other rooms their entries become removals, because the log has
 * no gaps; quotes of them are deleted, too.
 */
const eraseLog: EraseRows = async (tx, { id, names, displayName }, limit) => {
  const quoted = sql`(l.payload #>> '{reply,display_name}' = ${displayName} or exists (
    select from rooms.log said where said.performer_id = l.performer_id and said.subject_id = ${id}
      and said.seq = (l.payload #>> '{reply,id}')::bigint))`;
  // Entries already replaced by removals do not match again.
  const isNamed = sql`(name <> ${messagesRemoved.name} or subject_id is not null or named is not null)
    and (subject_id = ${id} or exists (select from rooms.messages m
      where m.performer_id = log.performer_id and m.id = log.seq and m.sender_id = ${id})
    or exists (select from unnest(${[...names]}::text[]) as n
    where position('"' || n || '"' in payload::text || coalesce(named::text, '')) > 0))`;
  return await deleteRows(tx, 'rooms.log', sql`performer_id = ${id}`, limit)
    + await countOf(
      tx,
      sql`update rooms.log set payload = payload || '{"reply": null}'::jsonb
      where ctid = any(array(select l.ctid from rooms.log l
        where l.payload -> 'reply' <> 'null'::jsonb and ${quoted} limit ${limit}))`,
    )
    + await changeRows(
      tx,
      'rooms.log',
      sql`name = ${messagesRemoved.name}, named = null, subject_id = null,
      payload = jsonb_build_object('ids', jsonb_build_array(seq))`,
      isNamed,
      limit,
    );
};

/** Personal data that this slice stores, as the person may read it. */
export const ownRows: readonly OwnedRows[] = [
  // Erased before the messages, which are needed to find lines that name nobody.
  unreadRows('it is made of rows that the copy has', {
    table: 'rooms.log',
    owners: ['performer_id', 'subject_id'],
    erase: { by: eraseLog },
  }),
  ownedRows({
    table: 'rooms.messages',
    owner: 'sender_id',
    order: ['performer_id', 'id'],
    people: ['performer_id'],
    columns: ['performer_id', 'kind', 'body', 'tokens', 'at'],
    erase: { by: eraseMessages('rooms.messages') },
  }),
  // The other person in a show did not write it: it is only in the sender's copy.
  ownedRows({
    table: 'rooms.show_messages',
    owner: 'sender_id',
    order: ['performer_id', 'id'],
    people: ['performer_id'],
    columns: ['performer_id', 'kind', 'body', 'tokens', 'at'],
    erase: { by: eraseMessages('rooms.show_messages') },
  }),
  ownedRows({
    table: 'rooms.settings',
    owner: 'performer_id',
    order: ['performer_id'],
    columns: [
      'follow_enabled',
      'is_user_list_visible',
      'broadcast_category',
      'subject_color',
      'notice',
      'notice_minutes',
    ],
    erase: 'rows',
  }),
  ownedRows({
    table: 'rooms.invisible',
    owner: 'person_id',
    order: ['person_id'],
    columns: ['level'],
    erase: 'rows',
  }),
  unreadRows('they hold digests and keys alone', {
    table: 'rooms.password_proofs',
    owners: ['performer_id'],
    erase: 'rows',
  }),
  unreadRows('it is what runs now', {
    table: 'rooms.rooms',
    owners: ['performer_id'],
    erase: 'rows',
  }),
];
