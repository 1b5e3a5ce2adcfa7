import { uuidV4 } from '#platform/data/ids.ts';
import { DEFAULT_SCOPE } from '#product/site/rules.ts';
import { EXTRAS } from '#product/testkit/demo/cast.ts';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findings, lookProblems } from './axe.ts';
import { openDemoSite, type DemoSite } from './demo-site.ts';
import { besideVideo, goLive, type Visit } from './stage.ts';

const ROOM = '/demo_performer';
const [MARCO = ''] = EXTRAS;

let demoSite: DemoSite;
let performer: Visit;
let viewer: Visit;
let marco: Visit;
beforeAll(async () => {
  demoSite = await openDemoSite();
  for (const username of ['demo_viewer', MARCO]) {
    const id = await demoSite.idOf(username);
    await demoSite.tx((tx) => demoSite.services.ledger.grant(tx, id, 400, 'journey', uuidV4()));
  }
  [performer, viewer, marco] = await Promise.all([
    demoSite.visit({ as: 'demo_performer' }),
    demoSite.visit({ as: 'demo_viewer', path: ROOM }),
    demoSite.visit({ as: MARCO, path: ROOM }),
  ]);
  await goLive(performer.page);
});
afterAll(() => demoSite.close());

const tools = (): Locator => performer.page.getByRole('region', { name: 'Tips and orders' });
const tab = (name: string): Promise<void> => tools().getByRole('tab', { name }).click();
const line = (page: Page, text: string): Locator =>
  page.locator('li[data-message]').filter({ hasText: text }).first();
const expectSound = async (page: Page): Promise<void> => expect(await findings(page)).toEqual([]);

/** The overlay as OBS opens it: a browser with nothing but the address. */
async function openOverlay(): Promise<Page> {
  await tab('Overlay');
  await tools().getByRole('button', { name: 'Create link' }).click();
  const address = await tools().locator('code').innerText();
  const { page } = await demoSite.visit({ gated: true, path: new URL(address).pathname });
  return page;
}

it('a menu is written, ordered from, and ticked off', async () => {
  await tab('Menu');
  await tools().getByRole('button', { name: 'Add item' }).click();
  await tools().getByLabel('Item 1', { exact: true }).fill('Wave hello');
  await tools().getByLabel('Price of item 1 in tokens').fill('30');
  await tools().getByRole('button', { name: 'Save menu' }).click();
  await viewer.page.getByRole('button', { name: 'Tip menu' }).click();
  await viewer.page.getByRole('button', { name: 'Wave hello' }).click();
  const dialog = viewer.page.getByRole('dialog', { name: 'Wave hello' });
  await expectSound(viewer.page);
  await dialog.getByRole('button', { name: 'Order for 30' }).click();
  await line(marco.page, 'demo_viewer ordered “Wave hello” for 30 tokens.').waitFor();
  await tab('Orders');
  const order = tools().getByRole('listitem').filter({ hasText: 'Wave hello' });
  await order.getByText('Delivered').waitFor();
  const done = order.getByRole('checkbox', { name: 'Done: Wave hello' });
  await done.click();
  await expect.poll(() => done.isChecked()).toBe(true);
  await expectSound(performer.page);
});

it('items of a menu are put in order by keys, with the focus on what was moved, and by a drag', async () => {
  await tab('Menu');
  const { page } = performer;
  const remove = tools().getByRole('button', { name: /^Remove item/u });
  while (await remove.count() > 0) await remove.first().click();
  for (const [number, name] of [[1, 'Wave hello'], [2, 'Sing'], [3, 'Dance']] as const) {
    await tools().getByRole('button', { name: 'Add item' }).click();
    await tools().getByLabel(`Item ${number}`, { exact: true }).fill(name);
  }
  const order = async (): Promise<string[]> =>
    Promise.all(
      [1, 2, 3].map((number) => tools().getByLabel(`Item ${number}`, { exact: true }).inputValue()),
    );
  const handle = (name: string): Locator => tools().getByRole('button', { name: `Drag ${name}` });
  expect(await order()).toEqual(['Wave hello', 'Sing', 'Dance']);
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) {
      await page.keyboard.press(key);
      // A drag with the keyboard begins and ends with an animation frame.
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
    }
  };
  await handle('Dance').focus();
  await press('Enter', 'ArrowUp', 'Escape');
  expect(await order()).toEqual(['Wave hello', 'Sing', 'Dance']);
  await handle('Dance').focus();
  await press('Enter', 'Home', 'Enter');
  await expect.poll(order).toEqual(['Dance', 'Wave hello', 'Sing']);
  await expect.poll(() => handle('Dance').evaluate((own) => own === document.activeElement)).toBe(true);
  await expectSound(page);
  await handle('Dance').locator('..').dragTo(tools().getByLabel('Item 3', { exact: true }));
  await expect.poll(order).not.toEqual(['Dance', 'Wave hello', 'Sing']);
  await tools().getByRole(
    'button',
    { name: /^Move item [23] up$/u },
  ).and(page.locator(':enabled')).first().click();
  await tools().getByRole('button', { name: 'Save menu' }).click();
  await page.getByRole('status').getByText('Menu saved.').waitFor();
  expect(besideVideo(performer.complaints)).toEqual([]);
});

it('a goal everybody sees is reached by an anonymous tip, and the overlay shows both', async () => {
  await tab('Goals');
  await tools().getByLabel('What happens at the goal').fill('A dance');
  await tools().getByLabel('Tokens').fill('100');
  await tools().getByRole('button', { name: 'Add goal' }).click();
  const goal = (page: Page): Locator => page.getByRole('progressbar', { name: 'A dance' });
  await goal(viewer.page).waitFor();
  const overlay = await openOverlay();
  await goal(overlay).waitFor();
  expect(await overlay.evaluate(() => getComputedStyle(document.documentElement).backgroundColor))
    .toBe('rgba(0, 0, 0, 0)');
  await marco.page.getByRole('button', { name: 'Tip menu' }).click();
  const form = marco.page.getByRole('form', { name: /^Tip /u });
  await form.getByLabel('Tokens').fill('60');
  await form.getByRole('button', { name: 'Tip 60' }).click();
  await overlay.getByText(`${MARCO} tipped`).waitFor();
  await expectSound(overlay);
  await expect.poll(() => goal(viewer.page).getAttribute('aria-valuenow')).toBe('60');
  await form.getByRole('checkbox', { name: 'Tip anonymously' }).check();
  await form.getByLabel('Tokens').fill('40');
  await form.getByRole('button', { name: 'Tip 40' }).click();
  await line(viewer.page, 'Goal reached: A dance (100 tokens). Thank you!').waitFor();
  await line(viewer.page, 'Anonymous tipped').waitFor();
  await goal(viewer.page).waitFor({ state: 'detached' });
  await overlay.getByText('Anonymous tipped').waitFor();
  await tab('Overlay');
  await tools().getByRole('button', { name: 'Revoke link' }).click();
  await overlay.getByText('This link no longer works.').waitFor();
  await overlay.context().close();
});

it('two viewers split a tip, and both pay at once', async () => {
  const panel = viewer.page.getByRole('form', { name: 'Split a tip' });
  await panel.getByLabel('Total tokens').fill('101');
  await panel.getByLabel('People').fill('2');
  await panel.getByText('50 tokens each, 51 for you').waitFor();
  await panel.getByRole('button', { name: 'Propose split' }).click();
  await viewer.page.getByText('You’ve joined. You pay 51 tokens once everyone has.').waitFor();
  await marco.page.getByText('demo_viewer wants to split a tip of 101 tokens.', { exact: true }).waitFor();
  await line(performer.page, 'demo_viewer wants to split a tip of 101 tokens: 50 each.').waitFor();
  await expectSound(marco.page);
  await marco.page.getByRole('button', { name: 'Join for 50' }).click();
  const asked = marco.page.getByRole('alertdialog', { name: 'Join this split?' });
  await asked.getByRole('button', { name: 'Join for 50' }).click();
  await viewer.page.getByText('Everyone joined: 101 tokens tipped together.').waitFor();
  await line(performer.page, `demo_viewer, ${MARCO} tipped 101 tokens together.`).waitFor();
});

it('a split ends at once when the performer goes private, and its members are notified', async () => {
  const panel = viewer.page.getByRole('form', { name: 'Split a tip' });
  await panel.getByLabel('Total tokens').fill('40');
  await panel.getByLabel('People').fill('2');
  await panel.getByRole('button', { name: 'Propose split' }).click();
  await viewer.page.getByText('You’ve joined. You pay 20 tokens once everyone has.').waitFor();
  const { broadcast } = demoSite.services;
  const id = await demoSite.idOf('demo_performer');
  await broadcast.move(DEFAULT_SCOPE, id, 'private');
  const isOff = viewer.page.getByRole('status').getByText('A private show has started. No one was charged.');
  await isOff.first().waitFor();
  await line(
    marco.page,
    'demo_viewer: a private show has started. Your split of 40 tokens is canceled',
  ).waitFor();
  await broadcast.move(DEFAULT_SCOPE, id, 'public');
});

it('what was given and got is there afterwards, by day and by kind', async () => {
  const { page } = viewer;
  await page.goto('/account/tips');
  const table = page.getByRole('region', { name: 'Tips' });
  await table.getByRole('cell', { name: 'Wave hello' }).waitFor();
  await page.getByLabel('Type').selectOption({ label: 'Split tip' });
  await page.getByRole('button', { name: 'Filter tips', exact: true }).click();
  await table.getByRole('cell', { name: 'Wave hello' }).waitFor({ state: 'detached' });
  await expect.poll(() => table.getByRole('row').count()).toBe(2);
  expect(await lookProblems(page)).toEqual([]);
});
