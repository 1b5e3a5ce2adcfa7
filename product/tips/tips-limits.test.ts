import { uuidV4 } from '#platform/data/ids.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import { updateSettings } from '#product/accounts/contract/settings.ts';
import { splitOn } from '#product/testkit/payments/splits.ts';
import { key, tokensOf } from '#product/testkit/payments/wallet.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  getTipLimit,
  getTipRules,
  listReceivedTips,
  listSentTips,
  listTipDays,
  saveTipRules,
  sendTip,
} from './contract.ts';
import { joinSplit, startSplit } from './contract/splits.ts';

let site: TestSite;
let host: Member;
beforeAll(async () => {
  site = await createSite();
  host = await site.performer({ live: true });
});
afterAll(() => site.close());

const refusedTip = (viewer: Member, amount: number, to = host) =>
  viewer.refused(sendTip, { username: to.username, amount }, key());

describe('a tip is refused in the specification\'s words', () => {
  it('where the last log-in of either side is from a closed country [A-233]', async () => {
    const [viewer, other] = [await site.viewer({ tokens: 100 }), await site.performer({ live: true })];
    // The last log-in counts, regardless of the tab that tips.
    await site.anotherTabOf(viewer, { region: 'SE' });
    expect(await refusedTip(viewer, 10)).toMatchObject({ status: 403, errorType: 'tip_geo_block_sender' });
    expect((await viewer.call(getCurrentUser, {})).user).toMatchObject({ lastLoginCountryTipBlocked: true });
    const starting = { username: host.username, amount: 10, people: 2 };
    expect((await viewer.refused(startSplit, starting)).errorType).toBe('tip_geo_block_sender');
    await (await site.viewer({ tokens: 10 })).call(startSplit, starting);
    expect((await viewer.refused(joinSplit, await splitOn(host))).errorType).toBe('tip_geo_block_sender');
    await site.anotherTabOf(viewer);
    expect((await viewer.call(getCurrentUser, {})).user).toMatchObject({ lastLoginCountryTipBlocked: false });
    await site.anotherTabOf(other, { region: 'SE' });
    expect(await refusedTip(viewer, 10, other)).toMatchObject({ errorType: 'tip_geo_block_receiver' });
    expect(await tokensOf(viewer)).toBe(100);
    expect((await viewer.tips(host, 10)).tokens).toBe(90);
  });

  it('above what the operator allows in a day, counted once and to the token', async () => {
    const slow = await createSite();
    try {
      const performer = await slow.performer({ live: true });
      const viewer = await slow.viewer({ tokens: 1_000 });
      const admin = await slow.admin();
      const over = (amount: number) =>
        viewer.refused(sendTip, { username: performer.username, amount }, key());
      expect((await viewer.refused(saveTipRules, { daily_limit: 5 })).status).toBe(403);
      expect(await admin.call(saveTipRules, { daily_limit: 100 })).toEqual({ daily_limit: 100 });
      const same = uuidV4();
      await viewer.tips(performer, 60, same);
      await viewer.tips(performer, 60, same);
      expect(await viewer.call(getTipLimit, {})).toEqual({
        daily_limit: 100,
        tipped: 60,
        resets_at: '2026-01-16T00:00:00.000Z',
      });
      expect(await over(41)).toMatchObject({
        status: 429,
        errorType: 'over_daily_limit',
        limit: 100,
        message: expect.stringContaining('100'),
      });
      // Of two simultaneous tips only one fits.
      const two = await Promise.allSettled([viewer.tips(performer, 40), viewer.tips(performer, 40)]);
      expect(two.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect((await over(1)).errorType).toBe('over_daily_limit');
      await slow.passes(DAY_MS);
      await viewer.tips(performer, 100);
      await admin.call(saveTipRules, { daily_limit: null });
      expect(await admin.call(getTipRules, {})).toEqual({ daily_limit: null });
      expect(await viewer.call(getTipLimit, {})).toMatchObject({ daily_limit: null });
      await viewer.tips(performer, 500);
      // A tip that the ledger refuses does not count towards the limit.
      const poor = await slow.viewer({ tokens: 10 });
      await admin.call(saveTipRules, { daily_limit: 50 });
      const tooMuch = await poor.refused(sendTip, { username: performer.username, amount: 50 }, key());
      expect(tooMuch.errorType).toBe('not_enough_tokens');
      await poor.tips(performer, 10);
    } finally {
      await slow.close();
    }
  });

  it('above the person\'s own budgets, during a break, and when spending is stopped', async () => {
    const { ledger } = site.services;
    const viewer = await site.viewer({ tokens: 500 });
    await site.tx((tx) => ledger.setBudgets(tx, viewer.id, { day: 50 }));
    await viewer.tips(host, 50);
    expect(await refusedTip(viewer, 1))
      .toMatchObject({ status: 429, errorType: 'user_daily_limit', until: expect.any(String) });
    const weekly = await site.viewer({ tokens: 500 });
    await site.tx((tx) => ledger.setBudgets(tx, weekly.id, { week: 10 }));
    expect(await refusedTip(weekly, 11)).toMatchObject({ errorType: 'user_weekly_limit' });
    const tired = await site.viewer({ tokens: 500 });
    await site.tx((tx) => ledger.coolOff(tx, tired.id, new Date(tx.now.getTime() + DAY_MS)));
    expect(await refusedTip(tired, 1)).toMatchObject({ errorType: 'cooling_off' });
    const stopped = await site.viewer({ tokens: 500 });
    await site.tx((tx) => ledger.block(tx, stopped.id, 'test', null));
    expect(await refusedTip(stopped, 1)).toMatchObject({ errorType: 'spending_blocked' });
    expect(await tokensOf(viewer)).toBe(450);
  });

  it('when post-pay does not cover it: its card, or nothing a card mends', async () => {
    const { ledger } = site.services;
    const viewer = await site.viewer({ tokens: 10 });
    await site.tx((tx) => ledger.setCredit(tx, viewer.id, 100));
    expect(await refusedTip(viewer, 111)).toMatchObject({
      status: 402,
      errorType: 'postpay_card_fail',
      message: 'Not enough tokens',
      exhausted: true,
    });
    await viewer.tips(host, 90);
    const fail = await refusedTip(viewer, 50);
    expect(fail).toMatchObject({ status: 402, errorType: 'postpay_card_fail' });
    expect(fail['exhausted']).toBeUndefined();
    expect(fail.message).not.toBe('Not enough tokens');
  });
});

describe('histories', () => {
  it('are each side\'s own: paged, filtered, and summed by day', async () => {
    const slow = await createSite();
    try {
      const [luna, nova] = [await slow.performer({ live: true }), await slow.performer({ live: true })];
      const [viewer, other] = [await slow.viewer({ tokens: 1_000 }), await slow.viewer({ tokens: 1_000 })];
      for (const amount of [1, 2, 3]) await viewer.tips(luna, amount);
      await slow.settle();
      await viewer.tips(nova, 50);
      await other.tips(luna, 7);
      await slow.passes(DAY_MS);
      await viewer.call(sendTip, {
        username: luna.username,
        amount: 10,
        type: 'app',
        comment: 'wow',
        app_data: { wheel: 3 },
      }, key());
      await slow.settle();
      const first = await viewer.call(listSentTips, { limit: 2 });
      expect(first.tips).toMatchObject([
        { tokens: 10, type: 'app', comment: 'wow', receiver_name: luna.username },
        { tokens: 50, receiver_name: nova.username },
      ]);
      const rest = await viewer.call(listSentTips, { before: first.next ?? 0 });
      expect(rest.tips.map(({ tokens }) => tokens)).toEqual([3, 2, 1]);
      expect(rest.next).toBeNull();
      const received = await luna.call(listReceivedTips, {});
      expect(received.tips.map(({ tokens }) => tokens)).toEqual([10, 7, 3, 2, 1]);
      const byViewer = await luna.call(listReceivedTips, { with: viewer.username.toUpperCase() });
      expect(byViewer.tips.map(({ tokens }) => tokens)).toEqual([10, 3, 2, 1]);
      expect((await luna.call(listReceivedTips, { type: 'app' })).tips).toHaveLength(1);
      expect((await luna.call(listReceivedTips, { with: 'nobody-has-this' })).tips).toEqual([]);
      const { days } = await luna.call(listTipDays, { side: 'received' });
      expect(days).toEqual([
        { day: '2026-01-16', tokens: 10, tips: 1 },
        { day: '2026-01-15', tokens: 13, tips: 4 },
      ]);
      expect((await viewer.call(listTipDays, { side: 'sent', before: '2026-01-16' })).days)
        .toEqual([{ day: '2026-01-15', tokens: 56, tips: 4 }]);
      expect((await luna.call(listReceivedTips, { day: '2026-01-15' })).tips).toHaveLength(4);
      expect((await viewer.call(listTipDays, { side: 'received' })).days).toEqual([]);
      expect((await viewer.refused(listReceivedTips, {})).status).toBe(403);
      for (const day of ['2026-1-1', 'today', '\'; drop table tips.tips']) {
        expect((await viewer.refused(listSentTips, { day })).status).toBe(422);
      }
    } finally {
      await slow.close();
    }
  });
});

it('the volume of tips is 70 until somebody changes it [A-452]', async () => {
  const [viewer, other] = [await site.viewer(), await site.viewer()];
  const volumeOf = async (member: Member): Promise<number> =>
    (await member.call(getCurrentUser, {})).settings.volume_tip;
  expect(await volumeOf(viewer)).toBe(70);
  await viewer.call(updateSettings, { volume_tip: 40 });
  expect([await volumeOf(viewer), await volumeOf(other)]).toEqual([40, 70]);
});
