import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import { getCurrentUser, register } from '#product/accounts/contract.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { openShop } from '#product/testkit/payments/open-shop.ts';
import { key, plainOffer, tokensOf } from '#product/testkit/payments/wallet.ts';
import type { Member } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { buyAtOnce, getPurchaseLink, listProducts } from './contract.ts';
import { addCard, listCards, openCardForm, removeCard } from './contract/cards.ts';
import {
  getAutoReUp,
  getPostpay,
  redirectPostpayDecline,
  reUpUpdate,
  setAutoReUp,
  setPostpay,
  settlePostpay,
} from './contract/credit.ts';
import { listOrders } from './contract/orders.ts';
import { purchaseOf } from './server/callbacks/journal.ts';
import { findOrder } from './store/orders.ts';

const shop = await openShop();
const { site } = shop;
const performer = await site.performer({ live: true });

async function holder(tokens = '1_100'): Promise<{ member: Member; cardId: number }> {
  const member = await site.viewer();
  await shop.buys(member, tokens);
  const { cards } = await member.call(listCards, {});
  return { member, cardId: cards[0]?.id ?? 0 };
}

describe('auto re-up', () => {
  const settings = (cardId: number) => ({
    enabled: true,
    threshold: 60,
    internal_id: '1_100',
    cardId,
    per_day: 1,
    confirmed: true as const,
    shown: plainOffer(100),
  });

  it('is off until confirmed, and buys once for a falling balance [A-217, C-330]', async () => {
    const { member, cardId } = await holder();
    expect(await member.call(getAutoReUp, {})).toMatchObject({ enabled: false });
    const { confirmed: _left, ...unconfirmed } = settings(cardId);
    expect((await member.refused(setAutoReUp, unconfirmed)).status).toBe(422);
    expect(await member.call(setAutoReUp, settings(cardId))).toMatchObject({
      enabled: true,
      threshold: 60,
      internal_id: '1_100',
      cardId,
      per_day: 1,
    });
    const tab = await site.socketOf(member);
    await member.tips(performer, 30);
    await shop.settle();
    expect(await tokensOf(member)).toBe(70);
    await Promise.all([member.tips(performer, 5), member.tips(performer, 6), member.tips(performer, 7)]);
    await shop.settle();
    const update = await tab.waitFor(reUpUpdate);
    const [bought] = (await member.call(listOrders, {})).orders;
    expect(update).toEqual({ success: true, tokens: 100, error: null, order_id: bought?.id });
    expect(await tokensOf(member)).toBe(152);
    expect(tab.received(reUpUpdate)).toHaveLength(1);
    // One per day: when the balance falls again, an event is sent and nothing is charged.
    await member.tips(performer, 100);
    await shop.settle();
    await tab.waitFor(reUpUpdate, ({ error }) => error === 'limit');
    expect(tab.events.filter(({ name }) => name === 'v3.reUp.update').map(({ payload }) => payload))
      .toEqual([
        { success: true, tokens: 100, error: null, order_id: bought?.id },
        { success: false, tokens: 0, error: 'limit', order_id: null },
      ]);
    expect(await tokensOf(member)).toBe(52);
    await shop.passes(DAY_MS);
    await member.tips(performer, 1);
    await shop.settle();
    expect(await tokensOf(member)).toBe(151);
  });

  it('without a response from its biller is asked about, and still credits', async () => {
    const { member, cardId } = await holder();
    await member.call(setAutoReUp, settings(cardId));
    shop.simulators.arm('ccbill', 'timeout_after_charge');
    shop.simulators.arm('ccbill', 'lost');
    await member.tips(performer, 50);
    await shop.settle();
    await shop.passes(HOUR_MS);
    expect(await tokensOf(member)).toBe(150);
  });

  it('belongs to the site of the person\'s last purchase', async () => {
    const { member, cardId } = await holder();
    const { siteId } = await site.services.site.addSite(site.scope.operatorId, {
      displayName: 'Second',
      sitecode: 'second',
      hosts: ['second.example'],
    });
    const sitesOf = async (): Promise<readonly unknown[]> =>
      (await site.tx((tx) =>
        sql`
      select purpose, site_id from billing.orders where person_id = ${member.id} order by nr`
          .execute(tx.sql())
      )).rows;
    await site.tx((tx) =>
      sql`update billing.orders set site_id = ${siteId} where person_id = ${member.id}`
        .execute(tx.sql())
    );
    await member.call(setAutoReUp, settings(cardId));
    await member.tips(performer, 50);
    await shop.settle();
    expect(await sitesOf()).toEqual([
      { purpose: 'page', site_id: siteId },
      { purpose: 're_up', site_id: siteId },
    ]);
  });

  it('counts re-ups of the whole UTC day', async () => {
    const { member, cardId } = await holder('1_200');
    await member.call(setAutoReUp, { ...settings(cardId), threshold: 190 });
    await shop.passes(DAY_MS - 1 - site.clock.now().getTime() % DAY_MS);
    await member.tips(performer, 20);
    await shop.settle();
    expect(await tokensOf(member)).toBe(280);
    site.clock.advance(1);
    await member.tips(performer, 100);
    await shop.settle();
    expect(await tokensOf(member)).toBe(280);
  });

  it('is turned on by a purchase, and off when its card is removed', async () => {
    const { member, cardId } = await holder();
    await member.call(buyAtOnce, {
      internal_id: '1_50',
      autoReUpsSettings: { enabled: true, threshold: 40 },
    }, key());
    expect(await member.call(getAutoReUp, {})).toMatchObject({
      enabled: true,
      threshold: 40,
      internal_id: '1_50',
      cardId,
    });
    await member.call(removeCard, { id: cardId });
    expect(await member.call(getAutoReUp, {})).toMatchObject({ enabled: false, cardId: null });
  });

  it('charges nobody else\'s card, and nobody who takes a break', async () => {
    const { member, cardId } = await holder();
    const other = await holder();
    expect((await other.member.refused(setAutoReUp, settings(cardId))).errorType).toBe('card_unknown');
    await member.call(setAutoReUp, settings(cardId));
    const tab = await site.socketOf(member);
    await member.tips(performer, 50);
    await site.tx((tx) =>
      site.services.ledger.selfExclude(
        tx,
        member.id,
        new Date(site.clock.now().getTime() + DAY_MS),
      )
    );
    await shop.settle();
    expect(await tokensOf(member)).toBe(50);
    expect(tab.received(reUpUpdate)).toEqual([]);
    expect((await member.refused(setAutoReUp, settings(cardId))).errorType).toBe('purchases_excluded');
    expect(await member.call(setAutoReUp, { ...settings(cardId), enabled: false }))
      .toMatchObject({ enabled: false });
  });

  it.each(
    [
      ['VERIFY', 'verification_required'],
      ['NMYDNVEL', 'contact_support'],
      ['NDECLINED', 'declined'],
    ] as const,
  )('reports a card declined with %s as %s, and turns off after three', async (decline, error) => {
    const { member } = await holder('1_200');
    const cardId = await shop.keeps(member, decline);
    await member.call(setAutoReUp, { ...settings(cardId), threshold: 190, per_day: 10 });
    const tab = await site.socketOf(member);
    for (let failures = 1; failures <= 4; failures += 1) {
      await member.tips(performer, 20);
      await shop.settle();
    }
    expect(await tokensOf(member)).toBe(120);
    await tab.waitFor(reUpUpdate);
    await site.settle();
    const declined = (await member.call(listOrders, {})).orders.filter(({ state }) => state === 'declined');
    expect(declined).toHaveLength(3);
    expect(tab.received(reUpUpdate))
      .toEqual(declined.toReversed().map(({ id }) => ({ success: false, tokens: 0, error, order_id: id })));
    expect(await member.call(getAutoReUp, {})).toMatchObject({ enabled: false });
    const { mails } = await (await site.admin()).call(listOutbox, {});
    const sent = (kind: string) =>
      mails.filter((mail) =>
        mail.to === member.person.email
        && mail.kind === `billing:mails.${kind}`
      );
    // An email for the first failure in a row and for the last one, none between.
    expect(sent('reUpFailed').map(({ text }) => text)).toEqual([expect.stringContaining('190 tokens')]);
    expect(sent('reUpOff')).toHaveLength(1);
  });

  it('with an expired card sends one email, in the language of the last purchase', async () => {
    const member = await site.viewer({ language: 'fr' });
    await shop.buys(member, '1_200');
    const { cards } = await member.call(listCards, {});
    await member.call(setAutoReUp, { ...settings(cards[0]?.id ?? 0), threshold: 190, per_day: 10 });
    await site.tx((tx) =>
      sql`update billing.cards set expiry = '01/20' where person_id = ${member.id}`
        .execute(tx.sql())
    );
    for (const _time of [1, 2]) {
      await member.tips(performer, 20);
      await shop.settle();
    }
    const { mails } = await (await site.admin()).call(listOutbox, {});
    const sent = mails.filter(({ to, kind }) =>
      to === member.person.email
      && kind === 'billing:mails.reUpImpossible'
    );
    expect(sent.map(({ subject }) => subject)).toEqual(['La recharge automatique n’a rien pu débiter']);
  });
});

describe('post-pay', () => {
  async function onAccount(): Promise<{ member: Member; cardId: number }> {
    const made = await holder('1_50');
    await site.tx((tx) => site.services.billing.configure(tx, { switches: { postpay: true } }, null));
    await made.member.call(setPostpay, { enabled: true });
    return made;
  }

  it('is offered to buyers with a card, where the operator switches it on [A-193]', async () => {
    const fresh = await site.viewer();
    expect(await fresh.call(getPostpay, {})).toMatchObject({ offered: false, enabled: false, owed: 0 });
    await site.tx((tx) => site.services.billing.configure(tx, { switches: { postpay: false } }, null));
    const { member, cardId } = await holder();
    expect((await member.refused(setPostpay, { enabled: true })).errorType).toBe('postpay_unavailable');
    await site.tx((tx) => site.services.billing.configure(tx, { switches: { postpay: true } }, null));
    expect((await fresh.refused(setPostpay, { enabled: true })).errorType).toBe('postpay_unavailable');
    expect((await member.refused(setPostpay, { enabled: true, cardId: cardId + 99 })).errorType)
      .toBe('card_unknown');
    expect(await member.call(setPostpay, { enabled: true })).toMatchObject({ enabled: true, limit: 1_000 });
    expect((await member.call(getCurrentUser, {})).settings.postpay).toBe(true);
    // In all of the person's browsers, and in nobody else's.
    const other = await site.anotherTabOf(member);
    expect((await other.call(getCurrentUser, {})).settings.postpay).toBe(true);
    expect(await other.call(getPostpay, {})).toMatchObject({ offered: true, enabled: true, owed: 0 });
    expect((await fresh.call(getCurrentUser, {})).settings.postpay).toBe(false);
    expect(await site.tx((tx) => site.services.billing.postpayOf(tx, member.id)))
      .toEqual({ enabled: true, cardFailed: false });
    expect(await member.call(setPostpay, { enabled: false })).toMatchObject({ enabled: false });
    expect((await member.call(getCurrentUser, {})).settings.postpay).toBe(false);
    expect(await other.call(getPostpay, {})).toMatchObject({ offered: true, enabled: false });
    expect((await other.call(getCurrentUser, {})).settings.postpay).toBe(false);
  });

  it('covers what the balance lacks, and charges it once a day [A-026]', async () => {
    const { member } = await onAccount();
    await expect((await site.viewer({ tokens: 50 })).tips(performer, 250)).rejects.toThrow();
    await member.tips(performer, 250);
    expect(await member.call(getPostpay, {})).toMatchObject({
      owed: 200,
      price: { minor: 2_000, currency: 'USD' },
      card_failed: false,
    });
    await shop.passes(DAY_MS);
    await shop.settle();
    expect(await member.call(getPostpay, {})).toMatchObject({ owed: 0, card_failed: false });
    expect(await tokensOf(member)).toBe(0);
    await shop.passes(DAY_MS);
    expect(await tokensOf(member)).toBe(0);
  });

  it('can be paid by hand, once', async () => {
    const { member } = await onAccount();
    await member.tips(performer, 150);
    const tap = key();
    const paid = await member.call(settlePostpay, {}, tap);
    expect(paid).toMatchObject({ status: true, state: 'paid', tokens: 100 });
    expect(await member.call(settlePostpay, {}, tap)).toEqual(paid);
    expect(await member.call(getPostpay, {})).toMatchObject({ owed: 0 });
    expect((await member.refused(settlePostpay, {}, key())).errorType).toBe('postpay_unavailable');
    const { enabled } = await member.call(setPostpay, { enabled: false });
    expect(enabled).toBe(false);
    await expect(member.tips(performer, 10)).rejects.toThrow();
  });

  it('applies a payment to the current debt; the rest becomes tokens with their backing', async () => {
    const { member } = await onAccount();
    await member.tips(performer, 150);
    const { order_id: id } = await member.call(settlePostpay, {}, key());
    const order = await site.tx((tx) => findOrder(tx, id));
    const moved = (owed: number): unknown =>
      order
      && purchaseOf(order, 'x', owed).bought?.legs.map((
        { account, tokens, lot },
      ) => [account.kind === 'person' ? account.book : account.name, tokens, lot?.backingCents]);
    expect(moved(60)).toEqual([['float', -100, undefined], ['debt', 60, 600], ['tokens', 40, 400]]);
    expect(moved(250)).toEqual([['float', -100, undefined], ['debt', 100, 1_000]]);
    expect(moved(0)).toEqual([['float', -100, undefined], ['tokens', 100, 1_000]]);
  });

  it('closes when its card fails, and leads to the page that settles it', async () => {
    const { member, cardId } = await onAccount();
    await member.tips(performer, 80);
    await member.call(removeCard, { id: cardId });
    await shop.passes(DAY_MS);
    expect(await member.call(getPostpay, {})).toMatchObject({ owed: 30, card_failed: true });
    await expect(member.tips(performer, 10)).rejects.toThrow();
    const redirect = await (await site.visitor()).request({ url: '/api/v1/billing/postpay_decline' });
    expect(redirect.statusCode).toBe(302);
    expect(redirect.headers.location).toBe('/account/tokens?postpay=declined');
    expect(redirectPostpayDecline.access).toBe('anyone');
    const { paths } = (await member.request({ url: '/api/v1/openapi.json' })).json<{
      paths: Record<string, { get: { responses: Record<string, unknown> } }>;
    }>();
    expect(Object.keys(paths['/api/v1/billing/postpay_decline']?.get.responses ?? {})).toContain('302');
    await shop.buys(member, '1_50');
    expect(await member.call(settlePostpay, {}, key())).toMatchObject({ status: true });
    expect(await member.call(getPostpay, {})).toMatchObject({ owed: 0, card_failed: false });
  });
});

describe('people who may not buy', () => {
  const ordersOf = async ({ id }: Member): Promise<unknown> =>
    (await site.tx((tx) =>
      sql`
    select count(*)::int as n from billing.orders where person_id = ${id}`.execute(tx.sql())
    )).rows;
  const block = (purchases: string[], tips: string[]): Promise<void> =>
    site.tx(async (tx) => {
      await site.services.billing.configure(tx, { purchaseBlockedCountries: purchases }, null);
      await site.services.site.configure(tx, { tipBlockedCountries: tips }, null);
    });
  /** Every call that spends money, with otherwise valid input. */
  const purchases = (cardId: number) =>
    [
      [listProducts, {}],
      [buyAtOnce, { internal_id: '1_50' }],
      [buyAtOnce, { internal_id: '1_50', cardId }],
      [getPurchaseLink, { internal_id: '1_50' }],
      [openCardForm, {}],
      [setAutoReUp, {
        enabled: true,
        threshold: 60,
        internal_id: '1_100',
        cardId,
        per_day: 1,
        confirmed: true as const,
        shown: plainOffer(100),
      }],
      [setPostpay, { enabled: true }],
    ] as const;

  it(
    'in a blocked country get no call, card form or automatic charge; nor where tips are blocked [A-232]',
    async () => {
      const member = await site.viewer();
      await shop.buys(member, '1_200');
      // The country of the last log-in counts, not that of the current tab.
      await site.anotherTabOf(member, { region: 'DK' });
      await block([], ['DK']);
      const [card] = (await member.call(listCards, {})).cards;
      const cardId = card?.id ?? 0;
      expect((await member.call(getCurrentUser, {})).user).toMatchObject({
        lastLoginCountryPurchaseBlocked: true,
        lastLoginCountryTipBlocked: true,
      });
      await expect(member.tips(performer, 5)).rejects.toThrow();
      for (const [call, input] of purchases(cardId)) {
        expect([call.name, (await member.refused(call, input, key())).errorType])
          .toEqual([call.name, 'country_blocked']);
      }
      await block([], []);
      await member.call(setAutoReUp, {
        enabled: true,
        threshold: 190,
        internal_id: '1_100',
        cardId,
        per_day: 5,
        confirmed: true,
        shown: plainOffer(100),
      });
      await block(['DK'], []);
      const before = await ordersOf(member);
      for (const [call, input] of purchases(cardId)) {
        expect([call.name, (await member.refused(call, input, key())).errorType])
          .toEqual([call.name, 'country_blocked']);
      }
      expect((await member.refused(addCard, { biller: 'ccbill', token: 'x' })).errorType).toBe(
        'card_unknown',
      );
      // Tips still work, and bring the balance below the threshold of the re-up.
      await member.tips(performer, 50);
      await shop.settle();
      expect([await ordersOf(member), await tokensOf(member)]).toEqual([before, 150]);
      // After a log-in from another country they can buy again.
      await site.anotherTabOf(member);
      expect(await member.call(buyAtOnce, { internal_id: '1_50', cardId }, key()))
        .toMatchObject({ status: true });
      await block(['SE'], ['SE']);
    },
  );

  it('as guests are asked to log in by every call, and leave no order [A-235]', async () => {
    const { cardId } = await holder();
    const count = async (): Promise<unknown> =>
      (await site.tx((tx) => sql`select count(*)::int as n from billing.orders`.execute(tx.sql()))).rows;
    const before = await count();
    const guest = await site.visitor();
    for (const [call, input] of purchases(cardId)) {
      expect([call.name, (await guest.refused(call, input, key())).status]).toEqual([call.name, 401]);
    }
    expect(await count()).toEqual(before);
  });

  it('on post-pay buy with their card instead, and never on account [A-234]', async () => {
    const { member, cardId } = await holder('1_50');
    await site.tx((tx) => site.services.billing.configure(tx, { switches: { postpay: true } }, null));
    await member.call(setPostpay, { enabled: true });
    // The setting by which pages open the post-pay dialog.
    expect((await member.call(getCurrentUser, {})).settings.postpay).toBe(true);
    await member.tips(performer, 80);
    const bought = await member.call(buyAtOnce, { internal_id: '1_100', cardId }, key());
    expect(bought).toMatchObject({ status: true, state: 'paid' });
    expect(await member.call(getPostpay, {})).toMatchObject({ enabled: true, owed: 30 });
    await member.call(removeCard, { id: cardId });
    expect((await member.refused(buyAtOnce, { internal_id: '1_100' }, key())).errorType).toBe('card_unknown');
    expect(await member.call(getPostpay, {})).toMatchObject({ owed: 30 });
  });
});

describe('emails', () => {
  it('have a receipt of every purchase, in its language', async () => {
    const admin = await site.admin();
    const member = await site.viewer({ language: 'de' });
    await shop.buys(member, '1_200');
    const { mails } = await admin.call(listOutbox, {});
    const receipt = mails.find(({ to, kind }) =>
      to === member.person.email
      && kind === 'billing:mails.receipt'
    );
    expect(receipt?.subject).toBe('Dein Beleg: 200 Tokens');
    expect(receipt?.text).toContain('20.00 USD');
    expect(receipt?.text).not.toMatch(/4111/u);
  });

  it('to unconfirmed addresses count in the limit of the network that the order came from', async () => {
    const admin = await site.admin();
    const { notices } = site.services;
    const receiptsTo = async (email: string) =>
      (await admin.call(listOutbox, {})).mails
        .filter(({ to, kind }) => to === email && kind === 'billing:mails.receipt').length;
    const buyer = async (name: string, address: string) => {
      const visitor = await site.visitor({ address });
      const email = `${name}@people.example`;
      await visitor.call(register, {
        username: name,
        email,
        password: 'a horse of another colour',
        birth_date: '1990-05-05',
        type: 'user',
        accept_terms: true,
      });
      await visitor.opens();
      const { purchase_link: link, order_id: id } = await visitor.call(getPurchaseLink, {
        internal_id: '1_200',
      });
      return { email, link, id };
    };
    const [spent, free] = [await buyer('spent-net', '198.51.100.7'), await buyer('free-net', '203.0.113.7')];
    const order = await site.tx((tx) => findOrder(tx, spent.id));
    expect(order?.network).toBe(notices.networkOf(site.scope, '198.51.100.200'));
    expect(order?.network).not.toMatch(/198|51/u);
    // As many as the daily limit of a network.
    for (let nth = 0; nth < 100; nth += 1) {
      await site.tx((tx) =>
        notices.send(tx, {
          to: `${nth}@net.example`,
          personId: 910_000 + nth,
          address: '198.51.100.9',
          isConfirmed: false,
          username: 'ada',
          kind: 'accounts:mails.passwordChanged',
          locale: 'en',
          values: { site: 'Candela' },
        })
      );
    }
    for (const { link } of [spent, free]) await shop.types(link);
    await shop.settle();
    expect([await receiptsTo(spent.email), await receiptsTo(free.email)]).toEqual([0, 1]);
  });
});
