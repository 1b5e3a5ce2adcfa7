import { sql, type Generated } from 'kysely';
import type { Tx } from '#platform/data/data.ts';
import type { FeaturedShow } from '#product/notices/rules.ts';

interface RecipientTables {
  'accounts.people': {
    operator_id: Generated<number>; id: number; site_id: number; username: string; email: string;
    email_confirmed_at: Date | null; suspended_at: Date | null; deletion_requested_at: Date | null;
    settings: { readonly locale?: string; readonly featured_show_notification?: FeaturedShow };
  };
  'accounts.phones': { operator_id: Generated<number>; person_id: number; number: string };
}

/** What notices read about somebody. */
export interface RecipientRow extends Omit<RecipientTables['accounts.people'], 'operator_id'> {
  /** Confirmed as theirs; null without one. */
  readonly phone: string | null;
}

/** Those of these people who exist. */
export async function findRecipients(tx: Tx, ids: readonly number[]): Promise<RecipientRow[]> {
  return tx.sql<RecipientTables>().selectFrom('accounts.people as person')
    .leftJoin('accounts.phones as phone', (join) => join
      .onRef('phone.operator_id', '=', 'person.operator_id').onRef('phone.person_id', '=', 'person.id'))
    .select(['id', 'site_id', 'username', 'email', 'email_confirmed_at', 'suspended_at',
      'deletion_requested_at', 'settings', 'phone.number as phone'])
    .where('id', '=', sql<number>`any(${[...ids]}::bigint[])`).execute();
}

export async function saveFeaturedShow(tx: Tx, id: number, choice: FeaturedShow): Promise<void> {
  const change = JSON.stringify({ featured_show_notification: choice });
  await sql`update accounts.people set settings = settings || ${change}::jsonb where id = ${id}`
    .execute(tx.sql<RecipientTables>());
}
