import { updateProfile } from '#product/accounts/contract.ts';
import { saveOwnClub } from '#product/fanclubs/contract.ts';
import { startGroupGoal } from '#product/shows/contract/group-goal.ts';
import { endPrivate } from '#product/shows/contract/private-running.ts';
import { acceptPrivate } from '#product/shows/contract/private-show.ts';
import { acceptSharecam } from '#product/shows/contract/sharecam.ts';
import { buyTicket, offerTicketShow, startTicketShow } from '#product/shows/contract/ticket-show.ts';
import { EXTRAS } from '#product/testkit/demo/cast.ts';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoSite, type DemoSite } from './demo-site.ts';
import { callsOf, expectMoving, isInSight, signUp, type Visit } from './stage.ts';

const ROOM = '/demo_performer';
const SIZES = [[1366, 768], [1440, 900], [1920, 1080], [390, 844], [320, 640]] as const;
/** From this width on the chat is beside the video. */
const WIDE = 1024;

let demoSite: DemoSite;
let performer: Visit;
let viewer: Visit;
let spy: Visit;
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
  // Long enough to scroll the video away at every size.
  await call(updateProfile, { about: 'I like rain, and songs about it.\n'.repeat(20) }, csrf);
  await call(startGroupGoal, { title: 'A song for all', tokens: 500, minutes: 60 }, csrf);
  viewer = await demoSite.visit({ as: 'demo_viewer', path: ROOM });
  spy = await demoSite.visit({ as: EXTRAS[0] as string, path: ROOM });
});
afterAll(() => demoSite.close());

const button = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('button', { name }).filter({ visible: true }).first();
const TIP = /^Tip \d/u;
const ASK = 'Ask for a private show';
/** Height of the header above the room. */
const HEADER_PX = 56;
const CLUB = 'Join the fan club';
const GOAL = 'Group goal';

/** Checks that buttons are in sight at every size without scrolling, and in a wide window also after it. */
async function expectInSight(page: Page, ...names: readonly (string | RegExp)[]): Promise<void> {
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    for (const name of names) {
      await expect.poll(() => isInSight(button(page, name)), { message: `${name} at ${width}` }).toBe(true);
    }
    if (width < WIDE) continue;
    const player = page.getByRole('group', { name: 'Player' });
    await player.hover();
    await page.mouse.wheel(0, 2_000);
    for (const name of names) {
      await expect.poll(() => isInSight(button(page, name)), { message: `${name} at ${width}` }).toBe(true);
    }
    await page.mouse.wheel(0, -4_000);
    // Wheel scrolling takes time, and a window made smaller meanwhile would stay where it was.
    await expect.poll(async () => (await player.boundingBox())?.y).toBeGreaterThanOrEqual(HEADER_PX);
  }
}

/** Checks that the figures of a pending or running show, time and cost, are in sight at every size. */
async function expectFigures(page: Page, within: Locator, names: readonly string[]): Promise<void> {
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    for (const name of names) {
      const value = within.getByText(name, { exact: true }).locator('xpath=following-sibling::dd[1]');
      await expect.poll(() => isInSight(value), { message: `${name} at ${width}` }).toBe(true);
      expect(await value.innerText()).toMatch(/\d/u);
    }
  }
}

it('what one can buy is in sight at every size, with the video as wide as its column', async () => {
  const { page } = viewer;
  for (const name of [ASK, CLUB, GOAL]) await button(page, name).waitFor();
  await expectInSight(page, TIP, ASK, CLUB, GOAL);
  for (const [width, height] of SIZES.filter(([wide]) => wide >= WIDE)) {
    await page.setViewportSize({ width, height });
    const box = await page.getByRole('group', { name: 'Player' }).boundingBox();
    expect((box?.width ?? 0) / (box?.height ?? 1)).toBeCloseTo(16 / 9, 1);
    expect(box?.width).toBe(width - 360);
  }
});

it('scrolled away the video goes on small, in the corner of its column, clear of the bar', async () => {
  const { page } = viewer;
  for (const [width, height] of SIZES.filter(([wide]) => wide >= WIDE)) {
    await page.setViewportSize({ width, height });
    const player = page.getByRole('group', { name: 'Player' });
    await player.hover();
    await page.mouse.wheel(0, 2_000);
    await page.getByRole('button', { name: 'Close the small video' }).waitFor();
    const box = await player.boundingBox();
    const { x, y, width: wide, height: high } = box ?? { x: 0, y: 0, width: 0, height: 0 };
    expect(wide).toBeGreaterThan(200);
    expect(wide).toBeLessThan((width - 360) / 2);
    expect(wide / high).toBeCloseTo(16 / 9, 1);
    // In the lower right of the column beside the chat.
    expect([x > (width - 360) / 2, y > height / 2, x + wide <= width - 360, y + high <= height])
      .toEqual([true, true, true, true]);
    const bar = await button(page, TIP).boundingBox();
    expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeLessThanOrEqual(y);
    await expectMoving(page);
    await page.mouse.move(width / 4, height / 2);
    await page.mouse.wheel(0, -4_000);
    await page.getByRole('button', { name: 'Close the small video' }).waitFor({ state: 'detached' });
  }
});

it('on a phone whose room it is stands in full, with a third of the width and no icon over it', async () => {
  const { page } = viewer;
  for (const [width, height] of [[390, 844], [320, 640]] as const) {
    await page.setViewportSize({ width, height });
    const name = page.locator('[data-room-name]').filter({ visible: true });
    await expect.poll(() => isInSight(name)).toBe(true);
    const [text, space, isCut] = await name.evaluate((element) =>
      [
        (element as HTMLElement).innerText,
        element.parentElement?.parentElement?.getBoundingClientRect().width ?? 0,
        element.scrollWidth > element.clientWidth,
      ] as const
    );
    expect([text, isCut]).toEqual(['Demo Performer', false]);
    // 30% of 390.
    expect(space).toBeGreaterThanOrEqual(117);
  }
});

it('the panel of tips opens over the video and stays in the window', async () => {
  const { page } = viewer;
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await button(page, 'Tip menu').click();
    const panel = page.getByRole('dialog', { name: 'Tip Demo Performer' });
    const box = await panel.boundingBox();
    expect(box).not.toBeNull();
    const { x, y, width: wide, height: high } = box ?? { x: -1, y: -1, width: 0, height: 0 };
    expect([x >= 0, y >= 0, x + wide <= width, y + high <= height]).toEqual([true, true, true, true]);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
  }
});

it('a toast lies over nothing of the bar', async () => {
  const { page } = viewer;
  for (const [width, height] of [SIZES[0], SIZES[3]]) {
    await page.setViewportSize({ width, height });
    await button(page, TIP).click();
    const toast = page.getByText(/^You tipped Demo Performer/u).first();
    // It stays while the pointer is on it.
    await toast.hover();
    const [box, bar] = [await toast.boundingBox(), await button(page, TIP).boundingBox()];
    expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThan(bar?.y ?? 0);
    await page.mouse.move(width / 2, height / 2);
    await toast.waitFor({ state: 'detached' });
  }
});

it('who signs up from the bar finds it and the chat in sight, under what they have yet to do', async () => {
  const { page, context } = await demoSite.visit({ path: ROOM });
  await button(page, TIP).click();
  await page.getByRole('dialog', { name: 'Log in' }).getByText('Sign up', { exact: true }).click();
  const form = page.getByRole('dialog', { name: 'Sign up' });
  const submit = form.getByRole('button', { name: 'Sign up' });
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await expect.poll(() => isInSight(submit), { message: `at ${width}` }).toBe(true);
  }
  await signUp(form, 'bar_newcomer');
  await button(page, 'Confirm email').waitFor();
  await expectInSight(page, TIP, ASK);
  const message = page.getByRole('textbox', { name: 'Message' });
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await expect.poll(() => isInSight(message), { message: `at ${width}` }).toBe(true);
  }
  await context.close();
});

it('what waits and what runs replaces the bar, with its end, wherever one has scrolled', async () => {
  const { page } = viewer;
  await button(page, ASK).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send request' }).click();
  await button(page, 'Withdraw request').waitFor();
  await expectInSight(page, 'Withdraw request', TIP);
  const show = page.getByRole('region', { name: 'Your private show' });
  await expectFigures(page, show, ['Time to answer']);
  const { call, csrf } = await callsOf(performer.context, demoSite.origin);
  await call(acceptPrivate, { username: 'demo_viewer' }, csrf);
  await button(page, 'End show').waitFor();
  await expectInSight(page, 'End show', TIP);
  await page.getByText('Time left').first().waitFor();
  await expectInSight(page, 'End show', TIP);
  await expectFigures(page, show, ['Time', 'Paid', 'Time left']);
  // A running show replaces the name and the prices; buttons still have their labels.
  await page.setViewportSize({ width: 1366, height: 768 });
  await page.locator('[data-room-name]').waitFor({ state: 'hidden' });
  await expect.poll(() => button(page, CLUB).evaluate((element) => (element as HTMLElement).offsetWidth))
    .toBeGreaterThan(80);
});

it('spying and a camera on air have their end in sight', async () => {
  await button(spy.page, /^Spy for/u).waitFor();
  await expectInSight(spy.page, /^Spy for/u);
  await button(spy.page, /^Spy for/u).click();
  await spy.page.getByRole('alertdialog').getByRole('button', { name: /^Spy for/u }).click();
  await button(spy.page, 'Stop spying').waitFor();
  await expectInSight(spy.page, 'Stop spying');
  const spying = spy.page.getByRole('region', { name: 'Spying' });
  await spying.getByText('Paid', { exact: true }).waitFor();
  await expectFigures(spy.page, spying, ['Time', 'Paid']);
  const { page } = viewer;
  await page.setViewportSize({ width: 1440, height: 900 });
  await button(page, 'Share my camera').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('checkbox').check();
  await dialog.getByRole('button', { name: 'Send request' }).click();
  await page.getByText('Your video isn’t sent yet').waitFor();
  const { call, csrf } = await callsOf(performer.context, demoSite.origin);
  await call(acceptSharecam, { username: 'demo_viewer' }, csrf);
  await button(page, 'Stop sharing').waitFor();
  await expectInSight(page, 'Stop sharing', 'End show');
  await expectFigures(page, page.locator('[data-costs]').filter({ hasText: 'Stop sharing' }), ['Time']);
});

/** Position of the tip button at every size, with the page scrolled to the top. */
async function placesOfTip(page: Page, check?: () => Promise<void>) {
  const places: unknown[] = [];
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await page.evaluate(() => scrollTo(0, 0));
    await check?.();
    await expect.poll(() => isInSight(button(page, TIP)), { message: `at ${width}` }).toBe(true);
    places.push([width, await button(page, TIP).boundingBox()]);
  }
  return places;
}

it('the card that asks for a rating after a show moves nothing that is about to be clicked', async () => {
  const { page } = viewer;
  const { call, csrf } = await callsOf(performer.context, demoSite.origin);
  await call(endPrivate, { username: 'demo_viewer' }, csrf);
  const question = page.getByText('How was the show? Rate Demo Performer.', { exact: true });
  await question.waitFor();
  // Everything else at the end of the show has appeared: what was paid, and that the camera is off.
  const show = page.getByRole('region', { name: 'Your private show' });
  await show.getByText('Paid', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Stop sharing' }).first().waitFor({ state: 'detached' });
  const asked = await placesOfTip(page, () => expect.poll(() => isInSight(question)).toBe(true));
  await button(page, 'Not now').click();
  await question.waitFor({ state: 'detached' });
  expect(await placesOfTip(page)).toEqual(asked);
});

it('the tabs of a phone stay where they are when a message waits for a moderator', async () => {
  // A second page besides the console, which sends the video.
  const page = await performer.context.newPage();
  await page.goto(`${demoSite.origin}${ROOM}`);
  const tab = button(page, /^Moderate/u);
  await page.setViewportSize({ width: 390, height: 844 });
  await tab.waitFor();
  const heightOf = (width: number) =>
    page.setViewportSize({ width, height: 844 })
      .then(() => tab.evaluate((element) => element.getBoundingClientRect().height));
  const before = [await heightOf(390), await heightOf(320)];
  const message = spy.page.getByRole('textbox', { name: 'Message' });
  await message.fill('see example.com');
  await message.press('Enter');
  await button(page, /^Moderate\s*1$/u).waitFor();
  expect([await heightOf(390), await heightOf(320)]).toEqual(before);
  // The number is inside the tab and does not cover its name.
  const apart = await tab.evaluate((element) => {
    const [name, count] = [...element.querySelectorAll('span')].map((item) => item.getBoundingClientRect());
    const own = element.getBoundingClientRect();
    return [(count?.bottom ?? 0) <= (name?.top ?? 0) + 1, (count?.right ?? 0) <= own.right];
  });
  expect(apart).toEqual([true, true]);
  await page.close();
});

it('the offer of a ticket leaves Unmute free, and every action in sight, at every size', async () => {
  const { page, context } = await demoSite.visit({ as: EXTRAS[1] as string, path: ROOM });
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
  const { call, csrf } = await callsOf(performer.context, demoSite.origin);
  await call(offerTicketShow, {
    message: 'Fire and feathers',
    ticket_price: 40,
    starts_in_minutes: 5,
    minimum_tickets: 1,
    minutes: 30,
    refund_joined_minute_before_end: 0,
  }, csrf);
  await page.getByRole('region', { name: 'Ticket show' }).waitFor();
  const actions = [TIP, 'Tip menu', /^Ticket for/u, 'Share my camera', GOAL, CLUB];
  for (const [width, height] of [...SIZES, [768, 1024], [1024, 768]] as const) {
    await page.setViewportSize({ width, height });
    for (const shown of [unmute, ...actions.map((name) => button(page, name))]) {
      await expect.poll(() => isInSight(shown), { message: `${String(shown)} at ${width}` }).toBe(true);
    }
    const places = page.getByRole('region', { name: 'Tips and shows' }).locator('button:visible');
    for (const place of await places.all()) {
      await expect.poll(() => isInSight(place), { message: `${String(place)} at ${width}` }).toBe(true);
    }
  }
  await context.close();
});

it('a ticket is bought in sight by whoever the show shuts out', async () => {
  const { call, csrf } = await callsOf(performer.context, demoSite.origin);
  for (const [width, height] of SIZES) {
    await viewer.page.setViewportSize({ width, height });
    const card = viewer.page.getByRole('region', { name: 'Ticket show' });
    await card.waitFor();
    await expect.poll(() => isInSight(card.getByRole('button', { name: 'Buy ticket' })), {
      message: `at ${width}`,
    }).toBe(true);
  }
  const buyer = await callsOf(spy.context, demoSite.origin);
  await buyer.call(buyTicket, { username: 'demo_performer', price: 40 }, buyer.csrf);
  await call(startTicketShow, {}, csrf);
  const { page } = viewer;
  await page.locator('[data-stream-status=limited]').waitFor();
  const over = page.getByRole('region', { name: 'Ticket show' }).getByRole('button', { name: 'Buy ticket' });
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await expect.poll(() => isInSight(over), { message: `over the video at ${width}` }).toBe(true);
    const why = page.getByText('Demo Performer is in a ticket show', { exact: true });
    await expect.poll(() => isInSight(why), { message: `the reason at ${width}` }).toBe(true);
  }
  await expectInSight(page, /^Ticket for/u, TIP);
  // A ticket holder sees how much of the agreed length is left.
  const own = spy.page.getByRole('region', { name: 'Your ticket' });
  await own.getByText('You’re in the ticket show.').waitFor();
  await expectFigures(spy.page, own, ['Left of agreed length']);
});

it('on a phone each receipt is a block with its tokens in sight', async () => {
  const seen: string[] = [];
  for (const { page } of [viewer, spy]) {
    await page.goto(`${demoSite.origin}/account/shows`);
    for (const [width, height] of SIZES.slice(3)) {
      await page.setViewportSize({ width, height });
      const tables = page.locator('[role=region]:has(> table)');
      await tables.first().waitFor();
      for (const table of await tables.all()) {
        const of = await table.evaluate((region) => {
          const { left, right } = region.getBoundingClientRect();
          const amounts = [...region.querySelectorAll('td[data-label=Tokens]')].map((cell) => {
            const { left: from, right: to } = (cell.lastElementChild ?? cell).getBoundingClientRect();
            return from >= left && to <= right && to > from;
          });
          return { isCut: region.scrollWidth > region.clientWidth, amounts };
        });
        expect(of.isCut).toBe(false);
        expect(of.amounts).not.toEqual([]);
        expect(of.amounts).not.toContain(false);
        seen.push(await table.getAttribute('aria-label') ?? '');
      }
    }
  }
  expect([...new Set(seen)]).toEqual(expect.arrayContaining(['Private shows', 'Spying receipts', 'Tickets']));
});
