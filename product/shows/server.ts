import type { CallHandler, Slice } from '#platform/contract/bind.ts';
import { implement } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import { personalData, settingsPart } from '#product/accounts/extension-points.ts';
import { openingMode } from '#product/broadcast/extension-points.ts';
import type { PlaybackMode } from '#product/broadcast/rules.ts';
import { reportables } from '#product/moderation/extension-points.ts';
import { kinds } from '#product/notices/extension-points.ts';
import {
  readShowChats,
  roomParts,
  showChats,
  showParties,
  viewConditions,
} from '#product/rooms/extension-points.ts';
import type { Vote } from './rules/ratings.ts';
import { chatOfShow, readsOfShow, saidHandler } from './server/chats.ts';
import type { ShowsDependencies } from './server/dependencies.ts';
import { groupGoalHandlers } from './server/goals/giving.ts';
import { goalDeadlines, goalSubscriptions, takeUpGroupGoals } from './server/goals/running.ts';
import { modeDecider, privateMode } from './server/modes.ts';
import { discountEnd, offerHandlers, offerPush, privateCost } from './server/offers.ts';
import { showsPartSource } from './server/part.ts';
import { acceptHandler } from './server/private/accepting.ts';
import { checkHandler, pingHandler, receiptsHandler } from './server/private/checking.ts';
import { endHandler, removedViewers } from './server/private/ending.ts';
import { PrivateRecordings, RECORDING_READY } from './server/private/recording.ts';
import { offerWithdrawn, privateDeadline, requestHandlers } from './server/private/requests.ts';
import { RunningShows } from './server/private/running.ts';
import { watchedDeleted, watchTogetherHandlers } from './server/private/watching.ts';
import { privateRatingsOf, ratingHandlers, ratingsOf } from './server/ratings.ts';
import { reportableRecording, watchingHandlers } from './server/recorded-shows.ts';
import { acceptSharecamHandler } from './server/sharecam/accepting.ts';
import { endSharecamHandler, sharecamSubscriptions } from './server/sharecam/ending.ts';
import { sharecamMediaHandlers } from './server/sharecam/media.ts';
import { sharecamReceiptsHandler } from './server/sharecam/receipts.ts';
import { sharecamDeadline, sharecamRequestHandlers } from './server/sharecam/requests.ts';
import { RunningSharecams } from './server/sharecam/running.ts';
import { removedSpies, spyHandlers } from './server/spying/calls.ts';
import { RunningSpies, spyMode } from './server/spying/running.ts';
import { recordedShows, recordingsPaidBy } from './server/ticket-recordings/listed.ts';
import { recordingSubscriptions } from './server/ticket-recordings/recording.ts';
import { buyingHandlers, removedHolders } from './server/tickets/buying.ts';
import { holdersIn, isTicketShowRunning, ticketMode } from './server/tickets/installed.ts';
import { NOTICE_KINDS } from './server/tickets/notices.ts';
import { performingHandlers } from './server/tickets/performing.ts';
import { takeUpTicketShows, ticketDeadlines, ticketSubscriptions } from './server/tickets/running.ts';
import { saveVote } from './store.ts';
import { ownRows } from './store/own-rows.ts';
import { findExclusive, findRunning } from './store/privates.ts';
import { findPublicCameras } from './store/settings.ts';
import { findSpyIds } from './store/spies.ts';
import { findRecordedPerformers, findTicketShowsAmong } from './store/tickets.ts';

export interface ShowsService {
  /** Ratings of performers, 0 to 5 with one decimal; those with too few votes are left out. */
  readonly ratingsOf: (tx: Tx, performerIds: readonly number[]) => Promise<ReadonlyMap<number, number>>;
  /** Like `ratingsOf`, from votes of viewers who had a private show with the performer. */
  readonly privateRatingsOf: ShowsService['ratingsOf'];
  /** Stores a vote of today without HTTP and tips: for seeds. */
  readonly rate: (tx: Tx, performerId: number, viewerId: number, vote: Vote) => Promise<void>;
  /** Which of these performers are in an exclusive private show, for listings. */
  readonly exclusiveAmong: (tx: Tx, performerIds: readonly number[]) => Promise<ReadonlySet<number>>;
  /** Which of these performers offer a ticket show, or take cameras in public only, for listings. */
  readonly ticketShowsAmong: (tx: Tx, performerIds: readonly number[]) => Promise<ReadonlySet<number>>;
  readonly publicCamerasAmong: (tx: Tx, performerIds: readonly number[]) => Promise<ReadonlySet<number>>;
  /** Ticket shows whose recordings their buyers can watch, newest first. */
  readonly recordedShows: typeof recordedShows;
  /** Performers of such shows, sorted by their newest show. */
  readonly recordedPerformers: (tx: Tx, limit: number) => Promise<readonly number[]>;
  /** The shows among these whose recordings a viewer paid for. */
  readonly recordingsPaidBy: typeof recordingsPaidBy;
  /** Resolves when no work on shows is left; for tests and shutdown. */
  readonly settled: () => Promise<void>;
}
export type ShowsSlice = Slice<ShowsService>;

/** The viewers in a performer's show. */
async function partiesOf(tx: Tx, performerId: number): Promise<readonly number[]> {
  const row = await findRunning(tx, 'performer_id', performerId);
  return row ? [row.viewer_id, ...await findSpyIds(tx, row.id)] : holdersIn(tx, performerId);
}

/** The mode in which a broadcast opens: that of a show that waits for it. */
async function modeOfOpening(tx: Tx, performerId: number): Promise<PlaybackMode> {
  if (await findRunning(tx, 'performer_id', performerId)) return 'private';
  return await isTicketShowRunning(tx, performerId) ? 'limited' : 'public';
}

/** Everything of this process that is metered. */
interface Running {
  readonly shows: RunningShows;
  readonly spies: RunningSpies;
  readonly sharecams: RunningSharecams;
}

const callHandlersOf = (deps: ShowsDependencies, { shows, spies, sharecams }: Running): CallHandler[] => [
  ...ratingHandlers(deps),
  ...offerHandlers(deps),
  ...requestHandlers(deps, shows),
  acceptHandler(deps, shows),
  endHandler(deps, shows),
  checkHandler(deps, shows),
  receiptsHandler(deps),
  ...watchTogetherHandlers(deps),
  ...spyHandlers(deps, spies),
  ...performingHandlers(deps),
  ...buyingHandlers(deps),
  ...watchingHandlers(deps),
  ...groupGoalHandlers(deps),
  ...sharecamRequestHandlers(deps, sharecams),
  acceptSharecamHandler(deps, sharecams),
  endSharecamHandler(deps, sharecams),
  ...sharecamMediaHandlers(deps, sharecams),
  sharecamReceiptsHandler(deps),
  saidHandler(deps),
];

/** Paid shows and the ratings of performers. */
export function showsSlice(deps: ShowsDependencies): ShowsSlice {
  const spies = new RunningSpies(deps);
  const recordings = new PrivateRecordings(deps);
  const shows = new RunningShows(deps, {
    began: ({ operatorId, row }) => spies.leaves(operatorId, row.viewer_id),
    runs: ({ operatorId, row }) => recordings.record({ operatorId }, row.performer_id),
    over: ({ operatorId, row }) => {
      recordings.complete({ operatorId }, row);
      return spies.showEnded(operatorId, row.id);
    },
  });
  const sharecams = new RunningSharecams(deps, shows);
  const settled = async (): Promise<void> => {
    await shows.metering.settled();
    await recordings.settled();
    await spies.metering.settled();
    await sharecams.metering.settled();
  };
  return {
    name: 'shows',
    needsMedia: true,
    service: {
      ratingsOf,
      privateRatingsOf,
      rate: saveVote,
      exclusiveAmong: findExclusive,
      ticketShowsAmong: findTicketShowsAmong,
      publicCamerasAmong: findPublicCameras,
      recordedShows,
      recordedPerformers: findRecordedPerformers,
      recordingsPaidBy,
      settled,
    },
    callHandlers: callHandlersOf(deps, { shows, spies, sharecams }),
    extensions: [
      implement(personalData, ownRows),
      implement(settingsPart, privateCost(deps)),
      implement(kinds, () => [...NOTICE_KINDS, RECORDING_READY]),
      implement(viewConditions, modeDecider([privateMode, spyMode, ticketMode])),
      implement(showParties, partiesOf),
      implement(showChats, chatOfShow(deps)),
      implement(readShowChats, readsOfShow),
      implement(openingMode, modeOfOpening),
      implement(reportables, reportableRecording(deps)),
      implement(roomParts, showsPartSource(deps, shows)),
    ],
    subscriptions: [
      ...shows.subscriptions(),
      ...recordings.subscriptions(),
      removedViewers(deps, shows),
      offerWithdrawn(deps),
      watchedDeleted(deps),
      ...ticketSubscriptions(deps),
      removedHolders(deps),
      ...recordingSubscriptions(deps),
      ...goalSubscriptions(deps),
      offerPush(deps),
      ...sharecamSubscriptions(deps, sharecams),
      removedSpies(deps, spies),
      ...spies.subscriptions(),
    ],
    eventHandlers: [pingHandler(deps, shows)],
    deadlineHandlers: [
      privateDeadline(deps, shows),
      recordings.deadline(),
      discountEnd(deps),
      ...ticketDeadlines(deps),
      ...goalDeadlines(deps),
      sharecamDeadline(deps, sharecams),
    ],
    start: async () => {
      await shows.metering.start();
      await recordings.start();
      await spies.metering.start();
      await takeUpTicketShows(deps);
      await takeUpGroupGoals(deps);
      await sharecams.metering.start();
    },
    stop: async () => {
      await sharecams.metering.stop();
      await shows.metering.stop();
      await recordings.settled();
      await spies.metering.stop();
    },
  };
}
