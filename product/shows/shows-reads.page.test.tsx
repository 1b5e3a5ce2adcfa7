import { getLimits } from '#product/ledger/client.ts';
import { setLimits } from '#product/ledger/contract/limits.ts';
import { getRoom } from '#product/rooms/client.ts';
import {
  expectAllReads,
  inRoom,
  performerAt,
  showsFaces,
  titled,
  viewerAt,
  type QuietRead,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import { endsPrivate, mediaPasses, privatePerformer } from '#product/testkit/shows/private-show.ts';
import { sharecamPerformer } from '#product/testkit/shows/sharecam.ts';
import { spiedShow } from '#product/testkit/shows/spying.ts';
import {
  endsRecorded,
  runsRecorded,
  sellsRecordings,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { watchableShow } from '#product/testkit/shows/watching.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, test } from 'vitest';
import {
  checkPrivate,
  checkSharecam,
  checkSpying,
  getOwnGroupGoal,
  getOwnRating,
  getOwnTicketShows,
  getPrivateRequests,
  getReceipts,
  getSaid,
  getSharecamReceipts,
  getSharecams,
  getShowRecording,
  getShowSettings,
  getSpyAudience,
  getSpyReceipts,
  getTickets,
  getWatchable,
} from './client.ts';

/** The console of a live performer, opened by its address: on other pages a notice reads the queue. */
const console: ReadCase['way'] = async (site) => ({
  visitor: await site.performer({ live: true }),
  at: '/go-live',
  byDocument: true,
});
/** A room whose performer offers private shows. */
const offered: ReadCase['way'] = async (site) => {
  const { username } = await privatePerformer(site);
  return { visitor: await site.viewer({ tokens: 1_000 }), at: `/${username}` };
};

/** A viewer whose budget leaves too little for a private show. */
const short: ReadCase['way'] = async (site) => {
  const { username } = await privatePerformer(site);
  const visitor = await site.viewer({ tokens: 1_000 });
  await visitor.call(setLimits, { week: 1 });
  return { visitor, at: `/${username}`, leads: (page) => page.press('Ask for a private show') };
};

/** A room whose performer is in a private show that can be spied on. */
const spied: ReadCase['way'] = async (site) => {
  const { performer: { username } } = await spiedShow(site);
  return { visitor: await site.viewer({ tokens: 1_000 }), at: `/${username}` };
};

/** A room whose performer takes cameras, and a viewer who is about to share theirs. */
const sharing: ReadCase['way'] = async (site) => {
  const { username } = await sharecamPerformer(site);
  return {
    visitor: await site.viewer({ tokens: 1_000 }),
    at: `/${username}`,
    leads: (page) => page.press('Share my camera'),
  };
};
/** The recording of a ticket show that its viewer bought. */
const recorded: ReadCase['way'] = async (site) => {
  const [performer, visitor] = [await ticketPerformer(site), await site.viewer({ tokens: 1_000 })];
  const { show, stream } = await runsRecorded(site, performer, visitor);
  await sellsRecordings(performer, visitor);
  await endsRecorded(site, performer, stream);
  return { visitor, at: `/account/shows/recordings/${show}` };
};
/** The messages of a private show that is over, for its viewer. */
const said: ReadCase['way'] = async (site) => {
  const { performer, viewer } = await spiedShow(site);
  const { id } = await endsPrivate(viewer, performer);
  await site.settle();
  return { visitor: viewer, at: `/account/shows/said/private/${id}` };
};
/** A performer in a private show who is about to choose a recording to watch with its viewer. */
const choosing: ReadCase['way'] = async (site) => {
  const { performer } = await watchableShow(site);
  await mediaPasses(site, performer, 1);
  return {
    visitor: performer,
    at: `/${performer.username}`,
    leads: (page) => page.press('Watch a video together'),
  };
};
/** A performer who takes cameras of viewers, in their own room. */
const inOwnRoom: ReadCase['way'] = async (site) => {
  const performer = await sharecamPerformer(site);
  return { visitor: performer, at: `/${performer.username}` };
};

const CASES: readonly ReadCase[] = [
  {
    in: ['account/offer-sections.tsx', 'account/sharecam-section.tsx', 'account/spying.tsx'],
    call: getShowSettings,
    way: performerAt('/account/shows'),
  },
  {
    in: ['account/shows-page.tsx', 'account/receipts.tsx'],
    call: getReceipts,
    way: viewerAt('/account/shows'),
  },
  {
    in: ['account/shows-page.tsx', 'account/spying.tsx'],
    call: getSpyReceipts,
    way: viewerAt('/account/shows'),
  },
  {
    in: ['account/shows-page.tsx', 'account/camera-receipts.tsx'],
    call: getSharecamReceipts,
    way: viewerAt('/account/shows'),
  },
  { in: ['spying/live.ts'], call: checkSpying, way: spied, isSmall: true },
  { in: ['private/performer/show-queue.tsx'], call: getPrivateRequests, way: console },
  {
    in: ['account/shows-page.tsx', 'account/tickets.tsx'],
    call: getTickets,
    way: viewerAt('/account/shows'),
  },
  {
    in: ['account/shows-page.tsx', 'account/tickets.tsx'],
    call: getOwnTicketShows,
    way: performerAt('/account/shows'),
  },
  { in: ['recordings/recording-page.tsx'], call: getShowRecording, way: recorded },
  { in: ['account/said-page.tsx'], call: getSaid, way: said },
  {
    in: ['tickets/performer/own-ticket-show.tsx', 'private/performer/show-queue.tsx'],
    call: getOwnTicketShows,
    way: console,
    isSmall: true,
  },
  { in: ['goals/own-goal.tsx'], call: getOwnGroupGoal, way: console, isSmall: true },
  { in: ['private/live.ts'], call: checkPrivate, way: offered, isSmall: true },
  { in: ['private/viewer/request-dialog.tsx'], call: getLimits, way: short },
  { in: ['sharecam/live.ts'], call: checkSharecam, way: sharing },
  { in: ['watching/choose-video.tsx'], call: getWatchable, way: choosing },
  { in: ['sharecam/performer/camera-list.tsx'], call: getSharecams, way: inOwnRoom, isSmall: true },
  { in: ['sharecam/performer/camera-list.tsx'], call: getSharecams, way: console, isSmall: true },
  { in: ['rating/rating-dialog.tsx'], call: getOwnRating, way: inRoom((page) => page.press(/^Rate/u)) },
];
const ENDING = 'what the question before the end names: parts of the console read it, and say what failed';
const QUIET: readonly QuietRead[] = [
  { in: ['private/performer/ending-shows.tsx'], call: getOwnGroupGoal, because: ENDING },
  { in: ['private/performer/ending-shows.tsx'], call: getOwnTicketShows, because: ENDING },
  { in: ['private/performer/ending-shows.tsx'], call: getPrivateRequests, because: ENDING },
  {
    in: ['private/performer/request-notice.tsx'],
    call: getPrivateRequests,
    because: 'a notice above other pages: the list of requests, where it leads, says what failed',
  },
  {
    in: ['spying/spy-audience.tsx'],
    call: getSpyAudience,
    because: 'a figure beside the show, which the next event brings',
  },
  {
    in: ['sharecam/performer/camera-list.tsx'],
    call: getRoom,
    because: 'the room around it reads it, and says what failed',
  },
  {
    in: ['private/live.ts'],
    call: getReceipts,
    because: 'of a show that ended while the page was away: the page of receipts has it too',
  },
  {
    in: ['tickets/live.ts'],
    call: getTickets,
    because: 'of a show that ended while the page was away: the page of receipts has it too',
  },
  { in: ['rating/reminder.tsx'], call: getOwnRating, because: 'without an answer nobody is reminded' },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here [C-109]', () => expectAllReads('shows', CASES, QUIET));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(site, item),
);
