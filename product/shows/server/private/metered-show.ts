import { topicPersonChannel, type AnyEvent, type PayloadOf } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { DISCOUNT_PERCENT } from '#product/fanclubs/rules/benefits.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { localeOf } from '#product/tips/server.ts';
import { privateEnded, privateFailed } from '../../contract.ts';
import { privateTick, type ReceiptView } from '../../contract/private-running.ts';
import { refundOf } from '../../rules/meter.ts';
import { isEndedByParticipant, type ShowEvent } from '../../rules/private.ts';
import {
  changePrivate,
  findAllRunning,
  findPrivate,
  type PrivateChange,
  type PrivateRow,
} from '../../store/privates.ts';
import { findReadingSpies } from '../../store/spies.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import type { Counts, Ended, FreeSeconds, Metered, MeteredProduct } from '../metering/metered.ts';
import type { OperationNames } from '../metering/payments.ts';
import { changeBy, PRIVATE_DEADLINE } from './changes.ts';
import { scheduleRecording } from './recording.ts';
import { limitOf, namesOf, NOTHING_WATCHED, receiptView, statsOf } from './views.ts';

/** Names of a private show's operations in the ledger. */
export const PRIVATE_OPERATIONS: OperationNames = {
  scope: 'shows.private',
  hold: 'private_hold',
  charge: 'private_show',
  released: 'private_released',
};

/** A show that is starting or running, in the process that carries media. */
export type Run = Metered<PrivateRow>;

/** What other parts do when a show has its first second, or is over. */
export interface ShowListeners {
  readonly runs: (run: Run) => void;
  readonly over: (run: Run) => Promise<void>;
}

const freeOf = ({ publisher, reader }: FreeSeconds): PrivateChange => ({
  free_performer: publisher,
  free_viewer: reader,
});
const countedIn = ({ columns, free, refundHundredths }: Counts): PrivateChange => ({
  ...columns,
  ...freeOf(free),
  refund_hundredths: refundHundredths,
});

/** Sends both people in a show an event. */
export async function sendBoth<E extends AnyEvent>(
  tx: Tx,
  { row }: Run,
  event: E,
  payload: (side: 'viewer' | 'performer') => PayloadOf<E>,
): Promise<void> {
  const topic = roomTopic(row.performer_id);
  await tx.send(topicPersonChannel(topic, row.viewer_id), event, payload('viewer'));
  await tx.send(topicPersonChannel(topic, row.performer_id), event, payload('performer'));
}

/** Handles the first second: the show runs, and the tip before it was paid by `captureNumber`. */
async function storeFirst(tx: Tx, { row }: Run, captureNumber: number): Promise<PrivateRow> {
  const change = changeBy(row, { kind: 'picture' }, tx.now);
  if (!change) throw new Error(`show ${row.id} cannot begin`);
  await tx.unschedule(PRIVATE_DEADLINE, String(row.id));
  return changePrivate(tx, row.id, { ...change, capture_number: captureNumber });
}

function sendTick({ bus }: ShowsDependencies, run: Run): void {
  const { row: { performer_id: performer, viewer_id: viewer }, operatorId } = run;
  for (const [personId, side] of [[viewer, 'viewer'], [performer, 'performer']] as const) {
    const payload: PayloadOf<typeof privateTick> = {
      username: run.viewerName,
      broadcaster: run.performerName,
      is_paused: run.isPaused,
      cost_per_minute: run.row.price,
      avail: side === 'viewer' ? run.spending.avail : null,
      ...statsOf(run.meter, run.spending.spendable, side),
    };
    const channel = topicPersonChannel(roomTopic(performer), personId);
    bus.publish({ operatorId, channel, name: privateTick.name, payload });
  }
}

/** Whether an event ends a show: only then is it captured and closed. */
async function lockShow(
  tx: Tx,
  { id }: PrivateRow,
  event: ShowEvent,
): Promise<PrivateRow | 'stays' | 'over'> {
  const stored = await findPrivate(tx, id);
  if (!stored || stored.phase === 'ended') return 'over';
  return changeBy(stored, event, tx.now)?.end_reason ? stored : 'stays';
}

/** Stores the end of a show, and notifies both people. */
async function storeEnd(
  deps: ShowsDependencies,
  tx: Tx,
  run: Run,
  { end, stored, counts, released }: Ended<PrivateRow, ShowEvent>,
): Promise<ReceiptView> {
  const { rooms, accounts } = deps;
  const { viewer_id: viewer, performer_id: performer } = stored;
  const change = changeBy(stored, end, tx.now);
  const reason = change?.end_reason;
  if (!reason) throw new Error(`show ${stored.id} was locked for an event that does not end it`);
  const row = await changePrivate(tx, stored.id, {
    ...change,
    ...countedIn(counts),
    ...NOTHING_WATCHED,
    released,
    ended_at: tx.now,
  });
  await tx.unschedule(PRIVATE_DEADLINE, String(row.id));
  await scheduleRecording(tx, row);
  await rooms.releaseActivity(tx, performer, 'private');
  if (row.started_at === null && !isEndedByParticipant(reason)) {
    const person = await accounts.findById(tx, viewer);
    await tx.send(topicPersonChannel(roomTopic(performer), viewer), privateFailed, {
      errorType: 'private_no_picture',
      error: person && deps.text(localeOf(person), 'shows:noPicture'),
    });
  }
  await sendBoth(
    tx,
    run,
    privateEnded,
    () => ({ fanclub_refund: refundOf(row.refund_hundredths), reason_ended: reason }),
  );
  // Spies on the show may read nothing from now on either.
  const spies = (await findReadingSpies(tx, row.id)).map(({ personId }) => personId);
  await rooms.sendShowChat(tx, performer, [performer, viewer, ...spies]);
  const nameOf = (id: number): string => (id === viewer ? run.viewerName : run.performerName);
  return receiptView(row, nameOf, viewer);
}

/** Makes the video public again after a show. */
async function moveBack(
  { data, broadcast, rooms, onError }: ShowsDependencies,
  { operatorId, row }: Run,
): Promise<void> {
  const scope = { operatorId };
  const { performer_id: performer } = row;
  try {
    const { mode, stream } = await data.tx(scope, (tx) => broadcast.viewOf(tx, performer));
    if (mode !== 'public' && stream !== null) await broadcast.move(scope, performer, 'public');
    // If the performer is gone or in standby, no video moves; both still need the room's state.
    else await data.tx(scope, (tx) => rooms.sendState(tx, performer));
    await broadcast.review(scope, performer);
  } catch (error) {
    // The show is over and only the performer sees the stream: the next broadcast is public again.
    onError(error);
  }
}

/** Private shows, as `Metering` counts them. */
export function meteredShow(
  deps: ShowsDependencies,
  listeners: ShowListeners,
): MeteredProduct<PrivateRow, ShowEvent, ReceiptView> {
  const { accounts, broadcast, fanclubs, onError } = deps;
  return {
    timer: 'shows.tick',
    operations: PRIVATE_OPERATIONS,
    terms: async (tx, row) => {
      const nameOf = await namesOf(accounts, tx, [row.viewer_id, row.performer_id]);
      return {
        readerId: row.viewer_id,
        viewerName: nameOf(row.viewer_id),
        performerName: nameOf(row.performer_id),
        limit: limitOf(row),
        carried: 0,
        upfrontTokens: row.started_at === null ? row.pre_tip : 0,
        free: { publisher: row.free_performer, reader: row.free_viewer },
        refundHundredths: row.refund_hundredths,
        previewSeconds: 0,
      };
    },
    store: (tx, { id }, counts) => changePrivate(tx, id, countedIn(counts)),
    refundPercent: async (tx, { viewer_id: viewer, performer_id: performer }) => {
      const level = await fanclubs.levelOf(tx, viewer, performer);
      return level === null ? 0 : DISCOUNT_PERCENT[level];
    },
    first: {
      isOver: ({ phase }) => phase !== 'starting',
      kind: 'private_pre_tip',
      store: storeFirst,
      stored: listeners.runs,
    },
    isStarting: ({ phase }) => phase === 'starting',
    passed: async (run) => {
      sendTick(deps, run);
      return run.row;
    },
    restart: {
      rows: findAllRunning,
      streamOf: async (tx, { performer_id: performer }) => {
        const { stream, mode } = await broadcast.viewOf(tx, performer);
        return mode === 'private' ? stream : null;
      },
    },
    ending: {
      usedUp: { kind: 'over' },
      away: {
        publisher: { kind: 'over', reason: 'unpublish' },
        reader: { kind: 'over', reason: 'user_left' },
      },
      lock: lockShow,
      store: (tx, run, ended) => storeEnd(deps, tx, run, ended),
      after: async (run) => {
        await moveBack(deps, run);
        await listeners.over(run).catch(onError);
      },
    },
  };
}
