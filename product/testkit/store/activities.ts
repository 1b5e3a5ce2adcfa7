import type { Activity } from '#product/rooms/rules.ts';
import { sql } from 'kysely';
import type { Member, TestSite } from '../site.ts';

/** Sets what keeps a performer busy, which only a show could do otherwise. */
export const setActivity = (site: TestSite, { id }: Pick<Member, 'id'>, activity: Activity | null) =>
  site.tx(async (tx) => {
    await sql`update rooms.rooms set activity = ${activity} where performer_id = ${id}`.execute(tx.sql());
  });
