import { getCurrentUser } from '#product/accounts/contract.ts';
import { updateSettings } from '#product/accounts/contract/settings.ts';
import { openShop } from '#product/testkit/payments/open-shop.ts';
import { key, plainOffer, tokensOf } from '#product/testkit/payments/wallet.ts';
import type { Member } from '#product/testkit/site.ts';
import { describe, expect, it } from 'vitest';
import { buyAtOnce } from './contract.ts';
import { listCards } from './contract/cards.ts';
import { getAutoReUp, reUpUpdate, setAutoReUp } from './contract/credit.ts';
import { listOrders } from './contract/orders.ts';
import type { DeclineCode } from './rules.ts';

const shop = await openShop();
const { site } = shop;
const performer = await site.performer({ live: true });

/** A member with a balance of 100 and a re-up of 50 tokens below 90, once a day. */
async function fillsUp(decline: DeclineCode | null): Promise<Member> {
  const member = await site.viewer({ tokens: 100 });
  await shop.keeps(member, decline);
  const { cards: [card] } = await member.call(listCards, {});
  await member.call(setAutoReUp, {
    enabled: true,
    threshold: 90,
    internal_id: '1_50',
    cardId: card?.id ?? 0,
    per_day: 1,
    confirmed: true,
    shown: plainOffer(50),
  });
  return member;
}

describe('the account sockets of somebody whose balance fell', () => {
  const newestOrder = async (who: Member): Promise<string | undefined> =>
    (await who.call(listOrders, {})).orders[0]?.id;

  it('receive v3.reUp.update with success, tokens and error; those of others do not [A-382]', async () => {
    const [member, other] = [await fillsUp(null), await fillsUp(null)];
    const tabs = [await site.socketOf(member), await site.socketOf(await site.anotherTabOf(member))];
    const apart = await site.socketOf(other);
    // At the threshold nothing is bought.
    await member.tips(performer, 10);
    await shop.settle();
    expect([tabs.map((tab) => tab.received(reUpUpdate)), await tokensOf(member)]).toEqual([[[], []], 90]);
    await member.tips(performer, 1);
    await shop.settle();
    const done = { success: true, tokens: 50, error: null, order_id: await newestOrder(member) };
    for (const tab of tabs) expect(await tab.waitFor(reUpUpdate)).toEqual(done);
    expect(await tokensOf(member)).toBe(139);
    // Today's only re-up is used up, so the next fall sends an event.
    await member.tips(performer, 60);
    await shop.settle();
    // No order was begun.
    const limit = { success: false, tokens: 0, error: 'limit', order_id: null };
    for (const tab of tabs) {
      await tab.waitFor(reUpUpdate, ({ success }) => !success);
      expect(tab.received(reUpUpdate)).toEqual([done, limit]);
      expect(tab.events.filter(({ name }) => name === 'v3.reUp.update')).toHaveLength(2);
    }
    expect(await tokensOf(member)).toBe(79);
    await other.tips(performer, 11);
    await shop.settle();
    await apart.waitFor(reUpUpdate);
    expect(apart.received(reUpUpdate)).toEqual([{ ...done, order_id: await newestOrder(other) }]);
  });

  it.each(
    [
      ['VERIFY', 'verification_required'],
      ['NMYDNVEL', 'contact_support'],
      ['NMYSERVNOTALLOWED', 'contact_support'],
      ['NDECLINED', 'declined'],
    ] as const,
  )('receive the error of a card that is declined with %s: %s [A-382]', async (code, error) => {
    const member = await fillsUp(code);
    const tab = await site.socketOf(member);
    await member.tips(performer, 50);
    await shop.settle();
    expect(await tab.waitFor(reUpUpdate))
      .toEqual({ success: false, tokens: 0, error, order_id: await newestOrder(member) });
    expect(await tokensOf(member)).toBe(50);
  });
});

describe('the setting auto_re_ups', () => {
  it('is an object with disabled_by_user: the person turned it off, or failed charges [A-194]', async () => {
    const none = await site.viewer();
    const settingsOf = async (who: Member) => (await who.call(getCurrentUser, {})).settings.auto_re_ups;
    expect(await settingsOf(none))
      .toEqual({ enabled: false, disabled_by_user: false, threshold: null, internal_id: null });
    const off = { auto_re_ups: { disabled_by_user: true } } as const;
    expect((await none.refused(updateSettings, off)).errorType).toBe('setting_refused');
    const member = await fillsUp(null);
    expect(await settingsOf(member))
      .toEqual({ enabled: true, disabled_by_user: false, threshold: 90, internal_id: '1_50' });
    expect((await member.call(updateSettings, off)).settings.auto_re_ups)
      .toEqual({ enabled: false, disabled_by_user: true, threshold: 90, internal_id: '1_50' });
    expect((await member.call(getAutoReUp, {})).enabled).toBe(false);
    await member.tips(performer, 50);
    await shop.settle();
    expect(await tokensOf(member)).toBe(50);
    // Without a confirmed price nothing is charged.
    for (const wrong of [{ disabled_by_user: false }, { enabled: true }, {}, true, null]) {
      expect((await member.refused(updateSettings, { auto_re_ups: wrong })).errorType).toBe('invalid_input');
    }
    const declining = await fillsUp('NDECLINED');
    for (let tips = 0; tips < 3; tips += 1) {
      await declining.tips(performer, 12);
      await shop.settle();
    }
    expect(await settingsOf(declining)).toMatchObject({ enabled: false, disabled_by_user: false });
  });
});

describe('a purchase with a saved card', () => {
  it(
    'is of the usual card without a cardId, and turns re-up on only where it asks and is paid [A-359]',
    async () => {
      const member = await site.viewer();
      const usual = await shop.keeps(member);
      const declining = await shop.keeps(member, 'NDECLINED');
      const buys = async (how: { cardId?: number; autoReUpsSettings?: { enabled: boolean } }) => {
        const answer = await member.call(buyAtOnce, { internal_id: '1_50', ...how }, key());
        await shop.settle();
        return [answer.status, answer.link, answer.error, (await member.call(getAutoReUp, {})).enabled];
      };
      expect(await buys({})).toEqual([true, null, null, false]);
      expect(await buys({ autoReUpsSettings: { enabled: false } })).toEqual([true, null, null, false]);
      expect(await buys({ cardId: declining, autoReUpsSettings: { enabled: true } }))
        .toEqual([false, null, 'declined', false]);
      expect(await buys({ autoReUpsSettings: { enabled: true } })).toEqual([true, null, null, true]);
      expect(await member.call(getAutoReUp, {})).toEqual({
        enabled: true,
        threshold: 50,
        internal_id: '1_50',
        cardId: usual,
        per_day: 1,
      });
      expect(await tokensOf(member)).toBe(150);
      // It stays on after a purchase that does not mention it.
      expect(await buys({ cardId: usual })).toEqual([true, null, null, true]);
    },
  );
});
