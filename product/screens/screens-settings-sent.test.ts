import { uuidV4 } from '#platform/data/ids.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { settingsChanged, updateSettings, type SettingsView } from '#product/accounts/contract/settings.ts';
import { buyAtOnce } from '#product/billing/contract.ts';
import { setAutoReUp, setPostpay } from '#product/billing/contract/credit.ts';
import { changeBillingRules, changeProduct, createProduct } from '#product/billing/contract/operator.ts';
import { saveHome } from '#product/browse/contract/home.ts';
import { setLimits } from '#product/ledger/contract/limits.ts';
import { saveListingProfile } from '#product/performers/contract.ts';
import { setChatRules } from '#product/room-moderation/contract.ts';
import { setInvisibleMode } from '#product/rooms/contract/controls.ts';
import { saveShowSettings } from '#product/shows/contract/settings.ts';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import { plainOffer } from '#product/testkit/payments/wallet.ts';
import type { TestSocket } from '#product/testkit/rooms/room-socket.ts';
import type { Member } from '#product/testkit/site.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: Shop;
let viewer: Member;
let performer: Member;
let admin: Member;
let cardId: number;
beforeAll(async () => {
  shop = await createShop();
  const { site } = shop;
  viewer = await site.viewer();
  performer = await site.performer();
  admin = await site.admin();
  await admin.call(changeBillingRules, {
    switches: [{ name: 'postpay', on: true }],
    reason: 'a test of settings',
  });
  await shop.buys(viewer, '1_50');
  cardId = await shop.keeps(viewer);
});
afterAll(() => shop.close());

/** Each call that changes a setting: the file that sends it, who calls, the setting, and its new value. */
const CALLS: readonly (readonly [
  file: string,
  call: string,
  key: keyof SettingsView,
  value: unknown,
  does: () => Promise<unknown>,
])[] = [
  [
    'accounts/server/settings.ts',
    'updateSettings',
    'volume_tip',
    41,
    () => viewer.call(updateSettings, { volume_tip: 41 }),
  ],
  [
    'ledger/server/limits/limits.ts',
    'setLimits',
    'daily_limit',
    4_321,
    () => viewer.call(setLimits, { day: 4_321 }),
  ],
  [
    'billing/server/postpay.ts',
    'setPostpay',
    'postpay',
    true,
    () => viewer.call(setPostpay, { enabled: true, cardId }),
  ],
  [
    'billing/server/postpay.ts',
    'setPostpay',
    'postpay',
    false,
    () => viewer.call(setPostpay, { enabled: false }),
  ],
  ['billing/server/re-ups.ts', 'setAutoReUp', 'auto_re_ups', {
    enabled: true,
    disabled_by_user: false,
    threshold: 20,
    internal_id: '1_50',
  }, () =>
    viewer.call(setAutoReUp, {
      enabled: true,
      threshold: 20,
      internal_id: '1_50',
      cardId,
      per_day: 2,
      confirmed: true,
      shown: plainOffer(50),
    })],
  [
    'browse/server/home.ts',
    'saveHome',
    'home_layout',
    'section',
    () => viewer.call(saveHome, { layout: 'section' }),
  ],
  [
    'rooms/server/room-controls.ts',
    'setInvisibleMode',
    'invisible_mode_level',
    1,
    () => admin.call(setInvisibleMode, { level: 1 }),
  ],
  [
    'performers/server.ts',
    'saveListingProfile',
    'cam2cam',
    true,
    () => performer.call(saveListingProfile, { offers_cam2cam: true }),
  ],
  [
    'shows/server/offers.ts',
    'saveShowSettings',
    'private_cost',
    77,
    () => performer.call(saveShowSettings, { private: { isEnabled: true, pricePerMinuteInToken: 77 } }),
  ],
  [
    'shows/server/sharecam/settings.ts',
    'saveShowSettings',
    'cam2cam',
    false,
    () =>
      performer.call(saveShowSettings, {
        sharecam: { isAllowedInPrivate: false, isAllowedInPublic: false },
      }),
  ],
  [
    'room-moderation/server/chat-rules.ts',
    'setChatRules',
    'chat_allowed',
    'tokens',
    () => performer.call(setChatRules, { username: performer.username, chat_allowed: 'tokens' }),
  ],
];

/** Who calls: their other tab must receive the change. */
const callerOf = (call: string): Member => {
  if (call === 'setInvisibleMode') return admin;
  return ['saveListingProfile', 'saveShowSettings', 'setChatRules'].includes(call) ? performer : viewer;
};

describe('a setting that changes', () => {
  it.each(CALLS)('by %s, %s, reaches the other tab of its person: %s', async (
    _file,
    call,
    key,
    value,
    does,
  ) => {
    const { site } = shop;
    const tab = await site.socketOf(await site.anotherTabOf(callerOf(call)));
    await does();
    await site.settle();
    // A call may send several events: the last one holds.
    const last = tab.received(settingsChanged).at(-1);
    expect([key, last?.settings[key]]).toEqual([key, value]);
  });

  it('is sent by these files and no others', () => {
    const root = fileURLToPath(new URL('..', import.meta.url));
    const sending = readdirSync(root, { encoding: 'utf8', recursive: true })
      .filter((path) => /^[a-z-]+\/server(?:\/.*)?(?:\.ts)$/u.test(path) && path !== 'accounts/server.ts')
      .filter((path) => /\bsendSettings\(|\bsendValues\(/u.test(readFileSync(`${root}/${path}`, 'utf8')));
    expect(sending.toSorted()).toEqual([...new Set(CALLS.map(([file]) => file))].toSorted());
  });
});

it('re-ups that end themselves after three declines reach an open tab, too', async () => {
  const { site } = shop;
  const member = await site.viewer();
  await shop.buys(member, '1_50');
  const declining = await shop.keeps(member, 'NDECLINED');
  await member.call(setAutoReUp, {
    enabled: true,
    threshold: 49,
    internal_id: '1_50',
    cardId: declining,
    per_day: 5,
    confirmed: true,
    shown: plainOffer(50),
  });
  const room = await site.performer({ live: true });
  const tab = await site.socketOf(await site.anotherTabOf(member));
  for (let tip = 0; tip < 4; tip += 1) {
    await member.tips(room, 5);
    await shop.settle();
    await shop.passes(DAY_MS / 24);
  }
  const { settings } = await tab.waitFor(settingsChanged, (got) => !got.settings.auto_re_ups.enabled);
  expect(settings.auto_re_ups).toMatchObject({ enabled: false, disabled_by_user: false });
});

/** Somebody with a card on file, their open tab, and whom they tip. */
async function cardHolder(): Promise<readonly [member: Member, cardId: number, tab: TestSocket]> {
  const member = await shop.site.viewer();
  await shop.buys(member, '1_50');
  const cardId = await shop.keeps(member);
  return [member, cardId, await shop.site.socketOf(await shop.site.anotherTabOf(member))];
}

it('re-ups that a paid order turns on reach an open tab', async () => {
  const [member, , tab] = await cardHolder();
  await member.call(buyAtOnce, {
    internal_id: '1_50',
    autoReUpsSettings: { enabled: true, threshold: 40 },
  }, { idempotencyKey: uuidV4() });
  await shop.settle();
  const { settings } = await tab.waitFor(settingsChanged, (got) => got.settings.auto_re_ups.enabled);
  expect(settings.auto_re_ups)
    .toEqual({ enabled: true, disabled_by_user: false, threshold: 40, internal_id: '1_50' });
});

it('re-ups that end because the price is higher than was confirmed reach an open tab', async () => {
  const pack = {
    internal_id: 'pack_dearer',
    tokens: 100,
    free_tokens: 0,
    price_minor: 1_000,
    currency: 'USD',
    days: null,
    one_click: true,
    countries: [],
    reason: 'a test of re-ups',
    accepted_cost_cents: 1_000,
  };
  const { product } = await admin.call(createProduct, { ...pack, kind: 'pack', membership: null });
  const [member, cardId, tab] = await cardHolder();
  await member.call(setAutoReUp, {
    enabled: true,
    threshold: 49,
    internal_id: 'pack_dearer',
    cardId,
    per_day: 5,
    confirmed: true,
    shown: plainOffer(100),
  });
  await shop.settle();
  await tab.waitFor(settingsChanged, (got) => got.settings.auto_re_ups.enabled);
  await admin.call(changeProduct, { ...pack, price_minor: 1_100, revision: product.revision });
  await member.tips(await shop.site.performer({ live: true }), 5);
  await shop.settle();
  const { settings } = await tab.waitFor(settingsChanged, (got) => !got.settings.auto_re_ups.enabled);
  expect(settings.auto_re_ups).toMatchObject({ enabled: false, disabled_by_user: false });
});
