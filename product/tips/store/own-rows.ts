import {
  changeRows,
  deleteRows,
  ownedRows,
  unreadRows,
  type EraseRows,
  type OwnedRows,
} from '#platform/data/database/owned-rows.ts';
import { sql } from 'kysely';

/** Amounts and days stay; the words of either person are redacted. */
const redactTips: EraseRows = async (tx, { id }, limit) =>
  await changeRows(
    tx,
    'tips.tips',
    sql`comment = '', app_data = '{}'::jsonb`,
    sql`sender_id = ${id} and (comment <> '' or app_data <> '{}'::jsonb)`,
    limit,
  )
  + await changeRows(
    tx,
    'tips.tips',
    sql`title = null`,
    sql`receiver_id = ${id} and title is not null`,
    limit,
  );

/** What this slice stores about a person, for their own copy. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'tips.tips',
    owner: 'sender_id',
    order: ['id'],
    people: ['receiver_id'],
    columns: ['receiver_id', 'tokens', 'comment', 'title', 'is_anonymous', 'at'],
    erase: {
      by: redactTips,
      keeps: 'tips are in the books, and in the history of whoever received or gave them',
    },
  }),
  ownedRows({
    table: 'tips.menu_items',
    owner: 'performer_id',
    order: ['id'],
    columns: ['title', 'price', 'ended_at'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'tips.goals',
    owner: 'performer_id',
    order: ['id'],
    columns: ['title', 'target', 'progress', 'made_at', 'reached_at', 'ended_at'],
    erase: 'rows',
  }),
  unreadRows('they hold digests and keys alone', {
    table: 'tips.overlays',
    owners: ['performer_id'],
    erase: 'rows',
  }),
  unreadRows('they are made of rows that the copy has', {
    table: 'tips.tippers',
    owners: ['sender_id', 'receiver_id'],
    erase: { keeps: 'who tipped whom first is counted; there are ids and days in it alone' },
  }),
  ...[
    { table: 'tips.allowed', owners: ['sender_id'] },
    { table: 'tips.recent', owners: ['sender_id', 'receiver_id'] },
  ].map((rows) => unreadRows('they are made of rows that the copy has', { ...rows, erase: 'rows' })),
  unreadRows('they are made of rows that the copy has', {
    table: 'tips.effects',
    owners: ['performer_id'],
    erase: {
      by: (tx, { id, names }, limit) =>
        deleteRows(
          tx,
          'tips.effects',
          sql`(performer_id = ${id} or sender_name = any(${[...names]}))`,
          limit,
        ),
    },
  }),
  unreadRows('it is what runs now', {
    table: 'tips.splitters',
    owners: ['person_id', 'performer_id'],
    erase: 'rows',
  }),
  unreadRows('it is what runs now', {
    table: 'tips.splits',
    owners: ['performer_id'],
    erase: {
      by: async (tx, { id }, limit) =>
        await changeRows(tx, 'tips.splits', sql`proposer_id = null`, sql`proposer_id = ${id}`, limit)
        + await deleteRows(tx, 'tips.splits', sql`performer_id = ${id}`, limit),
    },
  }),
];
