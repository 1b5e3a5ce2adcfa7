import { afterAll, beforeAll, expect, test } from 'vitest';
import { uuidV4 } from '../../platform/data/ids.ts';
import { openRoom } from '../testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '../testkit/site.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** Which of the tips of these tests a list shows, by their number. */
const tipsIn = (list: HTMLElement): readonly number[] =>
  [...(list.textContent ?? '').matchAll(/tip (\d+)\./gu)].map(([, nth]) => Number(nth));

test('who comes to a room reads its last 200 messages, the oldest first [B-361, B-401]', async () => {
  const [performer, generous] = [await site.performer({ live: true }), await site.viewer()];
  const shows = (first: number, last = first): Promise<void> => site.tx(async (tx) => {
    for (let nth = first; nth <= last; nth += 1) {
      await site.services.rooms.showTip(tx, {
        factId: uuidV4(), performerId: performer.id, senderId: generous.id, tokens: nth,
        comment: `tip ${nth}.`, recentTips: nth, isAnonymous: false,
      });
    }
  });
  await shows(1, 205);
  const page = await openRoom(site, await site.viewer(), performer);
  const list = await page.find('list', 'Chat');
  await page.sees(/tip 205\./u, { in: list });
  expect(tipsIn(list)).toEqual(Array.from({ length: 200 }, (_, at) => at + 6));
  // As many as before while more come.
  for (let nth = 206; nth <= 208; nth += 1) await shows(nth);
  await page.sees(/tip 208\./u, { in: list });
  expect(tipsIn(list)).toEqual(Array.from({ length: 200 }, (_, at) => at + 9));
});

test('the number of people in a room follows every 5 s at most [B-351]', async () => {
  const performer = await site.performer({ live: true });
  const page = await openRoom(site, await site.viewer(), performer);
  await page.sees('1 person in the room');
  await (await site.viewer()).joins(performer);
  await site.passes(4_999);
  expect(page.shows('1 person in the room')).toBe(true);
  await site.passes(1);
  await page.sees('2 people in the room');
  for (let nth = 1; nth <= 2; nth += 1) await (await site.viewer()).joins(performer);
  await site.passes(4_999);
  expect(page.shows('2 people in the room')).toBe(true);
  await site.passes(1);
  await page.sees('4 people in the room');
});
