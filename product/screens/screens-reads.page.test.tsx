import { getCurrentUser } from '#product/accounts/client.ts';
import { getJoinOffer, getOrder, listOrders, listPromos } from '#product/billing/client.ts';
import { getOwnBroadcast, getStreamerSettings } from '#product/broadcast/client.ts';
import { browseLive, browseMore, getRoomWords, getSeoExperiment } from '#product/browse/client.ts';
import { getEntry, getHidden } from '#product/compliance/client.ts';
import { getConsent } from '#product/consent/client.ts';
import { getFans, listPosts } from '#product/fanclubs/client.ts';
import { getEarningsOfSpan } from '#product/ledger/client.ts';
import { countNewFollowers } from '#product/messaging/client.ts';
import { getPushProvider, listOutbox } from '#product/notices/client.ts';
import { getListingProfile, listPictures } from '#product/performers/client.ts';
import { getTest, listRecordings } from '#product/recordings/client.ts';
import { getHeld } from '#product/room-moderation/client.ts';
import { getRoom, getRoomSettings } from '#product/rooms/client.ts';
import { getBanner, getOperatorRules, getSiteConfig, getSiteWords } from '#product/site/client.ts';
import { readingSlices } from '#product/testkit/pages/derived-reads.ts';
import {
  adminAt,
  expectAllReads,
  guestAt,
  inRoom,
  performerAt,
  showsFaces,
  titled,
  type QuietRead,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** A page of a performer. */
const ofPerformer = (address: (username: string) => string): ReadCase['way'] => async (site) => {
  const { username } = await site.performer();
  return { visitor: await site.viewer(), at: address(username) };
};
/** The console of a performer who is live. */
const console: ReadCase['way'] = async (site) => ({
  visitor: await site.performer({ live: true }),
  at: '/go-live',
});
const inOwnRoom: ReadCase['way'] = async (site) => ({
  visitor: await site.performer({ live: true }),
  at: '/go-live',
  leads: (page) => page.press('Room'),
});
/** The room of a performer who is away, while another is live. */
const offline: ReadCase['way'] = async (site) => {
  const [{ username }] = [await site.performer(), await site.performer({ live: true })];
  return { visitor: await site.viewer(), at: `/${username}` };
};
const swiping: ReadCase['way'] = async (site) => {
  await site.performer({ live: true });
  return { visitor: await site.viewer(), at: '/swipe', width: 390 };
};

const CASES: readonly ReadCase[] = [
  { in: ['admin/site/site-page.tsx'], call: getSeoExperiment, way: adminAt('/admin/site') },
  { in: ['admin/site/site-page.tsx'], call: getOperatorRules, way: adminAt('/admin/site') },
  { in: ['admin/site/site-page.tsx'], call: getSiteWords, way: adminAt('/admin/site') },
  { in: ['admin/site/site-page.tsx'], call: getBanner, way: adminAt('/admin/site') },
  { in: ['admin/site/site-page.tsx'], call: getPushProvider, way: adminAt('/admin/site') },
  { in: ['admin/outbox-page.tsx'], call: listOutbox, way: adminAt('/admin/outbox') },
  {
    in: ['fanclub/fanclub-page.tsx'],
    call: getFans,
    way: ofPerformer((username) => `/${username}/fanclub`),
  },
  {
    in: ['fanclub/fanclub-page.tsx'],
    call: listPosts,
    way: ofPerformer((username) => `/${username}/fanclub`),
  },
  { in: ['performer/go-live-page.tsx'], call: getOwnBroadcast, way: performerAt('/go-live') },
  {
    in: ['performer/go-live-page.tsx', 'performer/hiding/hidden-notice.tsx'],
    call: getHidden,
    way: performerAt('/go-live'),
  },
  { in: ['performer/go-live-page.tsx'], call: getStreamerSettings, way: performerAt('/go-live') },
  { in: ['performer/go-live-page.tsx'], call: getTest, way: performerAt('/go-live') },
  { in: ['performer/listing-page.tsx'], call: getListingProfile, way: performerAt('/account/listing') },
  { in: ['performer/listing-page.tsx'], call: getOwnBroadcast, way: performerAt('/account/listing') },
  { in: ['performer/listing-page.tsx'], call: listPictures, way: performerAt('/account/listing') },
  { in: ['performer/streaming-page.tsx'], call: listRecordings, way: performerAt('/account/streaming') },
  {
    in: ['performer/streaming-page.tsx'],
    call: getStreamerSettings,
    way: performerAt('/account/streaming'),
  },
  { in: ['room/room-page.tsx'], call: getRoom, way: inRoom() },
  { in: ['room/panels/own-room.tsx'], call: getRoom, way: console },
  { in: ['room/panels/room-settings.tsx'], call: getRoomSettings, way: inOwnRoom },
  { in: ['room/panels/live-now.tsx'], call: browseLive, way: offline, isSmall: true },
  {
    in: ['swipe/swipe-page.tsx', 'swipe/use-feed.ts'],
    call: browseMore,
    way: guestAt('/swipe', { width: 390 }),
  },
  { in: ['swipe/card/card.tsx'], call: getRoom, way: swiping },
  { in: ['root.tsx'], call: getEntry, way: guestAt('/legal', { byDocument: true }) },
  { in: ['root.tsx'], call: getConsent, way: guestAt('/legal', { byDocument: true }) },
];
const QUIET: readonly QuietRead[] = [
  {
    in: ['room/column.tsx'],
    call: getHeld,
    because: 'the count on the button of the panel, which reads the same and says what failed',
  },
  {
    in: ['room/room-page.tsx', 'fanclub/fanclub-page.tsx'],
    call: getRoomWords,
    because: 'words of the head for whoever has not passed the entry gate, which shows all the same',
  },
  {
    in: ['document/page-context.ts'],
    call: getEntry,
    because: 'read with the document, which has a case',
  },
  {
    in: ['root.tsx'],
    call: getSiteConfig,
    because: 'read for the document by the server, whose failure is an error page',
  },
  {
    in: ['root.tsx', 'admin/admin-frame.tsx'],
    call: getCurrentUser,
    because: 'read for the document by the server, whose failure is an error page',
  },
  {
    in: ['public/cookies-page.tsx'],
    call: getConsent,
    because: 'read with the document, which has a case',
  },
  {
    in: ['shell/live/live-page.ts'],
    call: getCurrentUser,
    because: 'asked again while the sockets are away: what was known stays, and the page says that they are',
  },
  {
    in: ['document/errors/crash-page.tsx'],
    call: getSiteConfig,
    because: 'the page of a crash, which stands without the name of the site',
  },
  {
    in: ['buy/visit.ts'],
    call: getOrder,
    because: 'of the address after a payment: without an answer nothing is said of an order',
  },
  {
    in: ['buy/visit.ts'],
    call: listOrders,
    because: 'of the address after a payment: without an answer nothing is said of an order',
  },
  {
    in: ['document/watch/clock-watch.ts'],
    call: getSiteConfig,
    because: 'asked for the time of the server alone; the last offset stays without an answer',
  },
  {
    in: ['shell/live/earned-tokens.tsx'],
    call: getEarningsOfSpan,
    because: 'a figure of the header, which leads to the earnings without it',
  },
  {
    in: ['performer/console/summary.tsx'],
    call: getEarningsOfSpan,
    because: 'a part of the summary after a broadcast, which says so where it fails',
  },
  {
    in: ['performer/console/summary.tsx'],
    call: countNewFollowers,
    because: 'a figure of the summary after a broadcast, which stands without it',
  },
  {
    in: ['performer/console/summary.tsx'],
    call: listRecordings,
    because: 'a figure of the summary after a broadcast, which stands without it',
  },
  {
    in: ['buy/visit.ts'],
    call: listPromos,
    because: 'of a link to free tokens: who gets no answer is congratulated on nothing',
  },
  {
    in: ['buy/visit.ts'],
    call: getJoinOffer,
    because: 'of a link to a join offer: without an answer the page that was asked for is shown',
  },
  {
    in: ['shell/consent-host.tsx'],
    call: getConsent,
    because: 'without an answer the site asks, as it must where it does not know',
  },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each slice whose pages read has such a table [C-109]', () => {
  const missing = readingSlices()
    .filter((slice) => !existsSync(`product/${slice}/${slice}-reads.page.test.tsx`));
  expect(missing).toEqual([]);
});
test('each read of these pages has a case here [C-109]', () => expectAllReads('screens', CASES, QUIET));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(site, item),
);
