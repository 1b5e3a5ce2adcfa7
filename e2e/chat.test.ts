import type { Locator, Page, WebSocketRoute } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { lookProblems } from './axe.ts';
import { openStage, type ProgramStage, type Visit } from './stage.ts';

let stage: ProgramStage;
let viewer: Visit;
/** The page's room socket; the test also sends messages of its own into it. */
let room: WebSocketRoute | null = null;
/** Above any id the room assigns within a few minutes. */
let lastId = 1_000_000;

beforeAll(async () => {
  stage = await openStage();
  viewer = await stage.visit({ as: 'demo_viewer' });
  await viewer.page.routeWebSocket(/\/ws\//u, (socket) => {
    socket.connectToServer();
    if (!socket.url().includes('/ws/lobby')) room = socket;
  });
  await viewer.page.goto('/luna_vale');
  await field(viewer.page).waitFor();
  // The history has been sent, so added messages come after it.
  await field(viewer.page).and(viewer.page.getByPlaceholder('Say something nice')).waitFor();
});
afterAll(() => stage.close());

const field = (page: Page): Locator => page.getByRole('textbox', { name: 'Message', exact: true });
const chat = (page: Page): Locator => page.getByRole('list', { name: 'Chat' });
const unread = (page: Page): Locator => page.getByRole('button', { name: /^\d+ new$/u });
const send = (name: string, payload: object): void => room?.send(JSON.stringify([name, payload]));

/** A message as the room sends it. */
function messageOf(message: string, more: object): object {
  lastId += 1;
  return {
    id: lastId,
    username: 'mira_lind',
    display_name: 'Mira',
    gender: null,
    message,
    is_tip: false,
    value: 0,
    recent_tips: 0,
    subject_username: null,
    is_invisible_mode: false,
    is_moderation_message: false,
    type: 'message',
    action: null,
    error: false,
    errorMessage: null,
    background: null,
    fontStyle: null,
    color: null,
    weight: null,
    is_model: false,
    is_moderator: false,
    is_guest: false,
    is_vip: false,
    is_super_vip: false,
    has_tokens: true,
    email_confirmed: null,
    has_cc: null,
    has_purchase: null,
    recent_purchases: null,
    tokens: null,
    recentTips: 0,
    socket_id: null,
    reply: null,
    user_language: 'en',
    fanclub_level: null,
    at: new Date().toISOString(),
    ...more,
  };
}

function say(message: string, more: object = {}): number {
  send('v3.chat.message', messageOf(message, more));
  return lastId;
}

/** Sends more lines than the chat holds, and sends them again if the page rejoined its room meanwhile. */
async function says230Lines(page: Page): Promise<void> {
  await vi.waitFor(async () => {
    for (let at = 0; at < 230; at += 1) say(`line ${at}`);
    await chat(page).getByText('line 229').last().waitFor({ timeout: 10_000 });
  }, { timeout: 60_000 });
}

it('the chat stands still while one reads, counts what comes, and follows again', async () => {
  const { page } = viewer;
  await says230Lines(page);
  expect(await page.locator('[data-message]').count()).toBe(200);
  await chat(page).focus();
  await page.keyboard.press('ArrowUp');
  for (let at = 0; at < 3; at += 1) say(`later ${at}`);
  await unread(page).and(page.getByText('3 new')).waitFor();
  expect(await page.locator('[data-message]').count()).toBe(200);
  await unread(page).click();
  await chat(page).getByText('later 2').waitFor();
  await unread(page).waitFor({ state: 'detached' });
});

it('under a finger a line opens its menu, and what puts that or the keyboard away opens none', async () => {
  const guest = await stage.visit({ as: 'demo_viewer', phone: true });
  const { page } = guest;
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/ws\//u, (made) => {
    made.connectToServer();
    if (!made.url().includes('/ws/lobby')) sockets.push(made);
  });
  await page.goto('/luna_vale');
  await field(page).and(page.getByPlaceholder('Say something nice')).waitFor();
  const line = chat(page).getByText('a lamp for everybody').last();
  const reply = page.getByRole('menuitem', { name: 'Reply' });
  // Sent again if the page rejoined its room meanwhile, which removes lines the room did not send itself.
  await vi.waitFor(async () => {
    sockets.at(-1)?.send(JSON.stringify(['v3.chat.message', messageOf('a lamp for everybody', {})]));
    await line.tap({ timeout: 10_000 });
  }, { timeout: 60_000 });
  await reply.waitFor();
  await line.tap();
  await reply.waitFor({ state: 'detached' });
  await field(page).tap();
  await line.tap();
  expect(await reply.count()).toBe(0);
  await line.tap();
  await reply.waitFor();
  await guest.context.close();
});

it('has a typeface of one\'s own, saved for the next visit, that no other text takes [A-181]', async () => {
  const { page } = viewer;
  const lookOf = (shown: Locator): Promise<readonly string[]> =>
    shown.evaluate((element) => {
      const { fontFamily, letterSpacing, wordSpacing } = getComputedStyle(element);
      return [fontFamily, letterSpacing, wordSpacing];
    });
  say('what do I look like?');
  const line = chat(page).getByText('what do I look like?');
  const usual = await lookOf(line);
  const fieldLook = await lookOf(field(page));
  await page.getByRole('button', { name: 'Chat settings' }).click();
  const choice = page.getByRole('region', { name: 'Chat settings' }).getByLabel('Font');
  const looks = new Set([String(usual)]);
  for (const font of ['Serif', 'Monospace', 'Easy to read']) {
    await choice.selectOption({ label: font });
    await expect.poll(async () => looks.has(String(await lookOf(line)))).toBe(false);
    looks.add(String(await lookOf(line)));
  }
  expect(await lookOf(field(page))).toEqual(fieldLook);
  const [family, letters, words] = await lookOf(line);
  expect([family, Number.parseFloat(letters ?? ''), Number.parseFloat(words ?? '')])
    .toEqual([usual[0], expect.closeTo(0.84), expect.closeTo(2.8)]);
  await expect.poll(() =>
    page.evaluate(async () => {
      const answer = await fetch('/api/v1/user/current');
      return ((await answer.json()) as { settings: { font_family: string } }).settings.font_family;
    })
  ).toBe('wide');
  await choice.selectOption({ label: 'Inter' });
  await expect.poll(() => lookOf(line)).toEqual(usual);
  await page.getByRole('button', { name: 'Close chat settings' }).click();
});

it('has nothing serious for axe with tips, calls and its settings, on every width', async () => {
  const { page } = viewer;
  const tips = [
    [5, 'pink-5'],
    [20, 'pink-10'],
    [120, 'pink-15'],
    [600, 'pink-20'],
    [1_500, 'pink-25'],
  ] as const;
  for (const [value, background] of tips) {
    say('for the piano, @mira_lind', { type: 'tip', is_tip: true, value, background });
  }
  const badges = { is_model: true, is_moderator: true, is_vip: true };
  say('@demo_viewer hello', { ...badges, color: 'pink', weight: 'bold' });
  for (const color of ['amber', 'green', 'blue', null]) say('what a colour', { color });
  say('a notice', { type: 'notice', username: '', display_name: '', fontStyle: 'italic', color: 'muted' });
  await page.getByRole('button', { name: 'Chat settings' }).click();
  await page.getByRole('region', { name: 'Chat settings' }).getByLabel('Text size').fill('4');
  expect(await lookProblems(page)).toEqual([]);
});
