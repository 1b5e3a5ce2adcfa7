import { afterAll, beforeAll, expect, test } from 'vitest';
import { uuidV4 } from '../../platform/data/ids.ts';
import { openRoom } from '../testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '../testkit/site.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('who comes to a room reads its last 200 messages, the oldest first [B-361]', async () => {
  const [performer, generous] = [await site.performer({ live: true }), await site.viewer()];
  await site.tx(async (tx) => {
    for (let nth = 1; nth <= 205; nth += 1) {
      await site.services.rooms.showTip(tx, {
        factId: uuidV4(), performerId: performer.id, senderId: generous.id, tokens: nth,
        comment: `tip ${nth}.`, recentTips: nth, isAnonymous: false,
      });
    }
  });
  const page = await openRoom(site, await site.viewer(), performer);
  const list = await page.find('list', 'Chat');
  await page.sees(/tip 205\./u, { in: list });
  const shown = [...(list.textContent ?? '').matchAll(/tip (\d+)\./gu)].map(([, nth]) => Number(nth));
  expect(shown).toEqual(Array.from({ length: 200 }, (_, at) => at + 6));
});
