import { sql, type Generated } from 'kysely';
import type { Tx } from '#platform/data/data.ts';
import type { AccountType } from '../../rules.ts';
import { likeAnywhere, type PeopleQuery } from '../../rules/staff/people-search.ts';

interface PeopleTables {
  'accounts.people': {
    operator_id: Generated<number>; id: number; username: string; display_name: string; email: string;
    email_confirmed_at: Date | null; type: AccountType; roles: string[]; suspended_at: Date | null;
    deletion_at: Date | null; erased_at: Date | null; created_at: Date;
  };
}
const tables = (tx: Tx): ReturnType<typeof tx.sql<PeopleTables>> => tx.sql<PeopleTables>();

/** Accounts with an id below `before` that match a query by name, address or id; newest first. */
export async function findPeople(
  tx: Tx, { typed, text, id, isEmail }: PeopleQuery, before: number | null, limit: number,
) {
  const pattern = likeAnywhere(text);
  // A query without an at sign matches no domain, because thousands share one.
  const isFound = isEmail ? sql<boolean>`email like ${pattern}`
    : sql<boolean>`(username like ${pattern} or display_name ilike ${likeAnywhere(typed)}
      or email like ${`${pattern}@%`} or id = ${id})`;
  let found = tables(tx).selectFrom('accounts.people').select([
    'id', 'username', 'display_name as displayName', 'email', 'type', 'roles',
    'email_confirmed_at as confirmedAt', 'suspended_at as suspendedAt', 'erased_at as erasedAt',
    'created_at as createdAt',
  ]).where(isFound);
  if (before !== null) found = found.where('id', '<', before);
  return found.orderBy('id', 'desc').limit(limit).execute();
}
export type FoundPerson = Awaited<ReturnType<typeof findPeople>>[number];
