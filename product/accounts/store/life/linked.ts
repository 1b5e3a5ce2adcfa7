import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { MAX_LINKED_ACCOUNTS } from '../../rules/life/linked.ts';
import { findMany, lockPeople } from '../../store.ts';
import type { AccountsTables } from '../tables.ts';

/** Ids of the accounts that somebody can switch to, oldest link first. */
export async function linkedOf(tx: Tx, personId: number): Promise<number[]> {
  const rows = await tx.sql<AccountsTables>().selectFrom('accounts.linked').select('other_id')
    .where('person_id', '=', personId).orderBy('linked_at').orderBy('other_id').execute();
  return rows.map((row) => row.other_id);
}

/** Their usernames, in the same order. */
export async function linkedNamesOf(tx: Tx, personId: number): Promise<{ username: string }[]> {
  const ids = await linkedOf(tx, personId);
  const people = await findMany(tx, ids);
  return ids.flatMap((id) => people.get(id) ?? []).map(({ username }) => ({ username }));
}

/** Links two accounts with each other; false when either already has as many as it may. */
export async function insertLink(tx: Tx, personId: number, otherId: number): Promise<boolean> {
  await lockPeople(tx, [personId, otherId]);
  if ((await linkedOf(tx, personId)).includes(otherId)) return true;
  for (const id of [personId, otherId]) {
    if ((await linkedOf(tx, id)).length >= MAX_LINKED_ACCOUNTS) return false;
  }
  await tx.sql<AccountsTables>().insertInto('accounts.linked').values([
    { person_id: personId, other_id: otherId, linked_at: tx.now },
    { person_id: otherId, other_id: personId, linked_at: tx.now },
  ]).execute();
  return true;
}

/** Ends a link in both directions; false when there is none. */
export async function deleteLink(tx: Tx, personId: number, otherId: number): Promise<boolean> {
  const { rows } = await sql`delete from accounts.linked
    where (person_id = ${personId} and other_id = ${otherId})
      or (person_id = ${otherId} and other_id = ${personId}) returning 1`.execute(tx.sql<AccountsTables>());
  return rows.length > 0;
}
