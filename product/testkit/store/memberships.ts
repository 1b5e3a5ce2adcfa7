import { sql } from 'kysely';
import type { Tx } from '#platform/data/data.ts';
import type { Member, TestSite } from '../site.ts';

/** Memberships that are paid up to some day ended a millisecond ago, as if that day had passed. */
export async function endMemberships(tx: Tx): Promise<void> {
  const ended = new Date(tx.now.getTime() - 1);
  await sql`update billing.memberships set ends_at = ${ended}`.execute(tx.sql());
}

/** The month of every fan club that somebody is a member of is over now. */
export const endFanclubMonths = (site: TestSite, { id }: Pick<Member, 'id'>): Promise<unknown> =>
  site.tx((tx) => sql`update fanclubs.memberships set ended_at = ${tx.now} where member_id = ${id}`
    .execute(tx.sql()));
