import { getLimits, getMoneyRules } from '#product/ledger/client.ts';
import { setLimits } from '#product/ledger/contract/limits.ts';
import { getSeller, getSiteConfig } from '#product/site/client.ts';
import { wantsTokens } from '#product/testkit/pages/purchase-page.ts';
import {
  adminAt,
  expectAllReads,
  guestAt,
  showsFaces,
  titled,
  viewerAt,
  type QuietRead,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import type { Member } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  findPayments,
  getAutoReUp,
  getBillerNames,
  getBillingAlarms,
  getBillingRules,
  getDailyLimit,
  getJoinOffer,
  getMembership,
  getOrder,
  getPending,
  getPostpay,
  getPrices,
  getSpins,
  listBillingChanges,
  listCards,
  listManagedProducts,
  listOrders,
  listProducts,
  listPromoCodes,
  openCardForm,
} from './client.ts';
import { getPurchaseLink } from './contract.ts';
import { setPostpay } from './contract/credit.ts';
import type { DeclineCode } from './rules.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
  await configure({ switches: { promos: true, wheel: true, joinOffer: true } });
});
afterAll(() => shop.close());

type Settings = Parameters<typeof shop.site.services.billing.configure>[1];
const configure = (settings: Settings): Promise<void> =>
  shop.site.tx((tx) => shop.site.services.billing.configure(tx, settings, null));

const TOKENS = '/account/tokens';
const PRODUCTS = '/admin/products';
type Page = Parameters<typeof wantsTokens>[0];

/** Somebody with a saved card that pays, or that its bank declines. */
const payer =
  (decline: DeclineCode | null, leads: (page: Page) => Promise<void>): ReadCase['way'] => async (site) => {
    const visitor = await site.viewer();
    await shop.keeps(visitor, decline);
    return {
      visitor,
      at: '/tags',
      leads,
      first: async (page) => {
        await wantsTokens(page);
        await page.find('dialog', 'Get tokens');
      },
    };
  };
const pays = (page: Page): Promise<void> => page.press(/^Pay \$/u);
/** A member on post-pay, who has already seen its dialog. */
const onAccount = (leads?: (page: Page) => Promise<void>, at = '/tags'): ReadCase['way'] => async (site) => {
  await configure({ switches: { postpay: true, promos: true, wheel: true, joinOffer: true } });
  const visitor = await site.viewer();
  await shop.buys(visitor, '1_50');
  const cardId = await shop.keeps(visitor);
  await visitor.call(setPostpay, { enabled: true, cardId });
  visitor.storage.local.set('candela.postpaySeen', '1');
  return { visitor, at, ...(leads ? { leads } : {}) };
};
/** The operator's daily tip limit per person. */
const limitsTips = (admin: Member, tokens: number | null): Promise<unknown> =>
  admin.request({ method: 'POST', url: '/api/v1/tips/rules', payload: { daily_limit: tokens } });
/** Somebody in a room, with a tip that exceeds a limit. */
const tipsOver =
  (limits: (visitor: Member, admin: Member) => Promise<unknown>): ReadCase['way'] => async (site) => {
    const { username } = await site.performer({ live: true });
    const visitor = await site.viewer({ tokens: 100 });
    await limits(visitor, await site.admin());
    return {
      visitor,
      at: `/${username}`,
      mayPrint: /4\d\d/u,
      first: async (page) => {
        await page.until(() => expect(page.network.hasJoined(username)).toBe(true));
        await page.fill('Tokens', '25', { in: await page.find('form', /^Tip /u) });
      },
      leads: (page) => page.press('Tip 25'),
    };
  };
/** A member who may choose post-pay. */
const offeredAccount: ReadCase['way'] = async (site) => {
  await configure({ switches: { postpay: true, promos: true, wheel: true, joinOffer: true } });
  const visitor = await site.viewer();
  await shop.keeps(visitor);
  return { visitor, at: TOKENS };
};
const receipt: ReadCase['way'] = async (site) => {
  const visitor = await site.viewer();
  const { orderId } = await shop.buys(visitor, '1_100');
  return { visitor, at: `/account/receipts/${orderId}` };
};

const CASES: readonly ReadCase[] = [
  { in: ['account/cards-section.tsx'], call: listCards, way: viewerAt(TOKENS) },
  { in: ['account/membership-section.tsx'], call: getMembership, way: viewerAt(TOKENS) },
  { in: ['account/orders-section.tsx'], call: listOrders, way: viewerAt(TOKENS) },
  { in: ['account/postpay-section.tsx'], call: getPostpay, way: viewerAt(TOKENS) },
  {
    in: ['account/promos-section.tsx', 'promos/wheel-dialog.tsx'],
    call: getSpins,
    isSmall: true,
    way: viewerAt(TOKENS),
  },
  { in: ['account/reup-section.tsx'], call: getAutoReUp, way: viewerAt(TOKENS) },
  { in: ['account/reup-section.tsx'], call: listProducts, way: viewerAt(TOKENS) },
  { in: ['pending-section.tsx'], call: getPending, isSmall: true, way: viewerAt(TOKENS) },
  { in: ['admin/changes-section.tsx'], call: listBillingChanges, way: adminAt(PRODUCTS) },
  { in: ['admin/offers/codes-section.tsx'], call: listPromoCodes, way: adminAt(PRODUCTS) },
  { in: ['admin/offers/payout-section.tsx'], call: getMoneyRules, way: adminAt(PRODUCTS) },
  { in: ['admin/offers/rules-section.tsx'], call: getBillingRules, way: adminAt(PRODUCTS) },
  { in: ['admin/offers/seller-section.tsx'], call: getSeller, way: adminAt(PRODUCTS) },
  {
    in: ['admin/offers/operator-page.tsx', 'admin/offers/products-section.tsx'],
    call: listManagedProducts,
    way: adminAt(PRODUCTS),
  },
  {
    in: ['admin/payments/payments-page.tsx', 'admin/payments/alarms.tsx'],
    call: getBillingAlarms,
    way: adminAt('/admin/payments'),
  },
  { in: ['admin/payments/payments-panel.tsx'], call: findPayments, way: adminAt('/admin/payments') },
  {
    in: ['admin/payments-of.tsx'],
    call: findPayments,
    way: async (site) => {
      const [admin, { username }] = [await site.admin(), await site.viewer()];
      return { visitor: admin, at: `/admin/people?username=${username}` };
    },
  },
  { in: ['card/card-page.tsx'], call: openCardForm, way: viewerAt('/account/card', { byDocument: true }) },
  {
    in: ['card/card-page.tsx'],
    call: listProducts,
    isSmall: true,
    way: viewerAt('/account/card', { byDocument: true }),
  },
  { in: ['account/receipt-page.tsx'], call: getOrder, way: receipt },
  {
    in: ['account/postpay-notice.tsx'],
    call: getPostpay,
    way: viewerAt('/account/tokens?postpay=declined'),
  },
  { in: ['promos/join-page.tsx'], call: getJoinOffer, way: guestAt('/join') },
  {
    in: ['promos/promo-dialogs.tsx'],
    call: getSiteConfig,
    isSmall: true,
    way: viewerAt('/tags?promo=spl', { byDocument: true, asked: /site_config\?id=/u }),
  },
  { in: ['dialogs/purchase-dialog.tsx'], call: listProducts, way: viewerAt('/tags', { leads: wantsTokens }) },
  {
    in: ['dialogs/purchase-dialog.tsx'],
    call: getBillerNames,
    isSmall: true,
    way: viewerAt('/tags', { leads: wantsTokens }),
  },
  { in: ['dialogs/outcome-dialogs.tsx'], call: getOrder, way: payer(null, pays) },
  { in: ['dialogs/outcome-dialogs.tsx'], call: listProducts, isSmall: true, way: payer('NDECLINED', pays) },
  { in: ['account/postpay-section.tsx'], call: listCards, way: offeredAccount },
  { in: ['dialogs/postpay-dialogs.tsx'], call: getPostpay, way: onAccount(wantsTokens) },
  { in: ['dialogs/postpay-dialogs.tsx'], call: listCards, way: onAccount(wantsTokens) },
  {
    in: ['dialogs/postpay-dialogs.tsx'],
    call: getDailyLimit,
    way: tipsOver((_visitor, admin) => limitsTips(admin, 20)),
  },
  {
    in: ['dialogs/daily-limit-dialog.tsx'],
    call: getLimits,
    way: tipsOver(async (visitor, admin) => {
      await limitsTips(admin, null);
      await visitor.call(setLimits, { day: 20 });
    }),
  },
  {
    in: ['dialogs/daily-limit-dialog.tsx'],
    call: getDailyLimit,
    way: async (site) => {
      await configure({ dailyLimitCents: 1 });
      return payer(null, pays)(site);
    },
  },
];
const QUIET: readonly QuietRead[] = [
  {
    in: ['prices.tsx'],
    call: getPrices,
    because: 'stands beside a form that works without it, and says nothing until it is known',
  },
  {
    in: ['dialogs/waiting-dialog.tsx'],
    call: getOrder,
    because: 'the page reads the order before it opens the dialog, which then shows what was read',
  },
  {
    in: ['live.ts'],
    call: getPostpay,
    named: 'constant',
    because: 'whatever call it is asked for: each part that asks has a case',
  },
  {
    in: ['buying.ts'],
    call: getPurchaseLink,
    because: 'a step of a purchase, whose dialog says what was refused: billing-steps.page.test.tsx',
  },
  {
    in: ['card/again-section.tsx'],
    call: getOrder,
    because: 'it offers a declined order again; without an answer the purchases below it say what is wrong',
  },
];

test('each read of these pages has a case here [C-109]', () => expectAllReads('billing', CASES, QUIET));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(shop.site, item),
);
