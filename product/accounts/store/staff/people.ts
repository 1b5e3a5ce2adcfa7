import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { likeAnywhere, type PeopleQuery } from '../../rules/staff/people-search.ts';
import type { SuspensionNotice } from '../../rules/staff/suspensions.ts';
import type { AccountsTables } from '../tables.ts';

const tables = (tx: Tx): ReturnType<typeof tx.sql<AccountsTables>> => tx.sql<AccountsTables>();

/** Accounts with an id below `before` that match a query by name, address or id; newest first. */
export async function findPeople(
  tx: Tx,
  { typed, text, id, isEmail }: PeopleQuery,
  before: number | null,
  limit: number,
) {
  const pattern = likeAnywhere(text);
  // A query without an at sign matches no domain, because thousands share one.
  const isFound = isEmail
    ? sql<boolean>`email like ${pattern}`
    : sql<boolean>`(username like ${pattern} or display_name ilike ${likeAnywhere(typed)}
      or email like ${`${pattern}@%`} or id = ${id})`;
  let found = tables(tx).selectFrom('accounts.people').select([
    'id',
    'username',
    'display_name as displayName',
    'email',
    'type',
    'roles',
    'email_confirmed_at as confirmedAt',
    'suspended_at as suspendedAt',
    'erased_at as erasedAt',
    'created_at as createdAt',
  ]).where(isFound);
  if (before !== null) found = found.where('id', '<', before);
  return found.orderBy('id', 'desc').limit(limit).execute();
}
export type FoundPerson = Awaited<ReturnType<typeof findPeople>>[number];

/** Saves what a suspended person reads from now on. */
export async function saveSuspensionNotice(
  tx: Tx,
  id: number,
  { cause, message }: SuspensionNotice,
): Promise<void> {
  await tables(tx)
    .updateTable('accounts.people')
    .set({ suspension_cause: cause, suspension_message: message })
    .where('id', '=', id)
    .execute();
}
