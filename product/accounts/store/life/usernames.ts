import type { Tx } from '#platform/data/data.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { sql } from 'kysely';
import {
  bareLookOf,
  bareOf,
  FORMER_NAME_DAYS,
  RESERVED_NAME_DAYS,
  skeletonOf,
} from '../../rules/life/usernames.ts';
import { findById, findByUsername, type Account } from '../../store.ts';
import type { AccountsTables } from '../tables.ts';

const daysAgo = (tx: Tx, days: number): Date => new Date(tx.now.getTime() - days * DAY_MS);

/** `bareLookOf` of a row's username, written exactly as its index has it. */
const bareLook = (table: 'p' | 'f') =>
  sql`replace(replace(
  translate(${sql.ref(`${table}.username`)}, '01_-', 'ol'), 'rn', 'm'), 'vv', 'w')`;

/**
 * Whether nobody else has a claim to a name: as their username or one that differs only by separators; as one
 * they gave up lately; or, for performers and staff, as one that looks the same, with or without separators.
 * Until the unit of work ends, nobody else gets or gives up such a name.
 * @param username lower case @param personId null for a new account
 */
export async function takeName(tx: Tx, username: string, personId: number | null): Promise<boolean> {
  const [skeleton, bare, look] = [skeletonOf(username), bareOf(username), bareLookOf(username)];
  await lockNames(tx, keysOf(username));
  const me = personId ?? 0;
  const { rows } = await sql`
    select 1 from accounts.people p
      where (p.skeleton = ${skeleton} or ${bareLook('p')} = ${look}) and p.id <> ${me}
      and (translate(p.username, '_-', '') = ${bare} or p.type = 'model' or p.roles <> '{}')
    union all
    select 1 from accounts.former_usernames f
      where (f.skeleton = ${skeleton} or ${bareLook('f')} = ${look}) and f.person_id <> ${me}
      and f.given_up_at > ${daysAgo(tx, RESERVED_NAME_DAYS)}
    limit 1`.execute(tx.sql<AccountsTables>());
  return rows.length === 0;
}

/** Keys that conflicting names share, to be locked. */
const keysOf = (username: string): string[] => [skeletonOf(username), `bare ${bareLookOf(username)}`];

/** In a fixed order, so that two people who swap names cannot deadlock. */
async function lockNames(tx: Tx, skeletons: readonly string[]): Promise<void> {
  for (const skeleton of [...new Set(skeletons)].toSorted()) await tx.lock('accounts.name', skeleton);
}

/** When a person's username was last changed; null for never. */
export async function usernameChangedAt(tx: Tx, personId: number): Promise<Date | null> {
  const row = await tx.sql<AccountsTables>().selectFrom('accounts.people').select('username_changed_at')
    .where('id', '=', personId).executeTakeFirst();
  return row?.username_changed_at ?? null;
}

/** Locks the names of a change, to be compared later in the unit of work. */
export const lockChange = (tx: Tx, before: string, username: string): Promise<void> =>
  lockNames(tx, [...keysOf(before), ...keysOf(username)]);

/**
 * Gives a person another username, and reserves the former one for them.
 * @param changedAt when they chose it; null where they did not
 */
export async function saveUsername(
  tx: Tx,
  { id, username: before }: Pick<Account, 'id' | 'username'>,
  { username, displayName }: Pick<Account, 'username' | 'displayName'>,
  changedAt: Date | null,
): Promise<void> {
  await tx.sql<AccountsTables>().updateTable('accounts.people')
    .set({ username, display_name: displayName, username_changed_at: changedAt })
    .where('id', '=', id).execute();
  await tx.sql<AccountsTables>().deleteFrom('accounts.former_usernames')
    .where('username', '=', username).execute();
  await tx.sql<AccountsTables>().insertInto('accounts.former_usernames')
    .values({ username: before, person_id: id, given_up_at: tx.now })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'username'])
        .doUpdateSet({ person_id: id, given_up_at: tx.now })
    )
    .execute();
}

/** Finds a person by a username, or by one given up lately; null for none. @param username lower case */
export async function findByName(tx: Tx, username: string): Promise<Account | null> {
  const person = await findByUsername(tx, username);
  if (person || username.includes('\0')) return person;
  const row = await tx.sql<AccountsTables>().selectFrom('accounts.former_usernames').select('person_id')
    .where('username', '=', username).where('given_up_at', '>', daysAgo(tx, FORMER_NAME_DAYS))
    .executeTakeFirst();
  return row ? findById(tx, row.person_id) : null;
}
