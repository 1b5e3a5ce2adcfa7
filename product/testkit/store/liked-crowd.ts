import { topicChannel } from '#platform/contract/event.ts';
import { sql } from 'kysely';
import type { TestSite } from '../site.ts';

interface LikedPerformer {
  readonly id: number;
  readonly username: string;
}

/**
 * Offline performers with likes: only their rows, so that thousands take a moment. The first has the
 * most likes, each next one less. They are in the order of their likes.
 */
export async function likedCrowd(
  site: TestSite,
  count: number,
  prefix: string,
): Promise<readonly LikedPerformer[]> {
  const people = await site.tx(async (tx) => {
    const insert = sql<LikedPerformer>`
      insert into accounts.people
        (site_id, username, display_name, email, type, gender, birth_date, email_confirmed_at, created_at)
      select ${site.scope.siteId}::bigint, ${prefix}::text || n, ${prefix}::text || n,
        ${prefix}::text || n || '@people.example', 'model', 'f', '1996-01-15', ${tx.now}, ${tx.now}
      from generate_series(1, ${count}::int) n order by n
      returning id, username`;
    const { rows } = await insert.execute(tx.sql());
    const ids = rows.map(({ id }) => id);
    await sql`
      insert into compliance.clearances (performer_id, decided_as, reason, decided_at, expires_at)
      select id, 'system', 'seen by the testkit', ${tx.now}, ${tx.now}::timestamptz + interval '1 year'
      from unnest(${ids}::bigint[]) id`.execute(tx.sql());
    await sql`
      insert into browse.like_counts (performer_id, period, gender, likes, reached_at)
      select id, 'all', 'f', ${count}::int + 1 - place, ${tx.now}
      from unnest(${ids}::bigint[]) with ordinality as liked (id, place)`.execute(tx.sql());
    return rows;
  });
  await site.data.bus.publishAll(people.map(({ id: performerId }) => ({
    operatorId: site.scope.operatorId,
    channel: topicChannel('internal.directory'),
    name: 'internal.directory',
    payload: { performerId, hides: false },
  })));
  await site.settle();
  return people;
}
