import { ownedRows, unreadRows, type EraseRows, type OwnedRows } from '#platform/data/database/owned-rows.ts';
import { sql } from 'kysely';

/** As if the person had ended each follow: performers lose a follower. */
const eraseFollows: EraseRows = async (tx, { id }, limit) => {
  const { rows } = await sql<{ performerId: number; followers: number }>`
    with gone as (
      delete from messaging.follows where ctid = any(array(select ctid from messaging.follows
        where viewer_id = ${id} or performer_id = ${id} limit ${limit})) returning performer_id
    ), lost as (select performer_id, count(*)::int as followers from gone group by performer_id),
    counted as (update messaging.follower_counts c set followers = c.followers - lost.followers
      from lost where c.performer_id = lost.performer_id)
    select performer_id as "performerId", followers from lost`.execute(tx.sql());
  return rows.reduce((sum, { followers }) => sum + followers, 0);
};

/** What this slice stores about a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'messaging.follows',
    owner: 'viewer_id',
    order: ['id'],
    people: ['performer_id'],
    columns: ['performer_id', 'created_at'],
    erase: { by: eraseFollows },
  }),
  ownedRows({
    table: 'messaging.hides',
    owner: 'viewer_id',
    order: ['id'],
    people: ['performer_id'],
    columns: ['performer_id', 'created_at'],
    alsoOf: ['performer_id'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'messaging.ignores',
    owner: 'person_id',
    order: ['id'],
    people: ['ignored_id'],
    columns: ['ignored_id', 'created_at'],
    alsoOf: ['ignored_id'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'messaging.notes',
    owner: 'author_id',
    order: ['subject_id'],
    people: ['subject_id'],
    columns: ['subject_id', 'note', 'updated_at'],
    alsoOf: ['subject_id'],
    erase: 'rows',
  }),
  ...['alerts', 'follower_counts'].map((table) =>
    unreadRows('they are made of rows that the copy has', {
      table: `messaging.${table}`,
      owners: ['performer_id'],
      erase: 'rows',
    })
  ),
];
