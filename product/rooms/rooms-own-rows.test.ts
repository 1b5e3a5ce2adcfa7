import { askForCopy } from '#product/accounts/contract/life/own-data.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

it('puts every line that somebody wrote into the copy of their data, batch by batch', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  await site.tx((tx) =>
    sql`insert into rooms.messages (performer_id, id, sender_id, kind, body, tokens,
      recent_tips, is_performer, is_moderator, at)
    select ${performer.id}, 1000000 + n, ${viewer.id}, 'message', 'line ' || n, 0, 0, false, false, ${tx.now}
    from generate_series(1, 1201) n`.execute(tx.sql())
  );
  const { ticket } = await viewer.call(askForCopy, {});
  const { body } = await viewer.request({
    method: 'GET',
    url: `/api/v1/user/data.json?ticket=${encodeURIComponent(ticket)}`,
  });
  const { data } = JSON.parse(body) as { data: Record<string, { body: string; performer_id: string }[]> };
  const lines = data['rooms.messages'] ?? [];
  expect([lines.length, new Set(lines.map((line) => line.body)).size]).toEqual([1201, 1201]);
  expect(new Set(lines.map((line) => line.performer_id))).toEqual(new Set([performer.username]));
});
