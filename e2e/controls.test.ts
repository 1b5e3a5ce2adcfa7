import type { Locator, Page, WebSocketRoute } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findings } from './axe.ts';
import { openStage, type ProgramStage, type Visit } from './stage.ts';

let stage: ProgramStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** Elements that name, as what they control, an element that is not there. */
const controlsOfNothing = (page: Page): Promise<string[]> => page.evaluate(() =>
  [...document.querySelectorAll('[aria-controls]')]
    .filter((element) => (element.getAttribute('aria-controls') ?? '').split(/\s+/u)
      .some((id) => document.getElementById(id) === null))
    .map((element) => element.outerHTML.slice(0, 160)));

/** At every step: nothing serious for axe, no control of an absent panel, no complaint. */
async function expectSound({ page, complaints }: Visit): Promise<void> {
  expect(await controlsOfNothing(page)).toEqual([]);
  expect(await findings(page)).toEqual([]);
  expect(complaints).toEqual([]);
}

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');

async function middleOf(element: Locator): Promise<readonly [number, number]> {
  const box = await element.boundingBox();
  if (!box) throw new Error('the element is not shown');
  return [box.x + box.width / 2, box.y + box.height / 2];
}

it('a dialog asks before it loses text, survives a drag onto its backdrop, and gives the focus back',
  async () => {
    const visit = await stage.visit({ as: 'demo_admin', path: '/admin/ledger' });
    const { page } = visit;
    await page.getByLabel('Search text').fill('demo_viewer');
    await page.getByRole('button', { name: 'Find operations' }).click();
    const opener = page.getByRole('button', { name: 'Spending for demo_viewer' });
    const dialog = page.getByRole('dialog');
    const question = page.getByRole('alertdialog', { name: 'Discard what you typed?' });
    await opener.click();
    const reason = dialog.getByLabel('Reason');
    await reason.fill('asked by phone');

    const [x, y] = await middleOf(reason);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(5, 5, { steps: 4 });
    await page.mouse.up();
    expect(await question.count()).toBe(0);
    expect(await reason.inputValue()).toBe('asked by phone');

    await page.mouse.click(5, 5);
    await expectSound(visit);
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'detached' });
    for (let times = 0; times < 3; times += 1) {
      await page.keyboard.press('Escape');
      await question.waitFor();
      await page.keyboard.press('Escape');
      await question.waitFor({ state: 'detached' });
      expect(await reason.inputValue()).toBe('asked by phone');
    }
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('Spending for demo_viewer');

    await page.keyboard.press('Enter');
    await reason.waitFor();
    await page.mouse.click(5, 5);
    await dialog.waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('Spending for demo_viewer');
    await visit.context.close();
  });

it('an error stays until dismissed, and news closes by itself unless one points at it [A-225]', async () => {
  const visit = await stage.visit({ as: 'demo_viewer' });
  const { page } = visit;
  let room: WebSocketRoute | null = null;
  await page.routeWebSocket(/\/ws\//u, (socket) => {
    socket.connectToServer();
    if (!socket.url().includes('/ws/lobby')) room = socket;
  });
  await page.goto('/luna_vale');
  await page.getByPlaceholder('Say something nice').waitFor();
  const receive = (...frame: readonly [string, object]): void => room?.send(JSON.stringify(frame));
  const news = page.getByRole('status').getByText('luna_vale declined');
  const error = page.getByRole('alert').getByText('Failed to start private');
  await page.clock.install();
  receive('v3.private.request_failed', { errorType: null, error: null });
  receive('v3.private.declined', { username: 'luna_vale' });
  await error.waitFor();
  await news.hover();
  await page.clock.runFor(60_000);
  expect([await error.count(), await news.count()]).toEqual([1, 1]);
  await expectSound(visit);
  await page.mouse.move(5, 5);
  await page.clock.runFor(2_500);
  await news.waitFor({ state: 'detached' });
  expect(await error.count()).toBe(1);
  await page.getByRole('alert').getByRole('button', { name: 'Dismiss' }).click();
  await error.waitFor({ state: 'detached' });
  await visit.context.close();
});
