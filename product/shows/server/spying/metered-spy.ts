import { topicPersonChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { spiesFree } from '#product/fanclubs/rules/benefits.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import {
  spyAudience,
  spyEnded,
  spyTick,
  type RunningSpyView,
  type SpyReceiptView,
} from '../../contract/spying.ts';
import { costOf, secondsLeft, toCapture } from '../../rules/meter.ts';
import { endsSpying, type SpyEndReason, type SpyFunds } from '../../rules/spying.ts';
import { findRunning } from '../../store/privates.ts';
import { changeSpy, countSpies, findAllSpies, type SpyChange, type SpyRow } from '../../store/spies.ts';
import { sendWhoReads } from '../chats.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import type { Counts, Ended, Metered, MeteredProduct, PassedSecond } from '../metering/metered.ts';
import type { OperationNames } from '../metering/payments.ts';
import { namesOf } from '../private/views.ts';
import { spyOfferOf, tipDue } from './offer.ts';

/** Names of spying's operations in the ledger. The performer does not learn who spies. */
const SPY_OPERATIONS: OperationNames = {
  scope: 'shows.spy',
  hold: 'spy_hold',
  charge: 'spy_show',
  released: 'spy_released',
  hidesPayer: true,
  isPartOfPrivate: true,
};

/**
 * After this many ticks without a sent second, a spy can no longer read the show's chat: one second in every
 * thirty must not be enough to read all of it.
 */
const SILENT_TICKS_READING = 3;

/** A spying viewer, in the process that carries media. */
export type Spy = Metered<SpyRow>;

/** Seconds of the free preview that were seen. */
const previewedOf = ({ preview }: SpyRow, { previewSeconds }: Pick<Spy, 'previewSeconds'>): SpyChange => ({
  previewed: preview - previewSeconds,
});
const countedIn = (row: SpyRow, counts: Counts): SpyChange => ({
  ...counts.columns,
  ...previewedOf(row, counts),
  free_performer: counts.free.publisher,
  free_viewer: counts.free.reader,
});

/** The stream of a performer's private show; null while there is none. */
export async function showStreamOf(
  { broadcast }: Pick<ShowsDependencies, 'broadcast'>,
  tx: Tx,
  performerId: number,
): Promise<string | null> {
  const { mode, stream } = await broadcast.viewOf(tx, performerId);
  return mode === 'private' ? stream : null;
}

/** Sends the performer how many spy on a show, and what they pay. */
export async function sendAudience(
  tx: Tx,
  { performer_id: performer, private_id: show }: Pick<SpyRow, 'performer_id' | 'private_id'>,
): Promise<void> {
  await tx.send(
    topicPersonChannel(roomTopic(performer), performer),
    spyAudience,
    await countSpies(tx, show),
  );
}

/** A receipt; only its viewer sees the viewer's name. */
export function spyReceipt(row: SpyRow, nameOf: (id: number) => string, readerId: number): SpyReceiptView {
  const { ended_at: endedAt, end_reason: reason, paid_at: paidAt } = row;
  if (endedAt === null || reason === null) throw new Error(`spying ${row.id} has no end and no receipt`);
  return {
    id: row.id,
    username: readerId === row.viewer_id ? nameOf(row.viewer_id) : null,
    broadcaster: nameOf(row.performer_id),
    private_id: row.private_id,
    cost_per_minute: row.price,
    seconds: row.seconds,
    preview_seconds: row.previewed,
    free_seconds: { performer: row.free_performer, viewer: row.free_viewer },
    tokens: row.captured,
    startup_tip: paidAt === null ? 0 : row.startup_tip,
    released: row.released,
    reason_ended: reason,
    started_at: row.started_at.toISOString(),
    ended_at: endedAt.toISOString(),
  };
}

/** The totals of somebody's spying. */
export function runningSpyView(spy: Spy): RunningSpyView {
  const { row, meter, spending, performerName, isPaused } = spy;
  const price = spy.clubSeconds === null ? row.price : 0;
  return {
    broadcaster: performerName,
    cost_per_minute: price,
    seconds: meter.seconds,
    tokens: costOf(meter),
    startup_tip: row.paid_at === null ? 0 : row.startup_tip,
    preview_seconds: spy.previewSeconds,
    seconds_left: price === 0 ? null : secondsLeft(meter, spending.spendable),
    is_paused: isPaused,
  };
}

function sendTick({ bus }: ShowsDependencies, spy: Spy): void {
  const { operatorId, row: { performer_id: performer, viewer_id: viewer } } = spy;
  bus.publish({
    operatorId,
    channel: topicPersonChannel(roomTopic(performer), viewer),
    name: spyTick.name,
    payload: runningSpyView(spy),
  });
}

/** Tokens that would be given back if somebody's spying ended now. */
export const heldFor = ({ meter }: Spy): number => meter.held - toCapture(meter);

/** Whether too few tokens are left, for a viewer whose spying may be cut short (spec 2 §4.8). */
const isShortFor = (spy: Spy, who: Pick<SpyFunds, 'isStreamer' | 'isPostPay'>): boolean =>
  endsSpying({
    ...who,
    isPreviewRunning: spy.previewSeconds > 0,
    price: spy.row.price,
    tokens: spy.spending.tokens + heldFor(spy),
  });

/**
 * Lets the spy read the show's chat from now on (after the preview, and when their video returns), or no
 * longer. Messages sent in between are never readable for them.
 */
async function readsAlong(deps: ShowsDependencies, spy: Spy, reads: boolean): Promise<SpyRow> {
  const { row: { id, viewer_id: viewer, performer_id: performer }, operatorId } = spy;
  return deps.data.tx({ operatorId }, async (tx) => {
    const row = await changeSpy(tx, id, {
      reads_since: reads ? tx.now : null,
      ...previewedOf(spy.row, spy),
    });
    await sendWhoReads(deps, tx, performer, viewer);
    return row;
  });
}

/** The row after a second in which its viewer may have gained or lost the chat. */
async function reading(deps: ShowsDependencies, spy: Spy, second: PassedSecond): Promise<SpyRow> {
  const reads = spy.row.reads_since !== null;
  if (second !== null && second !== 'preview' && !reads) return readsAlong(deps, spy, true);
  return reads && spy.silentReader >= SILENT_TICKS_READING ? readsAlong(deps, spy, false) : spy.row;
}

/** The first paid second, and the tip to start with it. */
const storeFirst = (tx: Tx, spy: Spy, captureNumber: number): Promise<SpyRow> =>
  changeSpy(tx, spy.row.id, {
    capture_number: captureNumber,
    paid_at: tx.now,
    startup_tip: spy.upfrontTokens,
    ...previewedOf(spy.row, spy),
  });

/** Stores the end of spying, and notifies the spy and the people in the show. */
async function storeEnd(
  deps: ShowsDependencies,
  tx: Tx,
  spy: Spy,
  { end: reason, counts, released }: Ended<SpyRow, SpyEndReason>,
): Promise<SpyReceiptView> {
  const { viewer_id: viewer, performer_id: performer } = spy.row;
  const row = await changeSpy(tx, spy.row.id, {
    ...countedIn(spy.row, counts),
    released,
    ended_at: tx.now,
    end_reason: reason,
  });
  const receipt = spyReceipt(row, (id) => (id === viewer ? spy.viewerName : spy.performerName), viewer);
  await tx.send(topicPersonChannel(roomTopic(performer), viewer), spyEnded, {
    reason_ended: reason,
    receipt,
  });
  await sendWhoReads(deps, tx, performer, viewer);
  await sendAudience(tx, row);
  return receipt;
}

/** Spying, as `Metering` counts it. */
export function meteredSpy(
  deps: ShowsDependencies,
): MeteredProduct<SpyRow, SpyEndReason, SpyReceiptView> {
  const { accounts, broadcast, fanclubs, onError } = deps;
  return {
    timer: 'shows.spyTick',
    operations: SPY_OPERATIONS,
    terms: async (tx, row) => {
      const { viewer_id: viewer, performer_id: performer } = row;
      const nameOf = await namesOf(accounts, tx, [viewer, performer]);
      return {
        readerId: viewer,
        viewerName: nameOf(viewer),
        performerName: nameOf(performer),
        limit: null,
        carried: row.carried,
        upfrontTokens: 0,
        refundHundredths: 0,
        free: { publisher: row.free_performer, reader: row.free_viewer },
        previewSeconds: row.preview - row.previewed,
      };
    },
    store: async (tx, row, counts) => {
      const stored = await changeSpy(tx, row.id, countedIn(row, counts));
      await sendAudience(tx, stored);
      return stored;
    },
    first: {
      isOver: ({ paid_at: paidAt }) => paidAt !== null,
      kind: 'spy_startup_tip',
      // A tip during the preview replaces the tip to start.
      upfrontTokens: async (tx, { startup_tip: tip, viewer_id: viewer, performer_id: performer }) =>
        Math.min(tip, await tipDue(deps, tx, await spyOfferOf(deps, tx, performer), viewer, performer)),
      store: storeFirst,
    },
    freeForMembers: {
      isFree: async (tx, { viewer_id: viewer, performer_id: performer }) =>
        spiesFree(await fanclubs.levelOf(tx, viewer, performer)),
      charge: async (tx, spy) => {
        const { pricePerMinuteInToken: price } = await spyOfferOf(deps, tx, spy.row.performer_id);
        return changeSpy(tx, spy.row.id, { price, seconds: 0, ...previewedOf(spy.row, spy) });
      },
    },
    shortage: {
      isPossible: (spy) => isShortFor(spy, { isStreamer: false, isPostPay: false }),
      isCertain: async (tx, spy) => {
        const person = await accounts.findById(tx, spy.row.viewer_id);
        return isShortFor(spy, {
          isStreamer: person?.type === 'model',
          isPostPay: spy.spending.avail !== null,
        });
      },
    },
    passed: async (spy, second) => {
      const row = await reading(deps, spy, second);
      sendTick(deps, { ...spy, row });
      return row;
    },
    restart: {
      rows: findAllSpies,
      streamOf: (tx, { performer_id: performer }) => showStreamOf(deps, tx, performer),
      endOf: async (
        tx,
        { performer_id: performer, private_id: showId },
      ) => ((await findRunning(tx, 'performer_id', performer))?.id === showId ? null : 'show_ended'),
    },
    ending: {
      usedUp: 'out_of_tokens',
      away: { publisher: 'user_left', reader: 'user_left' },
      lock: async (_tx, row) => row,
      store: (tx, spy, ended) => storeEnd(deps, tx, spy, ended),
      after: async ({ operatorId, row }, reason) => {
        // After a show nobody is left to review: moving the video has cut everybody off its stream.
        if (reason === 'show_ended') return;
        await broadcast.review({ operatorId }, row.performer_id).catch(onError);
      },
    },
  };
}
