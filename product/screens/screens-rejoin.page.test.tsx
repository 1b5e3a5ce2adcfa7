import { ROOM_PATH } from '#platform/contract/sockets/wire.ts';
import { openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('a room whose socket was cut is discovered again by the lobby, then joined [C-173]', async () => {
  const performer = await site.performer({ live: true });
  const { username } = performer;
  const page = await openRoom(site, await site.viewer(), performer);
  const steps = (): string[] =>
    page.network.texts
      .filter(({ text }) =>
        /"v3\.(?:lobby\.discover|lobby\.discovered|authorize|authorize\.success)"/u.test(text)
      )
      .map(({ from, path, text }) => `${from} ${path} ${String((JSON.parse(text) as unknown[])[0])}`);
  const before = steps().length;
  expect(steps().filter((step) => step === 'page /ws/lobby v3.lobby.discover')).toHaveLength(1);
  // Closes every socket of the page.
  page.network.movesTo(await site.address());
  const room = ROOM_PATH + username;
  await page.until(() =>
    expect(steps().slice(before)).toEqual([
      'page /ws/lobby v3.authorize',
      'site /ws/lobby v3.authorize.success',
      'page /ws/lobby v3.lobby.discover',
      'site /ws/lobby v3.lobby.discovered',
      `page ${room} v3.authorize`,
      `site ${room} v3.authorize.success`,
    ])
  );
  await site.says(await (await site.viewer()).joins(performer), 'Back again');
  await page.sees(/Back again/u);
});
