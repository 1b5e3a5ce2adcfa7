import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import type { Member, TestSite } from '../site.ts';

/** Makes paid memberships end a millisecond ago, as if their last day had passed. */
export async function endMemberships(tx: Tx): Promise<void> {
  const ended = new Date(tx.now.getTime() - 1);
  await sql`update billing.memberships set ends_at = ${ended}`.execute(tx.sql());
}

/** Ends the current month of every fan club membership of a person. */
export const endFanclubMonths = (site: TestSite, { id }: Pick<Member, 'id'>): Promise<unknown> =>
  site.tx((tx) =>
    sql`update fanclubs.memberships set ended_at = ${tx.now} where member_id = ${id}`
      .execute(tx.sql())
  );
