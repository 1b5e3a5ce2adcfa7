import { uuidV4 } from '#platform/data/ids.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { openAction } from '#product/testkit/pages/look/action-bar.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endGroupGoal, giveToGroupGoal, startGroupGoal } from './contract/group-goal.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const tokensOf = async (member: Member): Promise<number> => (await member.call(getBalance, {})).tokens;

test('a viewer gives to a group goal, and learns how it ended, for as long as it takes [A-225]', async () => {
  const performer = await site.performer({ live: true });
  const [viewer, other] = [await site.viewer({ tokens: 300 }), await site.viewer({ tokens: 300 })];
  const page = await openRoom(site, viewer, performer);
  await performer.call(startGroupGoal, { title: 'A song', tokens: 100, minutes: 20 });
  await site.settle();
  const panel = await openAction(page, 'Group goal');
  await page.sees('0 of 100 tokens', { in: panel });
  await page.sees(/^You pay only if the goal is reached in time\./u, { in: panel });
  await page.sees('$2.50', { in: panel });
  await page.fill('Tokens to chip in', '40', { in: panel });
  await page.sees('$4.00', { in: panel });
  await page.press('Chip in', { in: panel });
  await page.sees('40 of 100 tokens', { in: panel });
  await page.sees('Your share', { in: panel });
  expect(await tokensOf(viewer)).toBe(260);
  expect(await page.problems()).toEqual([]);
  const { username } = performer;
  await other.call(giveToGroupGoal, { username, tokens: 90 }, { idempotencyKey: uuidV4() });
  await page.sees('Group goal reached: A song');
  await page.gone('dialog', 'Group goal');
  expect([await tokensOf(viewer), await tokensOf(other)]).toEqual([260, 240]);
  await performer.call(startGroupGoal, { title: 'A dance', tokens: 100, minutes: 20 });
  const second = await openAction(page, 'Group goal');
  await page.fill('Tokens to chip in', '40', { in: second });
  await page.press('Chip in', { in: second });
  await page.sees('40 of 100 tokens', { in: second });
  await performer.call(endGroupGoal, {});
  const news = await page.sees('The group goal “A dance” wasn’t reached. Your tokens are back.');
  // The message is about tokens, so it stays until it was read.
  await site.passes(60_000);
  await page.idle();
  expect(page.isShown(news)).toBe(true);
  expect(await tokensOf(viewer)).toBe(260);
});

test('whoever has too few tokens for a gift learns how many are missing', async () => {
  const performer = await site.performer({ live: true });
  const page = await openRoom(site, await site.viewer({ tokens: 13 }), performer);
  await performer.call(startGroupGoal, { title: 'A song', tokens: 100, minutes: 20 });
  await site.settle();
  const panel = await openAction(page, 'Group goal');
  await page.fill('Tokens to chip in', '40', { in: panel });
  await page.press('Chip in', { in: panel });
  const dialog = await page.find('dialog', 'Not enough tokens');
  await page.sees('You need 27 more tokens for this. Nothing was charged.', { in: dialog });
});

test('a performer starts a group goal in the console, sees it grow, and ends it', async () => {
  const performer = await site.performer({ live: true });
  const viewer = await site.viewer({ tokens: 300 });
  const page = await openPage(site, performer, '/go-live');
  await page.press('Group goal');
  const form = await page.find('dialog', 'Group goal');
  await page.fill('What’s the goal?', 'A song', { in: form });
  await page.fill('Tokens needed', '200', { in: form });
  await page.press('Start group goal', { in: form });
  const own = await page.find('region', 'Group goal');
  await page.sees('0 of 200 tokens', { in: own });
  const { username } = performer;
  await viewer.call(giveToGroupGoal, { username, tokens: 50 }, { idempotencyKey: uuidV4() });
  await page.sees('50 of 200 tokens', { in: own });
  expect(await page.problems()).toEqual([]);
  await page.press('End group goal', { in: own });
  await page.press('End group goal', { in: await page.find('alertdialog', 'End the group goal?') });
  await page.find('button', 'Group goal');
  expect(page.all('dialog')).toEqual([]);
  expect(await tokensOf(viewer)).toBe(300);
});

test('nothing went wrong on the server', () => expect(site.log).toEqual([]));
