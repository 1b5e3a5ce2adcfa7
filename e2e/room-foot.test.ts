import { saveOwnClub } from '#product/fanclubs/contract.ts';
import { startGroupGoal } from '#product/shows/contract/group-goal.ts';
import { endPrivate } from '#product/shows/contract/private-running.ts';
import { acceptPrivate, requestPrivate } from '#product/shows/contract/private-show.ts';
import { acceptSharecam } from '#product/shows/contract/sharecam.ts';
import { offerTicketShow } from '#product/shows/contract/ticket-show.ts';
import { EXTRAS } from '#product/testkit/demo/cast.ts';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoSite, type DemoSite } from './demo-site.ts';
import { callsOf, isInSight, type Visit } from './stage.ts';

const ROOM = '/demo_performer';
const SIZES = [[1366, 650], [1440, 900], [390, 844]] as const;

let demoSite: DemoSite;
let performer: Visit;
let viewer: Visit;
/** Has not answered the question of consent. */
let newcomer: Visit;
/** Has not answered it either, and has another room open in the dock. */
let follower: Visit;
beforeAll(async () => {
  demoSite = await openDemoSite();
  performer = await demoSite.offersShows();
  const { call, csrf } = await callsOf(performer.context, demoSite.origin);
  await call(saveOwnClub, {
    enabled: true,
    description: 'For people who like rain.',
    prices: { supporter: 100, insider: 250, legend: 501 },
    perks: { supporter: ['A postcard'], insider: [], legend: [] },
  }, csrf);
  await call(startGroupGoal, { title: 'A song for all', tokens: 500, minutes: 60 }, csrf);
  viewer = await demoSite.visit({ as: 'demo_viewer', phone: true, path: ROOM });
  newcomer = await demoSite.visit({ undecided: true, path: ROOM });
  follower = await demoSite.visit({ as: EXTRAS[2] as string, undecided: true, path: '/luna_vale' });
  await button(follower.page, 'Keep this room open while you browse').click();
  await follower.page.getByRole('link', { name: /Demo Performer/u }).first().click();
});
afterAll(() => demoSite.close());

const button = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('button', { name }).filter({ visible: true }).first();
const TIP = /^Tip \d/u;
const ASK = 'Ask for a private show';
const CLUB = 'Join the fan club';
const GOAL = 'Group goal';
const MENU = 'Tip menu';
const CAMERA = 'Share my camera';
const QUESTION = 'What may we store?';
/** A phone, and its visible height with the on-screen keyboard. */
const TYPING = [[390, 844, 508], [320, 640, 380]] as const;
/** A phone in landscape. */
const LYING = [[844, 390], [667, 375]] as const;

const seen = (shown: Locator, message: string): Promise<void> =>
  expect.poll(() => isInSight(shown), { message }).toBe(true);

/** Checks that the whole bar, with these actions, can be clicked beside the question and the open room. */
async function expectFree(page: Page, names: readonly (string | RegExp)[]): Promise<void> {
  const question = page.getByRole('region', { name: QUESTION });
  const bar = page.getByRole('region', { name: 'Tips and shows' });
  const dock = page.getByRole('navigation', { name: 'Open rooms' });
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    for (const name of ['Accept all', 'Refuse all']) await seen(question.getByRole('button', { name }), name);
    if (page === follower.page) await seen(dock.getByRole('link'), `open room at ${width}`);
    for (const name of names) await seen(button(page, name), `${String(name)} at ${width}`);
    for (const control of await bar.locator('button:visible, input:visible').all()) {
      await seen(control, `${String(control)} at ${width}`);
    }
  }
}

/** Opens an on-screen keyboard that leaves this height of the window visible. Null closes it. */
const showKeyboard = (page: Page, seenPx: number | null): Promise<void> =>
  page.evaluate((height) => {
    const view = globalThis.visualViewport as VisualViewport;
    if (height === null) Reflect.deleteProperty(view, 'height');
    else Object.defineProperty(view, 'height', { configurable: true, get: () => height });
    view.dispatchEvent(new Event('resize'));
  }, seenPx);

/** Checks that a show's figures and buttons, the tip and the chat field are above the keyboard. */
async function expectAboveKeyboard(
  page: Page,
  state: string,
  figures: readonly string[],
  buttons: readonly string[],
): Promise<void> {
  const show = page.getByRole('region', { name: state });
  for (const [width, height, seenPx] of TYPING) {
    await page.setViewportSize({ width, height });
    await showKeyboard(page, seenPx);
    await page.locator('[data-keyboard]').waitFor();
    const tip = button(page, TIP);
    const shown = [
      ...figures.map((name) =>
        show.getByText(name, { exact: true }).locator('xpath=following-sibling::dd[1]')
      ),
      ...buttons.map((name) => button(page, name)),
      tip,
      page.getByRole('textbox', { name: 'Message' }),
    ];
    for (const one of shown) {
      await seen(one, `${String(one)} at ${width}`);
      await expect.poll(() => bottomOf(one), { message: `${String(one)} at ${width}` })
        .toBeLessThanOrEqual(seenPx);
    }
    // The tip comes first in its row; the rest of the row is reached by swiping.
    const before = await tip.evaluate((own) => {
      const { top, left } = own.getBoundingClientRect();
      return [...own.closest('section')?.querySelectorAll('button') ?? []]
        .map((element) => element.getBoundingClientRect())
        .filter((rect) => rect.width > 0 && rect.top === top && rect.left < left).length;
    });
    expect(before).toBe(0);
    await showKeyboard(page, null);
  }
}

const bottomOf = async (shown: Locator): Promise<number> => {
  const box = await shown.boundingBox();
  return (box?.y ?? Infinity) + (box?.height ?? 0);
};

it('the question of consent and open rooms lie over nothing of the bar', async () => {
  for (const { page } of [newcomer, follower]) await expectFree(page, [TIP, MENU, ASK, CAMERA, GOAL, CLUB]);
});

it('the panel of tips ends above the question of consent', async () => {
  const { page } = follower;
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await button(page, MENU).click();
    const panel = page.getByRole('dialog', { name: 'Tip Demo Performer' });
    const question = page.getByRole('region', { name: QUESTION });
    const [box, asked] = [await panel.boundingBox(), await question.boundingBox()];
    expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThanOrEqual(asked?.y ?? 0);
    expect(box?.y).toBeGreaterThanOrEqual(0);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
  }
});

it('while somebody types on a phone what costs, its end and the tip stay above the keyboard', async () => {
  const { page } = viewer;
  const own = await callsOf(viewer.context, demoSite.origin);
  const { call, csrf } = await callsOf(performer.context, demoSite.origin);
  await own.call(requestPrivate, { username: 'demo_performer', price: 60 }, own.csrf);
  await button(page, 'Withdraw request').waitFor();
  await expectAboveKeyboard(page, 'Your private show', ['Time to answer'], ['Withdraw request']);
  await call(acceptPrivate, { username: 'demo_viewer' }, csrf);
  await button(page, 'End show').waitFor();
  await page.getByText('Time left').first().waitFor();
  await expectAboveKeyboard(page, 'Your private show', ['Time', 'Paid', 'Time left'], ['End show']);
  await button(page, CAMERA).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('checkbox').check();
  await dialog.getByRole('button', { name: 'Send request' }).click();
  await page.getByText('Your video isn’t sent yet').waitFor();
  await call(acceptSharecam, { username: 'demo_viewer' }, csrf);
  await button(page, 'Stop sharing').waitFor();
  await expectAboveKeyboard(page, 'Your private show', ['Time', 'Paid'], ['End show', 'Stop sharing']);
});

it('spying is offered beside the question of consent and open rooms', async () => {
  for (const { page } of [newcomer, follower]) await expectFree(page, [/^Spy for/u, CLUB]);
  const { page } = follower;
  await button(page, /^Spy for/u).click();
  await page.getByRole('alertdialog').getByRole('button', { name: /^Spy for/u }).click();
  await expectFree(page, ['Stop spying', TIP]);
});

it('a ticket is offered beside them, and beside Unmute on a phone on its side', async () => {
  const { call, csrf } = await callsOf(performer.context, demoSite.origin);
  await call(endPrivate, { username: 'demo_viewer' }, csrf);
  const { page, context } = await demoSite.visit({ as: EXTRAS[1] as string, phone: true, path: ROOM });
  // Like a browser that plays no sound before the person has interacted with the page.
  await page.addInitScript(() => {
    const play = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, 'play')
      ?.value as (this: HTMLMediaElement) => Promise<void>;
    HTMLMediaElement.prototype.play = function refuseSound(this: HTMLMediaElement) {
      return this.muted
        ? play.call(this)
        : Promise.reject(new DOMException('no sound yet', 'NotAllowedError'));
    };
  });
  await page.reload();
  const unmute = page.getByRole('group', { name: 'Player' }).getByText('Unmute', { exact: true });
  await unmute.waitFor();
  await call(offerTicketShow, {
    message: 'Fire and feathers',
    ticket_price: 40,
    starts_in_minutes: 5,
    minimum_tickets: 1,
    minutes: 30,
    refund_joined_minute_before_end: 0,
  }, csrf);
  const card = page.getByRole('region', { name: 'Ticket show' });
  await card.waitFor();
  const chat = page.getByRole('button', { name: 'Chat over video' });
  for (const [width, height] of LYING) {
    await page.setViewportSize({ width, height });
    for (const isOn of [true, false]) {
      if (await chat.getAttribute('aria-pressed') !== String(isOn)) await chat.click();
      await seen(unmute, `Unmute at ${width}`);
      await seen(card.getByRole('button', { name: 'Buy ticket' }), `ticket at ${width}`);
      for (const name of [TIP, /^Ticket for/u]) await seen(button(page, name), `${String(name)} at ${width}`);
      const [bar, box] = await Promise.all([
        page.getByRole('region', { name: 'Tips and shows' }).boundingBox(),
        card.boundingBox(),
      ]);
      expect(box?.y).toBeGreaterThanOrEqual((bar?.y ?? height) + (bar?.height ?? 0));
    }
  }
  await context.close();
  for (const visit of [newcomer, follower]) await expectFree(visit.page, [TIP, MENU, /^Ticket for/u, CLUB]);
});

it('one tips on the page to swipe through beside the question of consent and open rooms', async () => {
  const { page } = follower;
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('link', { name: /^Candela/u }).first().click();
  await page.getByRole('link', { name: 'Swipe' }).click();
  const form = page.getByRole('form', { name: 'Tip Demo Performer' });
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await seen(
      page.getByRole('navigation', { name: 'Open rooms' }).getByRole('link'),
      `open room at ${width}`,
    );
    await seen(page.getByRole('button', { name: 'Accept all' }), `question at ${width}`);
    for (const control of [form.getByRole('textbox'), form.getByRole('button')]) {
      await seen(control, `${String(control)} at ${width}`);
    }
  }
});
