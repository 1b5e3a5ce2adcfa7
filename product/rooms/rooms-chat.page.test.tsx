import { uuidV4 } from '#platform/data/ids.ts';
import { openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** Two hundred tips over HTTP take seconds, and far more on a busy machine. */
const MANY_TIPS_MS = 120_000;
/** Numbers of the test tips that a list shows. */
const tipsIn = (list: HTMLElement): readonly number[] =>
  [...(list.textContent ?? '').matchAll(/tip (\d+)\./gu)].map(([, nth]) => Number(nth));
/** The integers from `first` to `last`. */
const numbers = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

test('who comes to a room reads its last 200 messages, the oldest first [B-251, B-361]', async () => {
  const [performer, generous] = [await site.performer({ live: true }), await site.viewer({ tokens: 500 })];
  const tips = async (first: number, last: number): Promise<void> => {
    for (const nth of numbers(first, last)) {
      const { statusCode } = await generous.request({
        method: 'POST',
        url: `/api/v1/tip/${performer.username}`,
        headers: { 'idempotency-key': uuidV4() },
        payload: { amount: 1, comment: `tip ${nth}.` },
      });
      expect(statusCode).toBe(200);
    }
  };
  await tips(1, 204);
  await site.settle();
  await site.says(await generous.joins(performer), 'the last line');
  const page = await openRoom(site, await site.viewer(), performer);
  const list = await page.find('list', 'Chat');
  await page.sees(/the last line/u, { in: list });
  expect(tipsIn(list)).toEqual(numbers(6, 204));
  // One event brought them all.
  const received = page.network.texts.filter(({ from }) => from === 'site').map(({ text }) => text);
  const histories = received.filter((text) => text.includes('tip 204.'));
  expect(histories.map((text) => [text.includes('tip 5.'), text.match(/tip \d+\./gu)?.length]))
    .toEqual([[false, 199]]);
  const [id] = JSON.parse(histories[0] ?? '[]') as unknown[];
  expect(
    id === 'v3.chat.history' ||
      received.some((text) => text.includes(`{"id":${String(id)},"name":"v3.chat.history"}`)),
  ).toBe(true);
  // Newer messages push the oldest out, so the number stays the same.
  await tips(205, 207);
  await page.sees(/tip 207\./u, { in: list });
  expect(tipsIn(list)).toEqual(numbers(9, 207));
  expect(page.shows(/the last line/u, { in: list })).toBe(true);
}, MANY_TIPS_MS);

test('the number of people in a room follows every 5 s at most [B-351]', async () => {
  const performer = await site.performer({ live: true });
  const page = await openRoom(site, await site.viewer(), performer);
  await page.sees('1 person in the room');
  const speaker = await (await site.viewer()).joins(performer);
  // Once the page shows this line, everything sent before it has arrived.
  const arrives = async (line: string): Promise<void> => {
    await site.says(speaker, line);
    await page.sees(new RegExp(line, 'u'));
  };
  await site.passes(4_999);
  await arrives('not yet');
  expect(page.shows('1 person in the room')).toBe(true);
  await site.passes(1);
  await page.sees('2 people in the room');
  for (let nth = 1; nth <= 2; nth += 1) await (await site.viewer()).joins(performer);
  await site.passes(4_999);
  await arrives('nor yet');
  expect(page.shows('2 people in the room')).toBe(true);
  await site.passes(1);
  await page.sees('4 people in the room');
});
