import { openRoom } from '#product/testkit/pages/open-page.tsx';
import { joinsSplit } from '#product/testkit/payments/splits.ts';
import { tokensOf } from '#product/testkit/payments/wallet.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cancelSplit, startSplit } from './contract/splits.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openRoom>>;

/** What a page lets its viewer do with a split now. */
const offered = (page: Page): { readonly start: boolean; readonly join: boolean } => ({
  start: page.all('button', 'Propose split').length > 0,
  join: page.all('button', /^Join for/u).length > 0,
});
const NOTHING = { start: false, join: false };

/** A live room with three members who have 50 tokens each, and the first one's page. */
async function room(): Promise<{ page: Page; host: Member; own: Member; other: Member; third: Member }> {
  const host = await site.performer({ live: true });
  const [own, other, third] = [
    await site.viewer({ tokens: 50 }),
    await site.viewer({ tokens: 50 }),
    await site.viewer({ tokens: 50 }),
  ];
  const page = await openRoom(site, own, host);
  await page.press('Tip menu');
  await page.find('button', 'Propose split');
  return { page, host, own, other, third };
}

const ASKED = 'Join this split?';
/** Joins the split that a page shows, and confirms the question. */
async function joins(page: Page, share: number): Promise<void> {
  await page.press(`Join for ${share}`);
  await page.press(`Join for ${share}`, { in: await page.find('alertdialog', ASKED) });
}
const joinCalls = (page: Page): readonly string[] =>
  page.network.sent.filter((sent) => /^POST \S*\/join\b/u.test(sent));

/** Proposes a split of 20 tokens between two people on a page. */
async function proposes(page: Page): Promise<void> {
  const form = await page.find('form', 'Split a tip');
  await page.fill('Total tokens', '20', { in: form });
  await page.fill('People', '2', { in: form });
  await page.press('Propose split', { in: form });
}

test(
  'a split is proposed only while one is available, not while it or its end shows [B-183, B-218]',
  async () => {
    const { page, host, own, other } = await room();
    expect(offered(page)).toEqual({ start: true, join: false });
    const form = await page.find('form', 'Split a tip');
    await page.fill('Total tokens', '25', { in: form });
    await page.fill('People', '2', { in: form });
    await page.sees('12 tokens each, 13 for you ($1.30)', { in: form });
    await page.fill('Total tokens', '20', { in: form });
    await page.sees('10 tokens each ($1.00)', { in: form });
    await proposes(page);
    await page.sees(`${own.username} wants to split a tip of 20 tokens.`);
    expect(offered(page)).toEqual(NOTHING);
    await page.press('Cancel split');
    await page.sees('The split was canceled. No one was charged.');
    expect(offered(page)).toEqual(NOTHING);
    await site.passes(8_000 - 1);
    await page.idle();
    expect(offered(page)).toEqual(NOTHING);
    await site.passes(1);
    await page.find('button', 'Propose split');
    expect(page.shows('The split was canceled. No one was charged.')).toBe(false);
    await proposes(page);
    await page.sees(`${own.username} wants to split a tip of 20 tokens.`);
    await joinsSplit(other, host);
    await page.sees('Everyone joined: 20 tokens tipped together.');
    expect(offered(page)).toEqual(NOTHING);
    expect([await tokensOf(own), await tokensOf(other)]).toEqual([40, 40]);
    await site.passes(8_000);
    await page.find('button', 'Propose split');
  },
);

test('a split is joined while it is proposed, by who is not in it [B-171, B-219]', async () => {
  const { page, host, own, other, third } = await room();
  const start = { username: host.username, amount: 31, people: 3 };
  await other.call(startSplit, start);
  await page.sees(`${other.username} wants to split a tip of 31 tokens.`);
  await page.sees('1 of 3 joined');
  expect(offered(page)).toEqual({ start: false, join: true });
  await joins(page, 10);
  await page.sees('2 of 3 joined');
  await page.sees('You’ve joined. You pay 10 tokens once everyone has.');
  expect(offered(page)).toEqual(NOTHING);
  await joinsSplit(third, host);
  await page.sees('Everyone joined: 31 tokens tipped together.');
  expect(offered(page)).toEqual(NOTHING);
  expect([await tokensOf(own), await tokensOf(other), await tokensOf(third)]).toEqual([40, 39, 40]);
  await site.passes(8_000);
  await page.find('button', 'Propose split');
  await other.call(startSplit, start);
  await page.find('button', 'Join for 10');
  await other.call(cancelSplit, { username: host.username });
  await page.sees('The split was canceled. No one was charged.');
  expect(offered(page)).toEqual(NOTHING);
});

test('the command tip_split proposes, joins and cancels from the line of the chat [B-283]', async () => {
  const { page, host, own, other } = await room();
  const types = async (line: string): Promise<void> => {
    await page.fill('Message', line);
    (await page.field('Message')).focus();
    await page.keys('{Enter}');
  };
  await types('/tip_split 20 2');
  await page.sees(`${own.username} wants to split a tip of 20 tokens.`);
  await types('/tip_split cancel');
  await page.sees('The split was canceled. No one was charged.');
  await site.passes(8_000);
  await page.find('button', 'Propose split');
  await other.call(startSplit, { username: host.username, amount: 20, people: 2 });
  await page.find('button', 'Join for 10');
  await types('/tip_split join');
  await page.sees('Joining costs 10 tokens. Type /tip_split join 10 to take part.');
  expect(await tokensOf(own)).toBe(50);
  await types('/tip_split join 10');
  await page.sees('Everyone joined: 20 tokens tipped together.');
  expect([await tokensOf(own), await tokensOf(other)]).toEqual([40, 40]);
});

test('joining a split asks once, with the share in tokens and money', async () => {
  const { page, host, own, other } = await room();
  await other.call(startSplit, { username: host.username, amount: 20, people: 2 });
  await page.press('Join for 10');
  const asked = await page.find('alertdialog', ASKED);
  for (const words of ['10 tokens', '$1.00', 'No one pays until everyone has joined.']) {
    await page.sees(words, { in: asked });
  }
  expect(await page.problems()).toEqual([]);
  await page.press('Not now', { in: asked });
  await page.gone('alertdialog', ASKED);
  expect(joinCalls(page)).toEqual([]);
  expect([await tokensOf(own), await tokensOf(other)]).toEqual([50, 50]);
  await joins(page, 10);
  await page.sees('Everyone joined: 20 tokens tipped together.');
  expect(joinCalls(page)).toHaveLength(1);
  expect([await tokensOf(own), await tokensOf(other)]).toEqual([40, 40]);
});

test('whoever joins what another split took the place of is charged nothing', async () => {
  const host = await site.performer({ live: true });
  const [own, attacker] = [await site.viewer({ tokens: 2_000 }), await site.viewer({ tokens: 2_000 })];
  const page = await openRoom(site, own, host);
  await attacker.call(startSplit, { username: host.username, amount: 2, people: 2 });
  await page.find('button', 'Join for 1');
  // The page is not notified that another split has replaced this one.
  const passes = page.network.stalls(`/ws/room/${host.username}`);
  await attacker.call(cancelSplit, { username: host.username });
  await site.passes(8_000);
  await attacker.call(startSplit, { username: host.username, amount: 2_000, people: 2 });
  await joins(page, 1);
  await page.sees('The split has changed: joining now costs 1000 tokens.');
  expect([await tokensOf(own), await tokensOf(attacker)]).toEqual([2_000, 2_000]);
  passes();
  await page.find('button', 'Join for 1,000');
  await page.gone('alertdialog', ASKED);
});

test('a split whose time is over is offered no more, though nobody says so', async () => {
  const { page, host, other } = await room();
  await other.call(startSplit, { username: host.username, amount: 20, people: 2 });
  await page.press('Join for 10');
  await page.find('alertdialog', ASKED);
  const passes = page.network.stalls(`/ws/room/${host.username}`);
  await site.passes(60_000);
  await page.gone('alertdialog', ASKED);
  await page.gone('button', /^Join for/u);
  passes();
});
