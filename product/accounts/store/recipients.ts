import type { Tx } from '#platform/data/data.ts';
import type { FeaturedShow } from '#product/notices/rules.ts';
import { sql, type Selectable } from 'kysely';
import type { AccountsTables } from './tables.ts';

/** What notices read about somebody. */
export interface RecipientRow extends
  Pick<
    Selectable<AccountsTables['accounts.people']>,
    | 'id'
    | 'site_id'
    | 'username'
    | 'email'
    | 'email_confirmed_at'
    | 'suspended_at'
    | 'deletion_requested_at'
    | 'settings'
  >
{
  /** Confirmed as theirs; null without one. */
  readonly phone: string | null;
}

/** Those of these people who exist. */
export async function findRecipients(tx: Tx, ids: readonly number[]): Promise<RecipientRow[]> {
  return tx.sql<AccountsTables>().selectFrom('accounts.people as person')
    .leftJoin('accounts.phones as phone', (join) =>
      join
        .onRef('phone.operator_id', '=', 'person.operator_id').onRef('phone.person_id', '=', 'person.id'))
    .select([
      'id',
      'site_id',
      'username',
      'email',
      'email_confirmed_at',
      'suspended_at',
      'deletion_requested_at',
      'settings',
      'phone.number as phone',
    ])
    .where('id', '=', sql<number>`any(${[...ids]}::bigint[])`).execute();
}

export async function saveFeaturedShow(tx: Tx, id: number, choice: FeaturedShow): Promise<void> {
  const change = JSON.stringify({ featured_show_notification: choice });
  await sql`update accounts.people set settings = settings || ${change}::jsonb where id = ${id}`
    .execute(tx.sql<AccountsTables>());
}
