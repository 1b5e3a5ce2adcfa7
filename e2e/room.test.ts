import { EXTRAS } from '#product/testkit/demo/cast.ts';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findings, lookProblems } from './axe.ts';
import { openDemoSite, type DemoSite } from './demo-site.ts';
import { goLive, type Visit } from './stage.ts';

const ROOM = '/demo_performer';
const [MARCO = '', SECOND = ''] = EXTRAS;

let demoSite: DemoSite;
let performer: Visit;
let viewer: Visit;
let marco: Visit;
beforeAll(async () => {
  demoSite = await openDemoSite();
  [performer, viewer, marco] = await Promise.all([
    demoSite.visit({ as: 'demo_performer' }),
    demoSite.visit({ as: 'demo_viewer', path: ROOM }),
    demoSite.visit({ as: MARCO, path: ROOM }),
  ]);
  await goLive(performer.page);
});
afterAll(() => demoSite.close());

const part = (page: Page, name: string): Locator =>
  page.getByRole('button', { name: new RegExp(`^${name}\\b`, 'u') }).filter({ visible: true }).first();
const line = (page: Page, text: string): Locator =>
  page.locator('li[data-message]').filter({ hasText: text });
const dialog = (page: Page): Locator => page.getByRole('dialog');
const expectSound = async (page: Page): Promise<void> => expect(await findings(page)).toEqual([]);

async function say(page: Page, text: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Message', exact: true });
  await field.fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
}

/** Opens the menu of a message and chooses from it. */
async function choose(page: Page, text: string, item: string): Promise<void> {
  await line(page, text).hover();
  await line(page, text).locator('[data-line-menu]').click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

it('everyone gets a message, and the performer silences and unsilences', async () => {
  await say(marco.page, 'Silence is golden');
  await line(viewer.page, 'Silence is golden').waitFor();
  await choose(performer.page, 'Silence is golden', 'Silence');
  await expectSound(performer.page);
  await dialog(performer.page).getByRole('button', { name: 'Silence', exact: true }).click();
  await line(viewer.page, 'Silence is golden').waitFor({ state: 'detached' });
  const note = marco.page.getByText('You’re silenced in this room');
  await note.waitFor();
  await performer.page.getByRole('button', { name: 'Undo' }).click();
  await performer.page.getByText('Undone.').waitFor();
  await note.waitFor({ state: 'detached' });
  await say(marco.page, 'I may speak again');
  await line(viewer.page, 'I may speak again').waitFor();
  // A viewer is offered a reply, and none of a moderator's actions.
  await line(viewer.page, 'I may speak again').hover();
  await line(viewer.page, 'I may speak again').locator('[data-line-menu]').click();
  await viewer.page.getByRole('menuitem', { name: 'Reply' }).waitFor();
  expect(await viewer.page.getByRole('menuitem', { name: 'Ban' }).count()).toBe(0);
  await viewer.page.keyboard.press('Escape');
});

it('on a phone parts are tabs, and on its side the chat lies over the picture [C-081]', async () => {
  const { page, context } = await demoSite.visit({ as: SECOND, phone: true, path: '/luna_vale' });
  await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
  await page.getByRole('form', { name: 'Tip Luna Vale' }).waitFor();
  await part(page, 'About').tap();
  await page.getByRole('heading', { name: 'About Luna Vale' }).waitFor();
  expect(await lookProblems(page)).toEqual([]);
  await page.setViewportSize({ width: 844, height: 390 });
  const chat = page.getByRole('region', { name: 'Chat' });
  await chat.waitFor();
  const video = await page.getByRole('group', { name: 'Player' }).boundingBox();
  expect(video).toMatchObject({ x: 0, y: 0, width: 844, height: 390 });
  expect((await chat.boundingBox())?.x).toBeGreaterThan(400);
  await expectSound(page);
  await page.getByRole('button', { name: 'Chat over video' }).tap();
  await chat.waitFor({ state: 'hidden' });
  await context.close();
});
