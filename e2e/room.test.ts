import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { requestOf } from '../platform/contract/client/client.ts';
import { moderate } from '../product/room-moderation/contract.ts';
import { EXTRAS } from '../product/testkit/demo/cast.ts';
import { lookProblems, findings } from './axe.ts';
import { openDemoSite, type DemoSite } from './demo-site.ts';
import { expectMoving, goLive, type Visit } from './stage.ts';

const ROOM = '/demo_performer';
const [MARCO = '', SECOND = '', THIRD = ''] = EXTRAS;
const PASSWORD = 'open-sesame';

let demoSite: DemoSite;
let performer: Visit;
let viewer: Visit;
let marco: Visit;
beforeAll(async () => {
  demoSite = await openDemoSite();
  [performer, viewer, marco] = await Promise.all([
    demoSite.visit({ as: 'demo_performer' }), demoSite.visit({ as: 'demo_viewer', path: ROOM }),
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
/** Where a page is, without its query. */
const pathOf = (page: Page): string => new URL(page.url()).pathname;
const landsOn = async (page: Page, path: string): Promise<void> =>
  expect.poll(() => pathOf(page), { timeout: 10_000 }).toBe(path);

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

/** From the list of users to somebody's card. */
async function openCard(page: Page, username: string): Promise<void> {
  await part(page, 'Users').click();
  await page.getByRole('list', { name: 'In this room' }).getByRole('button', { name: username }).click();
  await dialog(page).getByText(`@${username}`).waitFor();
}

/** What the page's person does by call, where a page would ask for more. */
const orders = (page: Page, input: { subject: string; action: 'ban' | 'kick' }): Promise<number> =>
  page.evaluate(async ([path, body]) => {
    const { csrf } = await (await fetch('/api/v1/site_config')).json() as { csrf: string };
    const headers = { 'content-type': 'application/json', 'x-csrf-token': csrf };
    return (await fetch(path ?? '', { method: 'POST', headers, body })).status;
  }, Object.values(requestOf(moderate, { username: 'demo_performer', ...input })));

it('everyone gets a message, and the performer silences and unsilences [B-117]', async () => {
  await say(marco.page, 'Silence is golden');
  await line(viewer.page, 'Silence is golden').waitFor();
  await choose(performer.page, 'Silence is golden', 'Silence');
  await expectSound(performer.page);
  await dialog(performer.page).getByRole('button', { name: 'Silence', exact: true }).click();
  await line(viewer.page, 'Silence is golden').waitFor({ state: 'detached' });
  await performer.page.getByRole('button', { name: 'Undo' }).click();
  await performer.page.getByText('Undone.').waitFor();
  await say(marco.page, 'I may speak again');
  await line(viewer.page, 'I may speak again').waitFor();
  // A viewer is offered to answer, and nothing that is a moderator's.
  await line(viewer.page, 'I may speak again').hover();
  await line(viewer.page, 'I may speak again').locator('[data-line-menu]').click();
  await viewer.page.getByRole('menuitem', { name: 'Reply' }).waitFor();
  expect(await viewer.page.getByRole('menuitem', { name: 'Ban' }).count()).toBe(0);
  await viewer.page.keyboard.press('Escape');
});

it('who is here the performer sees, and viewers when she says so [B-108, B-301, B-308]', async () => {
  await part(performer.page, 'Users').click();
  const list = performer.page.getByRole('list', { name: 'In this room' });
  await list.getByRole('button', { name: MARCO }).waitFor();
  await list.getByRole('button', { name: 'demo_viewer' }).waitFor();
  await performer.page.getByRole('searchbox').fill('VIEW');
  await list.getByRole('button', { name: MARCO }).waitFor({ state: 'detached' });
  expect(await list.getByRole('button').count()).toBe(1);
  await expectSound(performer.page);
  expect(await part(viewer.page, 'Users').count()).toBe(0);
  await part(performer.page, 'Room').click();
  await performer.page.getByLabel('Everyone can see who’s in the room').click();
  await part(viewer.page, 'Users').click();
  await viewer.page.getByRole(
    'list', { name: 'In this room' },
  ).getByRole('button', { name: MARCO }).waitFor();
  await openCard(viewer.page, MARCO);
  expect(await dialog(viewer.page).getByRole('button', { name: 'Ban' }).count()).toBe(0);
  await dialog(viewer.page).getByRole('button', { name: 'Mention' }).click();
  const field = viewer.page.getByRole('textbox', { name: 'Message', exact: true });
  await expect.poll(() => field.inputValue()).toBe(`@${MARCO} `);
  await field.fill('');
});

it('a moderator the performer names has the tools, and takes a message away [B-117]', async () => {
  expect(await part(marco.page, 'Moderate').count()).toBe(0);
  await openCard(performer.page, MARCO);
  await dialog(performer.page).getByRole('button', { name: 'Make moderator' }).click();
  await part(marco.page, 'Moderate').click();
  await marco.page.getByText('No messages to review.').waitFor();
  await expectSound(marco.page);
  await part(marco.page, 'Chat').click();
  await say(viewer.page, 'Take this away');
  await choose(marco.page, 'Take this away', 'Remove message');
  await line(viewer.page, 'Take this away').waitFor({ state: 'detached' });
  // Whoever was named names nobody.
  await openCard(marco.page, 'demo_viewer');
  await dialog(marco.page).getByRole('button', { name: 'Kick' }).waitFor();
  expect(await dialog(marco.page).getByRole('button', { name: 'Make moderator' }).count()).toBe(0);
  await marco.page.keyboard.press('Escape');
  await part(marco.page, 'Chat').click();
});

it('a link waits for a moderator, who shows it; the strictest rules ask for tips [B-117]', async () => {
  await say(viewer.page, 'look at www.example.com');
  await part(marco.page, 'Moderate').click();
  const waiting = marco.page.getByRole('list', { name: 'Pending' });
  await waiting.getByText('look at www.example.com').waitFor();
  expect(await line(performer.page, 'look at www.example.com').count()).toBe(0);
  await waiting.getByRole('button', { name: 'Approve demo_viewer’s message' }).click();
  await part(performer.page, 'Chat').click();
  await line(performer.page, 'look at www.example.com').waitFor();
  await part(marco.page, 'Chat').click();
  await part(performer.page, 'Moderate').click();
  await performer.page.getByRole('tab', { name: 'Rules' }).click();
  await performer.page.getByRole('button', { name: 'Fans only' }).click();
  await viewer.page.getByText('Only people who have tipped here can chat.').first().waitFor();
  await expectSound(performer.page);
  await performer.page.getByRole('button', { name: 'Open' }).click();
  await viewer.page.getByText('Only people who have tipped here can chat.').first()
    .waitFor({ state: 'detached' });
});

it('a kicked viewer reads it, lands on the listing, the room is closed [B-226, B-227, B-391]', async () => {
  const { page, context } = await demoSite.visit({ as: SECOND, path: ROOM });
  await openCard(marco.page, SECOND);
  await dialog(marco.page).getByRole('button', { name: 'Kick' }).click();
  await dialog(marco.page).getByRole('button', { name: 'Kick', exact: true }).click();
  await page.getByText('You have been kicked from this room.').waitFor();
  await landsOn(page, '/');
  await page.goto(ROOM);
  await page.locator('[data-room-barred=kicked]').getByText('You can come back').waitFor();
  await expectSound(page);
  await context.close();
});

it('banned one reads the reason and finds it at the door; undone, they come in [B-223, B-227]', async () => {
  const { page, context } = await demoSite.visit({ as: THIRD, path: ROOM });
  await openCard(performer.page, THIRD);
  await dialog(performer.page).getByRole('button', { name: 'Ban' }).click();
  await dialog(performer.page).getByRole('button', { name: '1 day' }).click();
  await dialog(performer.page).getByLabel('Reason', { exact: true }).fill('Be kind next time');
  await dialog(performer.page).getByRole('button', { name: 'Ban', exact: true }).click();
  // The toast says it, and the refused page beneath it for a moment.
  await page.getByText('Be kind next time').first().waitFor();
  await landsOn(page, '/');
  await page.goto(ROOM);
  await page.locator('[data-room-barred=banned]').getByText('Be kind next time').waitFor();
  await expectSound(page);
  await part(performer.page, 'Moderate').click();
  await performer.page.getByRole('tab', { name: 'People' }).click();
  const entry = performer.page.getByRole('list', { name: 'Bans' }).getByRole('listitem')
    .filter({ hasText: THIRD });
  await entry.getByRole('button', { name: 'Lift ban' }).click();
  await entry.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
  await context.close();
});

it('banned from a room in the dock, a viewer stays where they are [B-187, B-227, B-390]', async () => {
  const { page, context } = await demoSite.visit({ as: THIRD, path: ROOM });
  // What was there is seen.
  await line(page, 'I may speak again').waitFor();
  await page.getByRole('button', { name: 'Keep this room open while you browse' }).click();
  await page.getByRole('link', { name: 'Girls' }).click();
  const dock = page.getByRole('navigation', { name: 'Open rooms' });
  await dock.getByRole('link', { name: 'Demo Performer' }).waitFor();
  await say(viewer.page, 'Where did you go?');
  await dock.getByText('1 new message').waitFor();
  await expectSound(page);
  expect(await orders(performer.page, { subject: THIRD, action: 'ban' })).toBe(200);
  await page.getByText('You have been banned from this room.').waitFor();
  await dock.waitFor({ state: 'detached' });
  expect(pathOf(page)).toBe('/girls');
  await context.close();
});

it('a room with a password says what is wrong, and opens to who knows it [B-206]', async () => {
  await part(performer.page, 'Room').click();
  await performer.page.getByLabel('Room password').fill(PASSWORD);
  await performer.page.getByRole('button', { name: 'Set password' }).click();
  const form = viewer.page.locator('[data-stream-status=password_required]');
  await form.getByLabel('Room password').fill('a guess');
  await form.getByRole('button', { name: 'Enter room' }).click();
  await form.getByRole('alert').getByText('password').waitFor();
  await expectSound(viewer.page);
  await form.getByLabel('Room password').fill(PASSWORD);
  await form.getByRole('button', { name: 'Enter room' }).click();
  await expectMoving(viewer.page);
  await performer.page.getByRole('button', { name: 'Remove password' }).click();
  await expectMoving(marco.page);
});

/** A guest before the picture, with the time of the page in our hands: the overlay comes after so long. */
async function looksOnFor(ms: number, query: string): Promise<Visit> {
  const guest = await demoSite.visit();
  const { page } = guest;
  await page.clock.install();
  await page.goto(`${ROOM}${query}`);
  await expectMoving(page);
  // The look began somewhere between the opening of the page and now, however slow the machine is.
  const [opened, seen] = await page.evaluate(() => [Date.now() - performance.now(), Date.now()] as const);
  await page.clock.pauseAt(opened + ms - 1_000);
  expect(await overlay(page).count()).toBe(0);
  await page.clock.fastForward(seen - opened + 1_000);
  await overlay(page).waitFor();
  await page.clock.resume();
  return guest;
}
const overlay = (page: Page): Locator => page.locator('[data-stream-status=guest_overlay]');

it('a guest looks on for a minute if the address says so, then never again [A-107, A-264, A-267, B-118]',
  async () => {
    const { page, context } = await looksOnFor(60_000, '?vidstop=1');
    await overlay(page).getByRole('button', { name: 'Log in or sign up' }).waitFor();
    // It is over the video alone, which stops; the chat goes on.
    expect(await page.locator('video').filter({ visible: true }).count()).toBe(0);
    await say(viewer.page, 'Hello, guest');
    await line(page, 'Hello, guest').waitFor();
    await expectSound(page);
    await page.goto(ROOM);
    await overlay(page).waitFor();
    await context.close();
  });

it('and for two minutes anywhere else; members are never asked [A-265, A-266, A-479, B-292]', async () => {
  const { context } = await looksOnFor(120_000, '');
  await context.close();
  const other = await demoSite.visit({ path: `${ROOM}?vidstop=now` });
  await overlay(other.page).waitFor();
  await other.context.close();
  await viewer.page.goto(`${ROOM}?vidstop=now`);
  await expectMoving(viewer.page);
  expect(await overlay(viewer.page).count()).toBe(0);
});

it('on a phone parts are tabs, and on its side the chat lies over the picture [C-081]', async () => {
  const { page, context } = await demoSite.visit({ as: SECOND, phone: true, path: '/luna_vale' });
  await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
  await part(page, 'Actions').tap();
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

it('a suspended performer is visible to staff alone, with a notice; blocked words are saved [B-137]',
  async () => {
    const tessId = await demoSite.idOf('tess_arden');
    const suspend = (suspended: boolean) => demoSite.tx((tx) =>
      demoSite.services.accounts.suspend(tx, tessId, { suspended, actorId: null, reason: 'a test' }));
    await suspend(true);
    const staff = await demoSite.visit({ as: 'demo_admin', path: '/tess_arden' });
    await staff.page.getByText('This account is suspended.').waitFor();
    await viewer.page.goto('/tess_arden');
    await viewer.page.locator('[data-room-error="404"]').waitFor();
    await suspend(false);
    await viewer.page.goto('/tess_arden');
    await viewer.page.getByRole('heading', { name: 'About Tess Arden' }).waitFor();
    await staff.page.goto('/admin/blocked-words');
    await staff.page.getByLabel('Blocked words').fill('velvetspam');
    await staff.page.getByRole('button', { name: 'Save words' }).click();
    await staff.page.getByText('Saved.').waitFor();
    expect(await lookProblems(staff.page)).toEqual([]);
    await staff.context.close();
  });

it('a room that is lost says so until it is back', async () => {
  const { page, context } = await demoSite.visit({ as: SECOND });
  const sockets: { close: () => void }[] = [];
  let isDown = false;
  await page.routeWebSocket(/\/ws\//u, (socket) => {
    if (isDown) return void socket.close();
    socket.connectToServer();
    sockets.push(socket);
  });
  await page.goto('/luna_vale');
  await page.locator('input[aria-label=Message]:not([disabled])').waitFor();
  await expect.poll(() => page.getByTestId('user-count').textContent()).toBe('1');
  isDown = true;
  for (const socket of sockets.splice(0)) socket.close();
  await page.getByText('Chat connection lost. Reconnecting').waitFor();
  await page.getByText('Reconnecting', { exact: true }).waitFor();
  await expectSound(page);
  isDown = false;
  await page.getByText('Chat connection lost. Reconnecting').waitFor({ state: 'detached' });
  await context.close();
});
