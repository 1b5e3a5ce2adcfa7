import { uuidV4 } from '#platform/data/ids.ts';
import { endBroadcast } from '#product/broadcast/contract.ts';
import { getBalance, getHistory } from '#product/ledger/contract.ts';
import { chatMessage, getRoom } from '#product/rooms/contract.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import { joinsSplit, splitOn } from '#product/testkit/payments/splits.ts';
import type { TestSocket } from '#product/testkit/rooms/room-socket.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { earningsOf } from '#product/testkit/store/ledger-accounts.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listReceivedTips, saveTipRules, sendTip } from './contract.ts';
import { addGoal } from './contract/goals.ts';
import { cancelSplit, joinSplit, splitChanged, startSplit, tipsPart } from './contract/splits.ts';
import { getTipRoom } from './contract/tools.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const tokensOf = async (member: Member): Promise<number> => (await member.call(getBalance, {})).tokens;
const splitOf = async (host: Member) => (await host.call(getTipRoom, { username: host.username })).split;
const proposes = (viewer: Member, host: Member, amount: number, people: number) =>
  viewer.call(startSplit, { username: host.username, amount, people });
const joins = joinsSplit;
const failsToJoin = async (viewer: Member, host: Member): Promise<string> =>
  (await viewer.refused(joinSplit, await splitOn(host))).errorType;
const viewers = (count: number, tokens = 100): Promise<Member[]> =>
  Promise.all(Array.from({ length: count }, () => site.viewer({ tokens })));
/** Moves a performer into a private show, or back to public. */
async function moves(host: Member, mode: 'private' | 'public'): Promise<void> {
  await site.services.broadcast.move(site.scope, host.id, mode);
  await site.settle();
}

describe('a tip split', () => {
  it('is available, proposed, canceled, available again, and then a success [B-183]', async () => {
    const clocked = await createSite();
    try {
      const host = await clocked.performer({ live: true });
      const [one, other] = [await clocked.viewer({ tokens: 50 }), await clocked.viewer({ tokens: 50 })];
      const watcher = await clocked.viewer();
      const socket = await watcher.joins(host);
      const shown = async (): Promise<string | undefined> => {
        await clocked.settle();
        return readPart(await watcher.call(getRoom, { username: host.username }), tipsPart).tipSplit?.mode;
      };
      expect(await shown()).toBe('available');
      await proposes(one, host, 20, 2);
      expect(await shown()).toBe('proposed');
      await one.call(cancelSplit, { username: host.username });
      expect(await shown()).toBe('canceled');
      await clocked.passes(8_000);
      expect(await shown()).toBe('available');
      await proposes(one, host, 20, 2);
      await joins(other, host);
      expect(await shown()).toBe('success');
      await expect.poll(() => socket.received(splitChanged).map(({ mode }) => mode))
        .toEqual(['proposed', 'canceled', 'available', 'proposed', 'success']);
    } finally {
      await clocked.close();
    }
  });

  it('is proposed, joined and paid by all at once [B-171]', async () => {
    const host = await site.performer({ live: true });
    const [first, second, third, watcher] = await viewers(4) as [Member, Member, Member, Member];
    const viewerSocket = await watcher.joins(host);
    expect(await splitOf(host)).toMatchObject({ mode: 'available', splitters: [], remaining: 0 });
    expect(await proposes(first, host, 100, 3)).toMatchObject({
      mode: 'proposed',
      splitters: [first.username],
      target_splitters: 3,
      split_amount: 33,
      remaining: 2,
      total: 100,
      proposer: first.username,
    });
    expect(await joins(second, host)).toMatchObject({ remaining: 1 });
    expect([await tokensOf(first), await tokensOf(second), await earningsOf(site, host)]).toEqual([
      100,
      100,
      0,
    ]);
    await host.call(addGoal, { title: 'Dance', target: 1_000 });
    expect(await joins(third, host)).toMatchObject({ mode: 'success', remaining: 0 });
    // The proposer pays the remainder.
    expect([await tokensOf(first), await tokensOf(second), await tokensOf(third)]).toEqual([66, 67, 67]);
    expect(await earningsOf(site, host)).toBe(100);
    await site.settle();
    const operations = await site.tx((tx) =>
      sql`select kind from ledger.journal where kind = 'tip_split'
      and memo ->> 'to' = ${host.username}`.execute(tx.sql())
    );
    expect(operations.rows).toHaveLength(1);
    for (const [viewer, tokens] of [[first, 34], [second, 33], [third, 33]] as const) {
      await viewerSocket.waitFor(
        chatMessage,
        ({ type, username, value }) => type === 'tip' && username === viewer.username && value === tokens,
      );
    }
    const names = [first, second, third].map(({ username }) => username).join(', ');
    await viewerSocket.waitFor(
      chatMessage,
      ({ message }) => message === `${names} tipped 100 tokens together.`,
    );
    const all = [first, second, third].map(({ username }) => username);
    const shape = { target_splitters: 3, split_amount: 33, total: 100, proposer: first.username };
    expect(viewerSocket.received(splitChanged)).toMatchObject([
      { ...shape, mode: 'proposed', splitters: all.slice(0, 1), remaining: 2 },
      { ...shape, mode: 'proposed', splitters: all.slice(0, 2), remaining: 1 },
      { ...shape, mode: 'success', splitters: all, remaining: 0 },
    ]);
    expect((await host.call(getTipRoom, { username: host.username })).goal).toMatchObject({ progress: 100 });
    expect((await host.call(listReceivedTips, { type: 'split' })).tips).toHaveLength(3);
    const room = await watcher.call(getRoom, { username: host.username });
    expect(readPart(room, tipsPart).tipSplit).toEqual({
      mode: 'success',
      splitters: [first, second, third].map(({ username }) => username),
      target_splitters: 3,
      split_amount: 33,
      remaining: 0,
    });
  });

  it('is started only while one is available [B-218]', async () => {
    const clocked = await createSite();
    try {
      const host = await clocked.performer({ live: true });
      const viewer = await clocked.viewer({ tokens: 100 });
      const other = await clocked.viewer({ tokens: 100 });
      const again = () => other.refused(startSplit, { username: host.username, amount: 10, people: 2 });
      await proposes(viewer, host, 10, 2);
      expect((await again()).errorType).toBe('split_unavailable');
      await viewer.call(cancelSplit, { username: host.username });
      expect((await again()).errorType).toBe('split_unavailable');
      await clocked.passes(8_000 - 1);
      expect((await again()).errorType).toBe('split_unavailable');
      await clocked.passes(1);
      expect(await proposes(other, host, 10, 2)).toMatchObject({ mode: 'proposed' });
      await joins(viewer, host);
      expect((await again()).errorType).toBe('split_unavailable');
      await clocked.passes(8_000);
      expect(await splitOf(host)).toMatchObject({ mode: 'available', splitters: [] });
      expect(await proposes(viewer, host, 10, 2)).toMatchObject({ mode: 'proposed' });
    } finally {
      await clocked.close();
    }
  });

  it('is joined only while proposed, not after it succeeded, and once by each [B-219]', async () => {
    const host = await site.performer({ live: true });
    const [first, second] = await viewers(2) as [Member, Member];
    expect(await failsToJoin(first, host)).toBe('split_not_open');
    await proposes(first, host, 30, 3);
    expect(await failsToJoin(first, host)).toBe('split_joined');
    await joins(second, host);
    expect(await failsToJoin(second, host)).toBe('split_joined');
    await first.call(cancelSplit, { username: host.username });
    expect(await failsToJoin(await site.viewer({ tokens: 100 }), host)).toBe('split_not_open');
    expect([await tokensOf(first), await tokensOf(second)]).toEqual([100, 100]);
    const other = await site.performer({ live: true });
    await proposes(first, other, 30, 2);
    await joins(second, other);
    expect([await tokensOf(first), await tokensOf(second)]).toEqual([85, 85]);
    const late = await site.viewer({ tokens: 100 });
    expect(await failsToJoin(late, other)).toBe('split_not_open');
    expect(await tokensOf(late)).toBe(100);
  });

  it('is joined for the share that was shown, and no other that took its place', async () => {
    const host = await site.performer({ live: true });
    const [attacker, victim] = await viewers(2, 2_000) as [Member, Member];
    await proposes(attacker, host, 2, 2);
    const shown = await splitOn(host);
    expect(shown.price).toBe(1);
    await attacker.call(cancelSplit, { username: host.username });
    await site.passes(8_000);
    await proposes(attacker, host, 2_000, 2);
    const now = await splitOn(host);
    for (const other of [shown, { ...shown, price: 1_000 }, { ...now, price: 1 }, { ...now, price: 1_001 }]) {
      expect(await victim.refused(joinSplit, other)).toMatchObject({
        status: 409,
        errorType: 'split_price_differs',
        price: 1_000,
        message: 'The split has changed: joining now costs 1000 tokens.',
      });
    }
    expect([await tokensOf(attacker), await tokensOf(victim)]).toEqual([2_000, 2_000]);
    expect(await splitOf(host)).toMatchObject({ mode: 'proposed', splitters: [attacker.username] });
    expect(await victim.call(joinSplit, { ...now, price: 1_000 })).toMatchObject({ mode: 'success' });
    expect([await tokensOf(attacker), await tokensOf(victim)]).toEqual([1_000, 1_000]);
  });

  it('is refused while a private show runs, and possible after it', async () => {
    const host = await site.performer({ live: true });
    const [first, second] = await viewers(2) as [Member, Member];
    await proposes(first, host, 30, 2);
    await moves(host, 'private');
    expect(await failsToJoin(second, host)).toBe('split_in_private');
    expect((await second.refused(startSplit, { username: host.username, amount: 10, people: 2 })).errorType)
      .toBe('split_in_private');
    await moves(host, 'public');
    // The split that the show ended is still shown for a while.
    await site.passes(8_000);
    await proposes(first, host, 30, 2);
    expect(await joins(second, host)).toMatchObject({ mode: 'success' });
  });

  const ways = ['private', 'offline'] as const;
  it.each(ways)('ends at once when its performer goes %s, with a word', async (how) => {
    const host = await site.performer({ live: true });
    const [first, second, late] = await viewers(3) as [Member, Member, Member];
    const sockets = [await first.joins(host), await second.joins(host)];
    await proposes(first, host, 90, 3);
    await joins(second, host);
    if (how === 'private') await site.services.broadcast.move(site.scope, host.id, 'private');
    else await host.call(endBroadcast, {});
    await site.settle();
    const begins = how === 'private' ? 'a private show has started' : 'the show has ended';
    for (const viewerSocket of sockets) {
      const over = await viewerSocket.waitFor(splitChanged, ({ mode }) => mode === 'canceled');
      expect(over).toMatchObject({ reason: how });
      await viewerSocket.waitFor(
        chatMessage,
        ({ message }) => message.startsWith(`${first.username}, ${second.username}: ${begins}.`),
      );
    }
    expect(await splitOf(host)).toMatchObject({ mode: 'canceled', reason: how });
    expect(await Promise.all([first, second].map(tokensOf))).toEqual([100, 100]);
    expect(await failsToJoin(late, host)).toMatch(/^split_(?:in_private|not_open)$/u);
  });

  it('is paid on account by who has a line, as the ledger lets them', async () => {
    const { ledger } = site.services;
    const host = await site.performer({ live: true });
    const [first, second] = [await site.viewer({ tokens: 5 }), await site.viewer({ tokens: 100 })];
    await site.tx((tx) => ledger.setCredit(tx, first.id, 50));
    await proposes(first, host, 60, 2);
    expect(await joins(second, host)).toMatchObject({ mode: 'success' });
    expect(await site.tx((tx) => ledger.limitsOf(tx, first.id))).toMatchObject({ debtTokens: 25 });
    // What the ledger would refuse is refused with the ledger's text, before anybody else waits.
    await site.passes(8_000);
    const start = { username: host.username, amount: 60, people: 2 };
    const used = await first.refused(startSplit, start);
    expect(used).toMatchObject({ status: 402, errorType: 'postpay_card_fail' });
    expect(used['exhausted']).toBeUndefined();
    expect(await first.refused(startSplit, { ...start, amount: 200 }))
      .toMatchObject({ errorType: 'postpay_card_fail', message: 'Not enough tokens', exhausted: true });
    await site.tx((tx) => ledger.setBudgets(tx, second.id, { day: 80 }));
    expect(await second.refused(startSplit, { ...start, amount: 120 }))
      .toMatchObject({ errorType: 'user_daily_limit', until: expect.any(String) });
    await site.tx((tx) => ledger.block(tx, second.id, 'test', null));
    expect((await second.refused(startSplit, start)).errorType).toBe('spending_blocked');
  });

  it('counts towards what the operator lets somebody tip in a day', async () => {
    const clocked = await createSite();
    try {
      const host = await clocked.performer({ live: true });
      const [first, second] = [await clocked.viewer({ tokens: 500 }), await clocked.viewer({ tokens: 500 })];
      await (await clocked.admin()).call(saveTipRules, { daily_limit: 100 });
      await first.tips(host, 80);
      expect(await first.refused(startSplit, { username: host.username, amount: 60, people: 2 }))
        .toMatchObject({
          errorType: 'over_daily_limit',
          limit: 100,
          message: expect.stringContaining('100'),
        });
      await proposes(first, host, 40, 2);
      // A share that was within its limit when promised no longer is: nobody pays, and no limit is used up.
      await first.tips(host, 10);
      expect(await joins(second, host)).toMatchObject({ mode: 'canceled', reason: 'unpaid' });
      await second.tips(host, 100);
      await clocked.passes(8_000);
      await first.tips(host, 10);
      const one = { username: host.username, amount: 1 };
      expect((await second.refused(sendTip, one, { idempotencyKey: uuidV4() })).errorType)
        .toBe('over_daily_limit');
    } finally {
      await clocked.close();
    }
  });

  it('is over after a minute, and nobody has paid', async () => {
    const clocked = await createSite();
    try {
      const host = await clocked.performer({ live: true });
      const [first, late] = [await clocked.viewer({ tokens: 50 }), await clocked.viewer({ tokens: 50 })];
      await proposes(first, host, 30, 2);
      await clocked.passes(60_000 - 1);
      expect(await splitOf(host)).toMatchObject({ mode: 'proposed' });
      // Its time is over, even before the deadline is delivered.
      clocked.clock.advance(1);
      expect(await failsToJoin(late, host)).toBe('split_not_open');
      await clocked.settle();
      expect(await splitOf(host)).toMatchObject({ mode: 'canceled', reason: 'timeout' });
      expect([await tokensOf(first), await tokensOf(late)]).toEqual([50, 50]);
      await clocked.passes(8_000);
      expect(await splitOf(host)).toMatchObject({ mode: 'available', reason: null });
    } finally {
      await clocked.close();
    }
  });
});

describe('the command /tip_split', () => {
  it('proposes, joins and takes back as the panel does [B-283]', async () => {
    const host = await site.performer({ live: true });
    const [first, second, third, helper] = await viewers(4) as [Member, Member, Member, Member];
    await host.moderates('moderator', helper);
    await site.settle();
    const sockets = await Promise.all(
      [first, second, third, host, helper].map((member) => member.joins(host)),
    ) as [TestSocket, TestSocket, TestSocket, TestSocket, TestSocket];
    const mode = async (): Promise<string> => {
      await site.settle();
      return (await splitOf(host)).mode;
    };
    const commands = async (at: 0 | 1 | 2 | 3 | 4, message: string, becomes: string): Promise<void> => {
      sockets[at].sendRaw(JSON.stringify(['v3.chat.message', { message }]));
      await expect.poll(mode).toBe(becomes);
    };
    const wrong = await site.says(sockets[0], '/tip_split lots');
    expect(wrong.error).toBe(true);
    expect(wrong.errorMessage).toContain('/tip_split 100 4');
    for (const [at, text] of [
      [1, '/tip_split'],
      [2, '/tip_split -5 2'],
      [2, '/tip_split 10 99'],
      [3, '/tip_split 20 1'],
      [4, '/tip_split 42 21'],
    ] as const) {
      expect(await site.says(sockets[at], text)).toMatchObject({ error: true, action: 'split_usage' });
    }
    await commands(0, '/tip_split 20 2', 'proposed');
    expect(await site.says(sockets[1], '/tip_split 20 2'))
      .toMatchObject(
        { error: true, errorMessage: 'Another split is already running. Try again in a moment.' },
      );
    expect(await site.says(sockets[2], '/tip_split cancel')).toMatchObject({ error: true });
    expect(await splitOf(host)).toMatchObject({
      mode: 'proposed',
      proposer: first.username,
      total: 20,
      target_splitters: 2,
      split_amount: 10,
    });
    await commands(0, '/tip_split cancel', 'canceled');
    await site.passes(8_000);
    await commands(0, '/tip_split 20 2', 'proposed');
    // A command without a price, or with another one, returns the cost.
    for (const line of ['/tip_split join', '/tip_split join 9', '/tip_split join 11']) {
      expect(await site.says(sockets[1], line)).toMatchObject({
        error: true,
        errorMessage: 'Joining costs 10 tokens. Type /tip_split join 10 to take part.',
      });
    }
    expect(await splitOf(host)).toMatchObject({ mode: 'proposed', remaining: 1 });
    await commands(1, '/tip_split join 10', 'success');
    expect([await tokensOf(first), await tokensOf(second), await tokensOf(third)]).toEqual([90, 90, 100]);
    expect((await first.call(getHistory, {})).lines[0]).toMatchObject({ kind: 'tip_split', tokens: -10 });
    // A performer can propose one by command, pays nothing, and can withdraw anybody's.
    await site.passes(8_000);
    await commands(3, '/tip_split 30 3', 'proposed');
    expect(await splitOf(host)).toMatchObject({ splitters: [], target_splitters: 3, total: 30 });
    await commands(3, '/tip_split cancel', 'canceled');
    await site.passes(8_000);
    await commands(2, '/tip_split 20 2', 'proposed');
    await commands(3, '/tip_split cancel', 'canceled');
    // So can a moderator.
    await site.passes(8_000);
    await commands(2, '/tip_split 40 20', 'proposed');
    expect(await splitOf(host)).toMatchObject({ proposer: third.username, target_splitters: 20 });
    await commands(4, '/tip_split cancel', 'canceled');
    expect(await tokensOf(third)).toBe(100);
  });
});
