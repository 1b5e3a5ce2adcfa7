import { uuidV4 } from '#platform/data/ids.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendTip } from './contract.ts';
import { saveTipMenu } from './contract/menu.ts';
import { startSplit } from './contract/splits.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;

/** The open card with a person's username. */
async function cardOf(page: Page, { username }: Member): Promise<HTMLElement> {
  const card = await page.find('dialog');
  await page.sees(`@${username}`, { in: card });
  return card;
}

test(
  'a name in Tips and orders opens the card, in the room and when they left it; without a name none',
  async () => {
    const performer = await site.performer({ live: true });
    const [here, gone, nameless] = [
      await site.viewer({ tokens: 100 }),
      await site.viewer({ tokens: 100 }),
      await site.viewer({ tokens: 100 }),
    ];
    await here.joins(performer);
    const { items } = await performer.call(saveTipMenu, { items: [{ title: 'Dance', price: 50 }] });
    const { username } = performer;
    for (const [who, anonymous] of [[here, false], [gone, false], [nameless, true]] as const) {
      await who.call(sendTip, {
        username,
        amount: 50,
        type: 'menu',
        app_data: { item: items[0]?.id ?? 0 },
        anonymous,
      }, { idempotencyKey: uuidV4() });
    }
    const page = await openPage(site, performer, '/go-live');
    const region = await page.find('region', 'Tips and orders');
    await page.press(here.username, { in: region });
    const card = await cardOf(page, here);
    await page.sees('Has tokens', { in: card });
    await page.press('Close', { in: card });
    await page.press(gone.username, { in: region });
    const other = await cardOf(page, gone);
    expect(page.shows('Has tokens', { in: other })).toBe(false);
    await page.find('button', `Report ${gone.username}`, { in: other });
    await page.press('Close', { in: other });
    await page.sees('Anonymous', { in: region });
    expect(page.all('button', 'Anonymous', { in: region })).toEqual([]);
    expect(await page.problems()).toEqual([]);
  },
);

test('who proposes a split has a card there, for viewers who may not see who is in the room', async () => {
  const performer = await site.performer({ live: true });
  const [proposer, reader] = [await site.viewer({ tokens: 100 }), await site.viewer()];
  await proposer.joins(performer);
  const page = await openRoom(site, reader, performer);
  await proposer.call(startSplit, { username: performer.username, amount: 20, people: 2 });
  await page.press(`${proposer.username} wants to split a tip of 20 tokens.`);
  const card = await cardOf(page, proposer);
  await page.find('button', `Report ${proposer.username}`, { in: card });
  expect(await page.problems()).toEqual([]);
});
