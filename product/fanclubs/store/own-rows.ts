import { removeStored } from '#platform/data/blobs.ts';
import { ownedRows, type EraseRows, type OwnedRows } from '#platform/data/database/owned-rows.ts';
import { sql } from 'kysely';
import { POST_PICTURE_REMOVAL } from '../rules/posts.ts';

/** The files of pictures are removed after the commit, as when a post is deleted. */
const erasePosts: EraseRows = async (tx, { id }, limit) => {
  const { rows } = await sql<{ key: string | null; blob: string }>`
    delete from fanclubs.posts where performer_id = ${id} and id in (
      select id from fanclubs.posts where performer_id = ${id} order by id limit ${limit})
    returning picture_key as key, picture_blob as blob`.execute(tx.sql());
  for (const { key, blob } of rows) {
    if (key !== null) await removeStored(tx, POST_PICTURE_REMOVAL, { key, blobs: [blob] });
  }
  return rows.length;
};

/** What this slice stores about a person, for their own copy. Payments stay in the ledger. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'fanclubs.clubs',
    owner: 'performer_id',
    order: ['performer_id'],
    columns: [
      'enabled',
      'description',
      'price_supporter',
      'price_insider',
      'price_legend',
      'perks',
      'saved_at',
    ],
    erase: 'rows',
  }),
  ownedRows({
    table: 'fanclubs.posts',
    owner: 'performer_id',
    order: ['id'],
    columns: ['audience', 'body', 'is_pinned', 'picture_key', 'created_at', 'changed_at'],
    erase: { by: erasePosts },
  }),
  ownedRows({
    table: 'fanclubs.memberships',
    owner: 'member_id',
    order: ['id'],
    people: ['performer_id'],
    columns: [
      'performer_id',
      'level',
      'price',
      'paid',
      'paid_from',
      'paid_until',
      'renews',
      'next_level',
      'next_price',
      'since',
      'ended_at',
    ],
    alsoOf: ['performer_id'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'fanclubs.dues',
    owner: 'member_id',
    order: ['paid_at', 'operation'],
    people: ['performer_id'],
    columns: ['performer_id', 'kind', 'level', 'tokens', 'paid_at'],
    alsoOf: ['performer_id'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'fanclubs.announcements',
    owner: 'person_id',
    order: ['person_id'],
    columns: ['seen_at'],
    erase: 'rows',
  }),
];
