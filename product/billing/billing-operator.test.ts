import type { AnyCall } from '#platform/contract/call.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import { login } from '#product/accounts/contract.ts';
import { changeMoneyRules, getMoneyRules } from '#product/ledger/contract.ts';
import { getLedgerHealth } from '#product/ledger/contract/explorer.ts';
import { managedBy, PACK } from '#product/testkit/payments/managed-products.ts';
import { openShop } from '#product/testkit/payments/open-shop.ts';
import { tokensOf } from '#product/testkit/payments/wallet.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { describe, expect, it } from 'vitest';
import { getDailyLimit, getPurchaseLink, listProducts } from './contract.ts';
import {
  changeBillingRules,
  changeProduct,
  changePromoCode,
  createProduct,
  createPromoCode,
  getBillingRules,
  listBillingChanges,
  listManagedProducts,
  listPromoCodes,
  orderProducts,
  retireProduct,
  stopPromoCode,
} from './contract/operator.ts';
import { listPromos, redeemPromoCode } from './contract/promos.ts';

const shop = await openShop();
const { site } = shop;
const admin = await site.admin();
const { onSale, productOf } = managedBy(admin);

const reason = 'quarterly review';
const PASSWORD = 'correct horse battery';

describe('the admin calls of an operator', () => {
  /** All admin calls, each with input that has an effect. */
  const CALLS: readonly (readonly [AnyCall, Record<string, unknown>])[] = [
    [listManagedProducts, {}],
    [createProduct, PACK],
    [changeProduct, { ...PACK, internal_id: '1_50', revision: 1, price_minor: 1 }],
    [retireProduct, { internal_id: '1_50', revision: 1, retired: true, reason }],
    [orderProducts, { internal_ids: ['1_50'], reason }],
    [getBillingRules, {}],
    [changeBillingRules, { switches: [{ name: 'wheel', on: true }], reason }],
    [listPromoCodes, {}],
    [createPromoCode, { code: 'MINE', tokens: 1_000, max_uses: null, ends_at: null, reason }],
    [changePromoCode, { code: 'FREE_TOKENS', max_uses: null, ends_at: null, reason }],
    [stopPromoCode, { code: 'FREE_TOKENS', reason }],
    [listBillingChanges, {}],
    [getMoneyRules, {}],
    [changeMoneyRules, {
      payout_cents: 1_000,
      marketing_cap_cents: 0,
      performer_cap_cents: 0,
      reason,
    }],
  ];

  it('are for admins alone: no guest, viewer, performer or moderator', async () => {
    const others: readonly Visitor[] = [
      await site.visitor(),
      await site.viewer(),
      await site.performer(),
      await site.viewer({ roles: ['site_mod'] }),
      await site.viewer({ roles: ['model_admin'] }),
    ];
    for (const other of others) {
      for (const [call, input] of CALLS) {
        expect([401, 403]).toContain((await other.refused(call, input)).status);
      }
    }
    expect((await admin.call(listBillingChanges, {})).changes).toEqual([]);
    expect((await productOf('1_50')).price).toEqual({ minor: 500, currency: 'USD' });
  });

  it('of another operator see and change only its own data', async () => {
    const host = `${uuidV4()}.example`;
    const brand = { displayName: 'Other', sitecode: `o${uuidV4().slice(0, 8)}`, hosts: [host] };
    const theirs = await site.services.site.addOperator('Other', brand);
    await site.services.accounts.create(theirs, {
      username: 'their_admin',
      email: 'their_admin@people.example',
      password: PASSWORD,
      passwordHash: await site.services.accounts.hashPassword(PASSWORD),
      birthDate: '1990-01-01',
      type: 'user',
      gender: null,
      roles: ['admin'],
    });
    const foreign = await site.visitor({ host });
    await foreign.call(login, { login: 'their_admin', password: PASSWORD });
    await foreign.opens();
    await foreign.call(createProduct, { ...PACK, internal_id: 'theirs' });
    await foreign.call(changeBillingRules, { daily_limit_cents: 1, reason });
    await foreign.call(createPromoCode, { code: 'THEIRS', tokens: 5, max_uses: 1, ends_at: null, reason });
    expect((await foreign.call(listBillingChanges, {})).changes).toHaveLength(3);
    expect((await onSale()).some(({ internal_id: id }) => id === 'theirs')).toBe(false);
    expect((await admin.call(getBillingRules, {})).daily_limit_cents).toBe(100_000);
    expect((await admin.call(listPromoCodes, {})).codes.map(({ code }) => code)).toEqual(['FREE_TOKENS']);
    expect((await admin.call(listBillingChanges, {})).changes).toEqual([]);
  });

  it('list who changed what, when and why, with the values before, in pages', async () => {
    const made = await admin.call(createProduct, { ...PACK, internal_id: 'logged' });
    await admin.call(retireProduct, {
      internal_id: 'logged',
      revision: made.product.revision,
      retired: true,
      reason: 'nobody wants it',
    });
    const [newest, older] = (await admin.call(listBillingChanges, {})).changes;
    expect(newest).toMatchObject({
      action: 'retireProduct',
      username: admin.username,
      reason: 'nobody wants it',
      subject: 'logged',
      at: site.clock.now().toISOString(),
      fields: [{ name: 'retired', before: 'false', after: 'true' }],
    });
    expect(older?.fields).toContainEqual({ name: 'priceMinor', before: null, after: '800' });
    for (let turn = 0; turn < 26; turn += 1) {
      await admin.call(changeBillingRules, { postpay_tokens: 1_001 + turn, reason });
    }
    const page = await admin.call(listBillingChanges, {});
    expect(page.changes).toHaveLength(25);
    expect(page.changes[0]?.fields).toEqual([{ name: 'postpayTokens', before: '1025', after: '1026' }]);
    const rest = await admin.call(listBillingChanges, { before: page.next ?? 0 });
    expect(rest.changes.map(({ action }) => action))
      .toEqual(['changeBillingRules', 'retireProduct', 'createProduct']);
    expect(rest.next).toBeNull();
  });
});

describe('pages of billers', () => {
  it('open in a frame where an admin and the account allow it, with a line in the log', async () => {
    const { billers } = await admin.call(getBillingRules, {});
    expect(billers.find(({ name }) => name === 'ccbill')).toEqual({
      name: 'ccbill',
      can_frame: true,
      framed: false,
    });
    expect(billers.find(({ name }) => name === 'btcpay')?.can_frame).toBe(false);
    const buyer = await site.viewer();
    const opens = async () =>
      (await buyer.call(getPurchaseLink, { internal_id: '1_50', biller: 'ccbill', frame: true })).in_frame;
    expect(await opens()).toBe(false);
    const changed = await admin.call(changeBillingRules, {
      framed_billers: ['ccbill', 'ccbill'],
      reason: 'fewer leave',
    });
    expect(changed.billers.filter(({ framed }) => framed).map(({ name }) => name)).toEqual(['ccbill']);
    expect(await opens()).toBe(true);
    // A client that cannot show a frame still gets a link to the biller's page.
    const plain = await buyer.call(getPurchaseLink, { internal_id: '1_50', biller: 'ccbill' });
    expect(plain.in_frame).toBe(false);
    expect((await admin.call(listBillingChanges, {})).changes[0]).toMatchObject({
      action: 'changeBillingRules',
      username: admin.username,
      reason: 'fewer leave',
      fields: [{ name: 'framedBillers', before: '[]', after: '["ccbill"]' }],
    });
    const refused = await admin.refused(changeBillingRules, { framed_billers: ['btcpay'], reason });
    expect(refused.errorType).toBe('biller_unavailable');
    const unknown = { framed_billers: ['evil.example'], reason } as unknown as { reason: string };
    expect((await admin.refused(changeBillingRules, unknown)).status).toBe(422);
    await admin.call(changeBillingRules, { switches: [], reason });
    expect(await opens()).toBe(true);
    await admin.call(changeBillingRules, { framed_billers: [], reason });
    expect(await opens()).toBe(false);
  });
});

describe('switches and limits', () => {
  it('take effect at once, one by one, and are listed', async () => {
    const { switches } = await admin.call(changeBillingRules, {
      switches: [{ name: 'crypto', on: true }, { name: 'paypal', on: true }],
      daily_limit_cents: 4_000,
      wheel_blocked_countries: ['NL', 'BE', 'NL'],
      purchase_blocked_countries: ['SE', 'NO', 'SE'],
      reason,
    });
    expect(switches.filter(({ on }) => on).map(({ name }) => name))
      .toEqual(expect.arrayContaining(['crypto', 'paypal']));
    const member = await site.viewer();
    const { products, daily_purchase_remaining: left } = await member.call(listProducts, {});
    expect([products.crypto.length > 0, products.paypal.length > 0, left]).toEqual([true, true, 4_000]);
    expect((await member.refused(getPurchaseLink, { internal_id: '1_1200' })).errorType)
      .toBe('daily_purchase_limit');
    expect((await member.call(getDailyLimit, {})).limit.minor).toBe(4_000);
    const after = await admin.call(changeBillingRules, {
      switches: [{ name: 'crypto', on: false }],
      daily_limit_cents: 100_000,
      reason,
    });
    expect(after.wheel_blocked_countries).toEqual(['BE', 'NL']);
    expect(after.purchase_blocked_countries).toEqual(['NO', 'SE']);
    expect(after.switches).toContainEqual({ name: 'paypal', on: true });
    expect((await member.call(listProducts, {})).products.crypto).toEqual([]);
    for (const bad of [
      { daily_limit_cents: -1 },
      { daily_limit_cents: 10_000_001 },
      { postpay_tokens: 1.5 },
      { switches: [{ name: 'constructor', on: true }] },
      { wheel_blocked_countries: ['x'] },
      { purchase_blocked_countries: ['no'] },
    ]) expect((await admin.refused(changeBillingRules, { ...bad, reason })).status).toBe(422);
    expect((await admin.refused(changeBillingRules, { postpay_tokens: 5 })).status).toBe(422);
  });

  it('of payouts are not raised beyond the backing of existing tokens', async () => {
    await shop.buys(await site.viewer(), '1_50');
    const before = await admin.call(getMoneyRules, {});
    expect(before).toMatchObject({
      payout_cents: 5,
      marketing_cap_cents: 10_000_000,
      performer_cap_cents: 5_000,
    });
    const { marketing_cap_cents, performer_cap_cents } = before;
    const rules = { marketing_cap_cents, performer_cap_cents, reason };
    expect((await admin.refused(changeMoneyRules, { ...rules, payout_cents: 1_000 })).errorType)
      .toBe('tokens_uncovered');
    expect(await admin.call(getMoneyRules, {})).toEqual(before);
    await admin.call(changeMoneyRules, { ...rules, payout_cents: 4 });
    const cheaper = await productOf('1_7000');
    expect([cheaper.payout_cents, cheaper.below_payout]).toEqual([28_000, false]);
    expect((await admin.call(getLedgerHealth, {})).alarms).toEqual([]);
    await admin.call(changeMoneyRules, { ...rules, payout_cents: 5 });
    for (const bad of [
      { payout_cents: -1 },
      { payout_cents: 1_001 },
      { marketing_cap_cents: -1 },
      { performer_cap_cents: -1 },
    ]) {
      expect((await admin.refused(changeMoneyRules, { ...rules, payout_cents: 5, ...bad })).status).toBe(422);
    }
    // When the cap is reached, gifts end but purchases continue.
    await admin.call(changeBillingRules, { switches: [{ name: 'promos', on: true }], reason });
    await admin.call(changeMoneyRules, { ...rules, payout_cents: 5, marketing_cap_cents: 0 });
    const member = await site.viewer();
    expect((await member.refused(redeemPromoCode, { code: 'FREE_TOKENS' })).errorType)
      .toBe('promo_unavailable');
    await shop.buys(member, '1_100');
    expect(await tokensOf(member)).toBe(100);
    await admin.call(changeMoneyRules, { ...rules, payout_cents: 5 });
  });
});

describe('promo codes', () => {
  it('are created, counted, limited and stopped', async () => {
    await admin.call(changeBillingRules, { switches: [{ name: 'promos', on: true }], reason });
    const [first, second, third] = [await site.viewer(), await site.viewer(), await site.viewer()];
    const { code } = await admin.call(createPromoCode, {
      code: 'Spring_26',
      tokens: 12,
      max_uses: 1,
      ends_at: null,
      reason,
    });
    expect(code).toMatchObject({ code: 'SPRING_26', uses: 0, running: true });
    expect(
      (await admin.refused(createPromoCode, {
        code: 'spring_26',
        tokens: 99,
        max_uses: 5,
        ends_at: null,
        reason,
      })).errorType,
    ).toBe('code_taken');
    await first.call(redeemPromoCode, { code: 'spring_26' });
    expect(await tokensOf(first)).toBe(12);
    expect((await second.refused(redeemPromoCode, { code: 'SPRING_26' })).errorType)
      .toBe('promo_code_unknown');
    const change = { code: 'spring_26', max_uses: 5, ends_at: null, reason };
    await admin.call(changePromoCode, change);
    await second.call(redeemPromoCode, { code: 'SPRING_26' });
    expect((await admin.refused(changePromoCode, { ...change, max_uses: 1 })).errorType).toBe('code_times');
    const stopped = await admin.call(stopPromoCode, { code: 'SPRING_26', reason });
    expect(stopped.code).toMatchObject({ uses: 2, running: false, ends_at: site.clock.now().toISOString() });
    expect((await third.refused(redeemPromoCode, { code: 'SPRING_26' })).errorType)
      .toBe('promo_code_unknown');
    expect(await tokensOf(first)).toBe(12);
    expect((await admin.refused(stopPromoCode, { code: 'NOTHING', reason })).errorType)
      .toBe('promo_code_unknown');
  });

  it('run from their start to their end, which is never before the start', async () => {
    const at = (ms: number): string => new Date(site.clock.now().getTime() + ms).toISOString();
    const times = { code: 'LATER', tokens: 3, max_uses: null, reason };
    expect(
      (await admin.refused(createPromoCode, {
        ...times,
        starts_at: at(2_000),
        ends_at: at(1_000),
      })).errorType,
    ).toBe('code_times');
    await admin.call(createPromoCode, { ...times, starts_at: at(60_000), ends_at: at(120_000) });
    const member = await site.viewer();
    const refused = async () => (await member.refused(redeemPromoCode, { code: 'LATER' })).errorType;
    expect(await refused()).toBe('promo_code_unknown');
    await shop.passes(120_000);
    expect(await refused()).toBe('promo_code_unknown');
    await admin.call(changePromoCode, { code: 'LATER', max_uses: null, ends_at: null, reason });
    await member.call(redeemPromoCode, { code: 'LATER' });
    for (const bad of [{ code: 'a b' }, { code: 'ab' }, { tokens: 0 }, { tokens: 1_001 }, { max_uses: 0 }, {
      ends_at: 'soon',
    }]) {
      expect((await admin.refused(createPromoCode, { ...times, code: 'BAD', ends_at: null, ...bad })).status)
        .toBe(422);
    }
  });

  it('include a default one for free tokens, which the operator can stop', async () => {
    const member = await site.viewer();
    const free = async () =>
      (await member.call(listPromos, {})).promos
        .find(({ kind }) => kind === 'free_tokens')?.free_tokens;
    expect(await free()).toBe(100);
    await admin.call(stopPromoCode, { code: 'FREE_TOKENS', reason });
    expect(await free()).toBeUndefined();
    expect((await member.refused(redeemPromoCode, { code: 'FREE_TOKENS' })).errorType)
      .toBe('promo_code_unknown');
    const { codes } = await admin.call(listPromoCodes, {});
    expect(codes.find(({ code }) => code === 'FREE_TOKENS')).toMatchObject({ running: false, tokens: 100 });
  });

  it('are listed newest first, in pages', async () => {
    for (let at = 0; at < 25; at += 1) {
      const code = `PAGE_${at}`;
      await admin.call(createPromoCode, { code, tokens: 1, max_uses: 1, ends_at: null, reason });
    }
    const page = await admin.call(listPromoCodes, {});
    expect(page.codes).toHaveLength(25);
    expect(page.codes[0]?.code).toBe('PAGE_24');
    const rest = await admin.call(listPromoCodes, { before: page.next ?? 0 });
    expect(rest.codes.map(({ code }) => code)).toEqual(expect.arrayContaining(['SPRING_26', 'LATER']));
    expect(rest.next).toBeNull();
  });
});
