import { DAY_MS } from '#platform/time/units.ts';
import { cancelMembership } from '#product/billing/contract/orders.ts';
import { declareAge } from '#product/compliance/contract.ts';
import { openShop } from '#product/testkit/payments/open-shop.ts';
import type { Member } from '#product/testkit/site.ts';
import { describe, expect, it } from 'vitest';
import { chatMessage, getRoom, startUserList, userList } from './contract.ts';
import { setInvisibleMode } from './contract/controls.ts';

/** Longer than a membership without renewal. */
const MEMBERSHIP_OVER_MS = 40 * DAY_MS;

const shop = await openShop();
const { site } = shop;

async function memberWith(membership: 'premium' | 'vip' | 'super_vip'): Promise<Member> {
  const member = await site.viewer();
  await shop.buys(member, `membership_${membership}`);
  return member;
}
const levelShown = async (who: Member, { username }: Member): Promise<number> =>
  (await who.call(getRoom, { username })).auth.invisible_mode_level;
const mayNotHide = async (who: Member, level: number): Promise<void> => {
  expect((await who.refused(setInvisibleMode, { level })).errorType).toBe('may_not_hide');
};

describe('a membership that was bought', () => {
  it.each(
    [
      ['premium', false, false],
      ['vip', true, false],
      ['super_vip', true, true],
    ] as const,
  )('%s shows as its badge on messages, tips and the user list', async (
    bought,
    is_vip,
    is_super_vip,
  ) => {
    const performer = await site.performer({ live: true });
    const viewer = await memberWith(bought);
    const [socket, console] = [await viewer.joins(performer), await performer.joins(performer)];
    const badges = { username: viewer.username, is_vip, is_super_vip };
    expect(await site.says(socket, 'good evening')).toMatchObject(badges);
    await viewer.tips(performer, 5);
    await site.settle();
    expect(await console.waitFor(chatMessage, ({ type }) => type === 'tip')).toMatchObject(badges);
    console.send(startUserList, {});
    await expect.poll(() => {
      site.clock.advance(5_000);
      return console.received(userList).at(-1)?.users;
    }).toMatchObject([badges]);
  });

  it('lets VIPs hide from other viewers, and nobody else', async () => {
    const performer = await site.performer({ live: true });
    for (const who of [await site.viewer(), await memberWith('premium')]) await mayNotHide(who, 1);
    for (const viewer of [await memberWith('vip'), await memberWith('super_vip')]) {
      expect(await viewer.call(setInvisibleMode, { level: 1 })).toMatchObject({ invisible_mode_level: 1 });
      const socket = await viewer.joins(performer);
      expect(await site.says(socket, 'unseen')).toMatchObject({ is_vip: true, is_invisible_mode: true });
      expect(await levelShown(viewer, performer)).toBe(1);
      await mayNotHide(viewer, 2);
    }
  });

  it('removes badge and invisible mode when it ends', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await memberWith('vip');
    await viewer.call(setInvisibleMode, { level: 1 });
    await viewer.call(cancelMembership, {});
    expect(await levelShown(viewer, performer)).toBe(1);
    await shop.passes(MEMBERSHIP_OVER_MS);
    // Session and age declaration have expired too.
    await viewer.opens();
    await viewer.call(declareAge, { of_age: true });
    await viewer.logsIn();
    const socket = await viewer.joins(performer);
    expect(await site.says(socket, 'here I am')).toMatchObject({ is_vip: false, is_invisible_mode: false });
    expect(await levelShown(viewer, performer)).toBe(0);
    await mayNotHide(viewer, 1);
  });
});
