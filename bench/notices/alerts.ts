/**
 * Go-live alerts: 10,000 followers of one performer are notified, each once, in a whole site on PGlite, from
 * the first media of the broadcast until the last of them has the notice and the number for their tabs is
 * published. Baseline: the same 10,000 rows inserted into an empty table by one statement per batch of the
 * same size, each in a unit of work.
 */
import { systemClock } from '#platform/data/clock.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { median, ratio } from '../delivery/figures.ts';

const smoke = process.argv.includes('--smoke');
const FOLLOWERS = smoke ? 500 : 10_000;
const TURNS = smoke ? 1 : 3;
const BATCH = 250;
/** The aim: all of them within half a minute. */
const AIM_MS = 30_000;

const msOf = async (work: () => Promise<unknown>): Promise<number> => {
  const before = systemClock.now().getTime();
  await work();
  return systemClock.now().getTime() - before;
};

/** People and follows as SQL: signing up ten thousand would be the bench. */
async function addFollowers(site: TestSite, performerId: number): Promise<void> {
  await site.tx(async (tx) => {
    await sql`
      with fans as (
        insert into accounts.people (site_id, username, display_name, email, email_confirmed_at, type,
          birth_date, created_at, settings)
        select 1, 'fan' || n, 'Fan ' || n, 'fan' || n || '@people.example', ${tx.now}::timestamptz, 'user',
          '1990-01-01', ${tx.now}::timestamptz, '{"featured_show_notification":"web"}'
        from generate_series(1, ${FOLLOWERS}::int) n returning id)
      insert into messaging.follows (viewer_id, performer_id, created_at)
      select id, ${performerId}, ${tx.now}::timestamptz from fans`.execute(tx.sql());
  });
}

async function bare(site: TestSite): Promise<number> {
  await site.tx((tx) =>
    sql`create temporary table if not exists bare (person_id bigint, kind text,
    values jsonb, link text, once text, created_at timestamptz)`.execute(tx.sql())
  );
  return msOf(async () => {
    for (let from = 0; from < FOLLOWERS; from += BATCH) {
      await site.tx((tx) =>
        sql`
        insert into bare select n, 'messaging:notices.wentLive', '{"name":"star"}', '/star', 'live', ${tx.now}
        from generate_series(1, ${BATCH}::int) n`.execute(tx.sql())
      );
    }
  });
}

const turns: { readonly alerts: number; readonly rows: number }[] = [];
for (let turn = 0; turn < TURNS; turn += 1) {
  const site = await createSite({ checkOutputs: false });
  const performer = await site.performer({ username: 'star' });
  await addFollowers(site, performer.id);
  const rows = await bare(site);
  const alerts = await msOf(() => performer.goesLive());
  const { rows: [count] } = await site.tx((tx) =>
    sql<{ notified: number; people: number }>`
    select count(*) as notified, count(distinct person_id) as people from notices.notices
    where kind = 'messaging:notices.wentLive'`.execute(tx.sql())
  );
  if (count?.notified !== FOLLOWERS || count.people !== FOLLOWERS) {
    throw new Error(`${count?.notified} notices of ${count?.people} people, not of ${FOLLOWERS}`);
  }
  turns.push({ alerts, rows });
  await site.close();
}
const alerts = median(turns.map((turn) => turn.alerts));
const rows = median(turns.map((turn) => turn.rows));
console.log(`go-live alerts to ${FOLLOWERS} followers, each once (aim: within ${AIM_MS / 1_000} s)`);
console.log(`  notified       ${alerts} ms`);
console.log(`  bare rows      ${rows} ms`);
console.log(`  ratio          ${ratio(alerts, rows)}`);
