import { getBalance } from '#product/ledger/contract.ts';
import { joinsSplit, splitOn } from '#product/testkit/payments/splits.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { earningsOf } from '#product/testkit/store/ledger-accounts.ts';
import { untilSomebodyWaits } from '#product/testkit/store/waiting.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cancelSplit, joinSplit, startSplit } from './contract/splits.ts';
import { getTipRoom } from './contract/tools.ts';
import { SPLIT_SHOWN_MS } from './rules/split.ts';
import { lockTips } from './store.ts';

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

describe('attacks on a split', () => {
  const under = ['deadline', 'private show', 'withdrawal'] as const;
  it.each(under)('its %s never overtakes a payment under way', async (what) => {
    const clocked = await createSite();
    try {
      const host = await clocked.performer({ live: true });
      const first = await clocked.viewer({ tokens: 50 });
      await proposes(first, host, 30, 2);
      if (what === 'deadline') clocked.clock.advance(60_000);
      if (what === 'private show') await clocked.services.broadcast.move(clocked.scope, host.id, 'private');
      let start = (): void => {};
      // Started during the payment, but not part of it.
      const settled = new Promise<void>((resolve) => {
        start = resolve;
      }).then((): Promise<
        unknown
      > => (what === 'withdrawal'
        ? first.refused(cancelSplit, { username: host.username })
        : clocked.settle())
      );
      await clocked.tx(async (tx) => {
        await lockTips(tx, 'split', host.id);
        const endsAt = new Date(tx.now.getTime() + SPLIT_SHOWN_MS);
        await sql`update tips.splits set mode = 'success', ends_at = ${endsAt}
          where performer_id = ${host.id}`.execute(tx.sql());
        start();
        await untilSomebodyWaits(tx);
      });
      await settled;
      expect(await splitOf(host)).toMatchObject({ mode: 'success', reason: null });
    } finally {
      await clocked.close();
    }
  });

  it('the last place is had once, however many reach for it at the same moment', async () => {
    const host = await site.performer({ live: true });
    const [first, ...others] = await viewers(6) as [Member, ...Member[]];
    await proposes(first, host, 60, 2);
    const outcomes = await Promise.allSettled(others.map((viewer) => joins(viewer, host)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await earningsOf(site, host)).toBe(60);
    const left = await Promise.all([first, ...others].map(tokensOf));
    expect(left.reduce((sum, tokens) => sum + tokens, 0)).toBe(6 * 100 - 60);
    expect(left.filter((tokens) => tokens === 70)).toHaveLength(2);
  });

  it('one who pressed many times is one', async () => {
    const host = await site.performer({ live: true });
    const [first, second] = await viewers(2) as [Member, Member];
    await proposes(first, host, 90, 3);
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => joins(second, host)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await splitOf(host)).toMatchObject({ mode: 'proposed', remaining: 1 });
    expect(await tokensOf(second)).toBe(100);
  });

  it('whoever spent their share meanwhile makes nobody pay', async () => {
    const host = await site.performer({ live: true });
    const [first, second] = await viewers(2) as [Member, Member];
    const other = await site.performer({ live: true });
    await proposes(first, host, 100, 2);
    await first.tips(other, 90);
    expect(await joins(second, host)).toMatchObject({ mode: 'canceled', reason: 'unpaid' });
    expect([await tokensOf(first), await tokensOf(second)]).toEqual([10, 100]);
    expect(await earningsOf(site, host)).toBe(0);
  });

  it('nobody tips themselves by it, alone or with others', async () => {
    const host = await site.performer({ live: true, tokens: 500 });
    const viewer = await site.viewer({ tokens: 100 });
    expect(await proposes(host, host, 60, 2)).toMatchObject({ splitters: [], proposer: null, remaining: 2 });
    expect(await failsToJoin(host, host)).toBe('own_tip');
    expect(await joins(viewer, host)).toMatchObject({ splitters: [viewer.username], remaining: 1 });
    expect(await failsToJoin(host, host)).toBe('own_tip');
    expect(await tokensOf(host)).toBe(500);
  });

  it('is one of one person, however many propose it at the same moment', async () => {
    const host = await site.performer({ live: true });
    const all = await viewers(6);
    const answers = await Promise.allSettled(all.map((viewer) => proposes(viewer, host, 20, 2)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const proposer = all[answers.findIndex(({ status }) => status === 'fulfilled')]?.username;
    expect(await splitOf(host)).toMatchObject({ mode: 'proposed', proposer, splitters: [proposer] });
  });

  it('the first who joins the one of a performer pays what does not divide', async () => {
    const host = await site.performer({ live: true });
    const [first, second] = await viewers(2);
    if (!first || !second) throw new Error('two were made');
    await proposes(host, host, 61, 2);
    await joins(first, host);
    expect(await joins(second, host)).toMatchObject({ mode: 'success' });
    expect([await tokensOf(first), await tokensOf(second)]).toEqual([69, 70]);
  });

  it('only who has a share\'s tokens, and is somebody, takes part', async () => {
    const host = await site.performer({ live: true });
    const [poor, first] = [await site.viewer({ tokens: 9 }), await site.viewer({ tokens: 10 })];
    const start = { username: host.username, amount: 20, people: 2 };
    expect(await poor.refused(startSplit, start))
      .toMatchObject({ status: 402, errorType: 'not_enough_tokens' });
    await first.call(startSplit, start);
    expect(await failsToJoin(poor, host)).toBe('not_enough_tokens');
    const guest = await site.visitor({ ofAge: true });
    expect((await guest.refused(joinSplit, await splitOn(host))).status).toBe(401);
    const young = await site.viewer({ tokens: 100, ofAge: false });
    expect(await failsToJoin(young, host)).toBe('age_verification_required');
    expect((await first.refused(startSplit, { ...start, username: 'nobody-has-this' })).errorType)
      .toBe('receiver_unknown');
  });

  it.each([
    [{ amount: -100, people: 2 }, 'invalid_input'],
    [{ amount: 0, people: 2 }, 'invalid_input'],
    [{ amount: 1e21, people: 2 }, 'invalid_input'],
    [{ amount: 100, people: 1 }, 'invalid_input'],
    [{ amount: 100, people: 21 }, 'invalid_input'],
    [{ amount: 100, people: -2 }, 'invalid_input'],
    [{ amount: 100, people: 2.5 }, 'invalid_input'],
    [{ amount: 3, people: 4 }, 'split_too_small'],
  ])('nothing comes of %j', async (asked, code) => {
    const host = await site.performer({ live: true });
    const viewer = await site.viewer({ tokens: 100 });
    expect((await viewer.refused(startSplit, { username: host.username, ...asked })).errorType).toBe(code);
    expect(await splitOf(host)).toMatchObject({ mode: 'available' });
  });

  it('is taken back by its proposer, the performer and moderators, and by nobody else', async () => {
    const host = await site.performer({ live: true });
    const [first, second] = await viewers(2) as [Member, Member];
    await proposes(first, host, 30, 3);
    await joins(second, host);
    expect((await second.refused(cancelSplit, { username: host.username })).errorType)
      .toBe('split_forbidden');
    expect(await host.call(cancelSplit, { username: host.username }))
      .toMatchObject({ mode: 'canceled', reason: 'withdrawn' });
    expect((await host.refused(cancelSplit, { username: host.username })).errorType).toBe('split_not_open');
  });
});
