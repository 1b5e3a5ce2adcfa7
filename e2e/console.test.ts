import { startGroupGoal } from '#product/shows/contract/group-goal.ts';
import { checkPrivate, requestPrivate } from '#product/shows/contract/private-show.ts';
import { saveShowSettings } from '#product/shows/contract/settings.ts';
import { requestSharecam } from '#product/shows/contract/sharecam.ts';
import { buyTicket, cancelTicketShow, offerTicketShow } from '#product/shows/contract/ticket-show.ts';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  callsOf,
  expectMoving,
  goLive,
  isInSight,
  openStage,
  type ProgramStage,
  type Visit,
} from './stage.ts';

let stage: ProgramStage;
let performer: Visit;
beforeAll(async () => {
  stage = await openStage();
  performer = await stage.visit({ as: 'demo_performer', phone: true });
  const { call, csrf } = await callsOf(performer.context, stage.origin);
  await call(saveShowSettings, {
    private: { isEnabled: true, pricePerMinuteInToken: 60 },
    sharecam: { isAllowedInPrivate: true },
  }, csrf);
});
afterAll(() => stage.close());

/** Whether an element is entirely inside the window, without scrolling. */
async function isWhole(page: Page, element: Locator): Promise<boolean> {
  const box = await element.boundingBox();
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  return box !== null && box.width > 0 && box.height > 0 && box.x >= 0 && box.y >= 0
    && box.x + box.width <= width && box.y + box.height <= height;
}
const heightOf = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollHeight);

it(
  'topic, menu and goals are prepared on a phone before anybody watches, and the room begins with them',
  async () => {
    const { page } = performer;
    await page.goto('/go-live');
    await page.getByLabel('Topic').fill('Rain and old records');
    await page.getByRole('button', { name: 'Save topic' }).click();
    await page.getByText('Saved. Viewers see it now.').waitFor();
    await page.getByRole('button', { name: 'Add item' }).click();
    const items = page.getByRole('textbox', { name: /^Item \d+$/u });
    await items.last().fill('Play a request');
    await page.getByRole('textbox', { name: /^Price of item/u }).last().fill('40');
    await page.getByRole('button', { name: 'Save menu' }).click();
    await page.getByText('Menu saved.').waitFor();
    await page.getByRole('tab', { name: 'Goals' }).click();
    await page.getByLabel('What happens at the goal').fill('The whole B side');
    await page.getByRole('textbox', { name: 'Tokens', exact: true }).fill('300');
    await page.getByRole('button', { name: 'Add goal' }).click();
    await page.getByRole('list', { name: 'Goals' }).getByText('The whole B side').waitFor();
    // Nothing of the preparation page is wider than the phone.
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await goLive(page);
    const viewer = await stage.visit({ as: 'demo_viewer', path: '/demo_performer' });
    await viewer.page.getByText('Rain and old records').first().waitFor();
    await viewer.page.getByText('The whole B side').first().waitFor();
    await viewer.page.getByRole('button', { name: 'Tip menu' }).first().click();
    await viewer.page.getByRole('dialog').getByRole('button', { name: /^Play a request/u }).waitFor();
    await viewer.context.close();
  },
);

const LAPTOPS = [{ width: 1366, height: 768 }, { width: 1440, height: 900 }] as const;

/** Checks that incoming tokens and the chat are in sight on laptops, without scrolling. */
async function expectMoneyAndChat(page: Page): Promise<void> {
  const tools = page.getByRole('region', { name: 'Tips and orders' });
  const tips = tools.getByText(/^[\d,]+ tips?$/u);
  const parts = {
    sum: tips.locator('xpath=preceding-sibling::*[1]'),
    tips,
    goal: tools.getByRole('progressbar', { name: 'The whole B side' }),
    order: tools.getByRole('list', { name: 'Orders and other tip effects' }).getByRole('listitem').first()
      .getByText('Play a request', { exact: true }),
    chat: page.getByRole('textbox', { name: 'Message', exact: true }),
  };
  for (const size of LAPTOPS) {
    await page.setViewportSize(size);
    for (const [name, part] of Object.entries(parts)) {
      await expect.poll(() => isInSight(part), { message: `${name} at ${size.width}` }).toBe(true);
    }
  }
}

it('a laptop shows what came in, the goal, the first order and the chat beside a show on offer', async () => {
  const { page } = performer;
  const phone = page.viewportSize() ?? { width: 0, height: 0 };
  const { call, csrf } = await callsOf(performer.context, stage.origin);
  await call(offerTicketShow, {
    message: 'Rain on tin roofs',
    ticket_price: 40,
    starts_in_minutes: 30,
    minimum_tickets: 1,
    minutes: 30,
    refund_joined_minute_before_end: 0,
  }, csrf);
  const viewer = await stage.visit({ as: 'demo_viewer', path: '/demo_performer' });
  await viewer.page.getByRole('button', { name: 'Tip menu' }).first().click();
  await viewer.page.getByRole('dialog').getByRole('button', { name: /^Play a request/u }).click();
  await viewer.page.getByRole('dialog', { name: 'Play a request' })
    .getByRole('button', { name: 'Order for 40' }).click();
  await page.getByText('Rain on tin roofs').first().waitFor();
  await expectMoneyAndChat(page);
  await call(cancelTicketShow, {}, csrf);
  await page.setViewportSize(phone);
  await viewer.context.close();
});

it('a phone has the end of a ticket show and of a group goal in sight, however much they say', async () => {
  const { page } = performer;
  await expectMoving(page);
  const { call, csrf } = await callsOf(performer.context, stage.origin);
  await call(offerTicketShow, {
    message: 'Rain on tin roofs, and what the gutters say of it. '.repeat(5).slice(0, 200),
    ticket_price: 40,
    starts_in_minutes: 5,
    minimum_tickets: 1,
    minutes: 30,
    refund_joined_minute_before_end: 0,
  }, csrf);
  const viewer = await stage.visit({ as: 'demo_viewer', path: '/demo_performer' });
  const theirs = await callsOf(viewer.context, stage.origin);
  await theirs.call(buyTicket, { username: 'demo_performer', price: 40 }, theirs.csrf);
  const start = page.getByRole('button', { name: 'Start show' });
  await start.waitFor();
  await expect.poll(() => isInSight(page.getByRole('button', { name: 'Cancel show' }))).toBe(true);
  await start.click();
  await page.getByRole('button', { name: 'End show' }).waitFor();
  await call(startGroupGoal, { title: 'A song of the sea, '.repeat(5), tokens: 500, minutes: 30 }, csrf);
  const ends = ['End show', 'End group goal', 'End broadcast']
    .map((name) => page.getByRole('button', { name }));
  for (const end of ends) await expect.poll(() => isInSight(end), { message: String(end) }).toBe(true);
  const left = page.getByText(/^(?:29:5|30:0)\d$/u).first();
  expect(await isInSight(left)).toBe(true);
  // Hiding would end the same things, and the dialog says so.
  await page.getByRole('button', { name: 'Hide me' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByText(/A song of the sea/u).waitFor();
  await question.getByText(/Rain on tin roofs/u).waitFor();
  await question.getByRole('button', { name: 'Stay live' }).click();
  for (const name of ['End group goal', 'End show']) {
    await page.getByRole('button', { name }).click();
    await page.getByRole('alertdialog').getByRole('button', { name }).click();
    await expect.poll(() => page.getByRole('button', { name }).count()).toBe(0);
  }
  await viewer.context.close();
});

it('a phone shows picture, chat, who waits, what runs and the end without scrolling', async () => {
  const { page } = performer;
  await expectMoving(page);
  const viewer = await stage.visit({ as: 'demo_viewer', path: '/demo_performer' });
  const { call, csrf } = await callsOf(viewer.context, stage.origin);
  const picture = page.locator('video').first();
  const message = page.getByRole('textbox', { name: 'Message', exact: true });
  const end = page.getByRole('button', { name: 'End broadcast', exact: true });
  const seen = async (...elements: readonly Locator[]): Promise<boolean[]> =>
    Promise.all(elements.map((element) => isWhole(page, element)));
  expect(await seen(picture, message, end)).toEqual([true, true, true]);
  const { cost_per_minute: price } = await call(checkPrivate, { username: 'demo_performer' });
  await call(requestPrivate, { username: 'demo_performer', price }, csrf);
  const accept = page.getByRole('button', { name: 'Accept demo_viewer' });
  await accept.waitFor();
  expect(await seen(picture, message, end, accept)).toEqual([true, true, true, true]);
  await accept.click();
  const stop = page.getByRole('button', { name: 'End show' });
  await stop.waitFor();
  expect(await seen(picture, message, end, stop)).toEqual([true, true, true, true]);
  // A camera request arrives during the show: the buttons for both answers are in sight.
  await call(requestSharecam, { username: 'demo_performer', mode: 'private', price: 0, adult: true }, csrf);
  await accept.waitFor();
  expect(await seen(picture, message, end)).toEqual([true, true, true]);
  const phone = page.viewportSize() ?? { width: 0, height: 0 };
  for (const size of [phone, { width: 1366, height: 768 }]) {
    await page.setViewportSize(size);
    await expect.poll(async () => [await isInSight(accept), await isInSight(stop)]).toEqual([true, true]);
  }
  // Even a show and a request together leave the money in sight.
  await expectMoneyAndChat(page);
  await page.setViewportSize(phone);
  await page.getByRole('button', { name: 'Decline demo_viewer' }).click();
  await accept.waitFor({ state: 'detached' });
  expect(await heightOf(page)).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
  for (const part of ['Tips', 'Shows', 'Stream', 'Chat']) {
    const parts = page.getByRole('group', { name: 'Parts of the console' });
    await parts.getByRole('button', { name: part }).click();
    expect(await seen(picture, end, stop)).toEqual([true, true, true]);
    expect(await heightOf(page)).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
  }
  // The viewer's page stays open: leaving a show would end it.
});

it('a toast in the console lies not over the field, and leaves every end to be pressed', async () => {
  const { page } = performer;
  const phone = page.viewportSize() ?? { width: 0, height: 0 };
  const message = page.getByRole('textbox', { name: 'Message', exact: true });
  await message.fill('/no_such_thing');
  await message.press('Enter');
  // A refusal stays until it is dismissed.
  const toast = page.getByRole('alert').getByText(/^Commands don’t work in the chat of a show\./u);
  await toast.waitFor();
  const parts = page.getByRole('group', { name: 'Parts of the console' });
  for (const size of [phone, { width: 1366, height: 768 }]) {
    await page.setViewportSize(size);
    const controls = [
      message,
      page.getByRole('button', { name: 'End broadcast', exact: true }),
      page.getByRole('button', { name: 'End show' }),
      ...size === phone ? [parts.getByRole('button', { name: 'Chat' })] : [],
    ];
    for (const control of controls) await expect.poll(() => isInSight(control)).toBe(true);
    const [box, field] = [await toast.boundingBox(), await message.boundingBox()];
    expect((box?.y ?? size.height) + (box?.height ?? 0)).toBeLessThan(field?.y ?? 0);
  }
  await page.setViewportSize(phone);
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await message.fill('');
});

it('the end names the show it ends, says what the broadcast was, and leaves the start in sight', async () => {
  const { page } = performer;
  await page.getByRole('button', { name: 'End broadcast', exact: true }).click();
  const question = page.getByRole('alertdialog');
  await question.getByText('Your private show with demo_viewer: the meter stops.').waitFor();
  await question.getByRole('button', { name: 'End broadcast', exact: true }).click();
  const summary = page.getByRole('region', { name: 'Your broadcast' });
  await summary.getByText('Most viewers at once').waitFor();
  await summary.getByText('Earned').waitFor();
  expect(await summary.innerText()).toMatch(/Time on air\s+\d:\d\d/u);
  // The camera is still on, so the button to go live stays in sight, however far the page is scrolled.
  await expect.poll(() => isInSight(page.getByRole('button', { name: 'Go live now' }))).toBe(true);
});
