import type { Locator, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findings } from './axe.ts';
import { openStage, type ProgramStage, type Visit } from './stage.ts';

let stage: ProgramStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** Elements whose aria-controls names an element that does not exist. */
const controlsOfNothing = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('[aria-controls]')]
      .filter((element) =>
        (element.getAttribute('aria-controls') ?? '').split(/\s+/u)
          .some((id) => document.getElementById(id) === null)
      )
      .map((element) => element.outerHTML.slice(0, 160))
  );

/** Checked at every step: no serious axe finding, no control of an absent panel, no console message. */
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

it(
  'a dialog asks before it loses text, survives a drag onto its backdrop, and gives the focus back',
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
  },
);

it('the language menu marks the language of the page and changes it', async () => {
  const visit = await stage.visit();
  const { page } = visit;
  await page.getByRole('banner').getByRole('button', { name: 'Language: EN' }).click();
  await page.getByRole('menuitemradio', { name: 'English', checked: true }).waitFor();
  await expectSound(visit);
  await page.keyboard.press('d');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('de');
  await visit.context.close();
});

it('a tooltip opens on focus and hover, stays under the pointer, and closes on Escape', async () => {
  const visit = await stage.visit({ as: 'demo_viewer' });
  const { page } = visit;
  const tooltip = page.getByRole('tooltip', { name: 'Get tokens' });
  const balance = page.getByRole('banner').getByRole('button', { name: 'Get tokens' });
  await balance.and(page.locator(':not([data-late])')).waitFor();
  await page.mouse.move(5, 500);
  await balance.hover();
  await tooltip.waitFor();
  await tooltip.hover();
  await page.waitForTimeout(500);
  expect(await tooltip.count()).toBe(1);
  await expectSound(visit);
  await page.keyboard.press('Escape');
  await tooltip.waitFor({ state: 'detached' });
  await page.mouse.move(5, 500);
  await page.keyboard.press('Tab');
  while (!await balance.evaluate((own) => own === document.activeElement)) await page.keyboard.press('Tab');
  await tooltip.waitFor();
  await page.keyboard.press('Escape');
  await tooltip.waitFor({ state: 'detached' });
  await visit.context.close();
});

it('tabs move and open by arrows, jump by Home and End, and lead into their panel', async () => {
  const visit = await stage.visit({ as: 'demo_performer', path: '/account/tips' });
  const { page } = visit;
  const tabs = page.getByRole('tablist', { name: 'Sent or received' }).getByRole('tab');
  const selected = (): Promise<string> => page.getByRole('tab', { selected: true }).innerText();
  const names = await tabs.allInnerTexts();
  const [first = '', second = ''] = names;
  const last = names.at(-1) ?? '';
  await tabs.first().click();
  for (const [key, expected] of [
    ['ArrowRight', second],
    ['ArrowLeft', first],
    ['ArrowLeft', last],
    ['ArrowRight', first],
    ['End', last],
    ['Home', first],
  ] as const) {
    await page.keyboard.press(key);
    expect([key, await selected(), await focused(page)]).toEqual([key, expected, expected]);
    await page.getByRole('tabpanel', { name: expected }).waitFor();
    expect(await controlsOfNothing(page)).toEqual([]);
  }
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.closest('[role=tabpanel]') !== null)).toBe(true);
  await expectSound(visit);
  await visit.context.close();
});

it('volume and letters are set by keys and by a drag, and each has its words', async () => {
  const visit = await stage.visit({ as: 'demo_viewer', path: '/luna_vale' });
  const { page } = visit;
  await page.getByPlaceholder('Say something nice').waitFor();
  await page.getByRole('button', { name: 'Chat settings' }).click();
  const panel = page.getByRole('region', { name: 'Chat settings' });
  const isSaving = (request: Request): boolean =>
    request.method() !== 'GET' && /settings/u.test(request.url());
  const saving = new Set<Request>();
  page.on('request', (request) => void (isSaving(request) && saving.add(request)));
  page.on('requestfinished', (request) => void saving.delete(request));
  const size = panel.getByRole('slider', { name: 'Text size' });
  await size.focus();
  for (const [key, expected] of [
    ['Home', '0'],
    ['ArrowRight', '1'],
    ['ArrowUp', '2'],
    ['End', '4'],
    ['ArrowLeft', '3'],
  ] as const) {
    await page.keyboard.press(key);
    expect([key, await size.inputValue()]).toEqual([key, expected]);
  }
  expect(await size.getAttribute('aria-valuetext')).toBe('Large');
  // Saves that overlap may be answered in another order, and an older answer has the volume of before.
  await expect.poll(() => saving.size).toBe(0);
  const volume = panel.getByRole('slider', { name: 'Volume' });
  const saved = page.waitForRequest(isSaving);
  await volume.focus();
  await page.keyboard.press('Home');
  await saved;
  expect(await volume.inputValue()).toBe('0');
  const [x, y] = await middleOf(volume.locator('..'));
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 60, y, { steps: 4 });
  await page.mouse.up();
  expect(Number(await volume.inputValue())).toBeGreaterThan(0);
  await expectSound(visit);
  await visit.context.close();
});

it(
  'names are offered over the chat field, chosen by arrows, a click or Enter, and dropped by Escape',
  async () => {
    const visit = await stage.visit({ as: 'demo_viewer', path: '/luna_vale' });
    const { page } = visit;
    const field = page.getByRole('textbox', { name: 'Message', exact: true });
    await page.getByPlaceholder('Say something nice').waitFor();
    const offers = page.getByRole('listbox');
    const active = (): Promise<string | null> =>
      field.evaluate((own) => {
        const id = own.getAttribute('aria-activedescendant');
        return id === null ? null : document.getElementById(id)?.innerText.trim() ?? 'nobody';
      });
    await field.click();
    await page.keyboard.type('nice :he');
    await offers.waitFor();
    const names = (await offers.getByRole('option').allInnerTexts()).map((text) => text.split('\n').at(-1));
    expect(names.length).toBeGreaterThan(1);
    await expect.poll(active).toContain(names[0]);
    await expectSound(visit);
    await page.keyboard.press('ArrowDown');
    await expect.poll(active).toContain(names[1]);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await expect.poll(active).toContain(names.at(-1));
    await page.keyboard.press('Escape');
    await offers.waitFor({ state: 'detached' });
    expect([await field.inputValue(), await active(), await controlsOfNothing(page)])
      .toEqual(['nice :he', null, []]);
    await page.keyboard.type('a');
    await offers.getByRole('option').first().click();
    await offers.waitFor({ state: 'detached' });
    expect(await field.inputValue()).not.toContain(':');
    expect(await field.evaluate((own) => own === document.activeElement)).toBe(true);
    await visit.context.close();
  },
);
