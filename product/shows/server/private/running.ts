import { subscribe, type Subscription } from '#platform/contract/bind.ts';
import { topicPersonChannel, type AnyEvent, type PayloadOf } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { broadcastEnded, broadcastStarted } from '#product/broadcast/contract.ts';
import { duesPaid } from '#product/fanclubs/contract.ts';
import { DISCOUNT_PERCENT } from '#product/fanclubs/rules/benefits.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { localeOf } from '#product/tips/server.ts';
import { privateEnded, privateFailed, privateStarted } from '../../contract.ts';
import { privateTick, type ReceiptView, type RunningPrivateView } from '../../contract/private-running.ts';
import { refundOf } from '../../rules/meter.ts';
import { isByOneOfThem, nextShow, type EndReason, type ShowEvent } from '../../rules/private.ts';
import { SPY_PREVIEW_SECONDS } from '../../rules/spying.ts';
import {
  changePrivate, findAllRunning, findPrivate, findRunning, type PrivateChange, type PrivateRow,
} from '../../store/privates.ts';
import { findReadingSpies } from '../../store/spies.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import type { Metered, MeteredProduct, Seen } from '../metering/metered.ts';
import { Metering } from '../metering/metering.ts';
import type { OperationNames } from '../metering/payments.ts';
import { spyOfferOf } from '../spying/offer.ts';
import { scheduleRecording } from './recording.ts';
import {
  meterOf, namesOf, NOTHING_WATCHED, receiptView, recordingState, startedView, statsOf, watchView,
} from './views.ts';

/** Deadlines of requests and of shows that start. */
export const PRIVATE_DEADLINE = 'shows.privateDeadline';
/** Names of a private show's operations in the ledger. */
export const PRIVATE_OPERATIONS: OperationNames = {
  scope: 'shows.private', hold: 'private_hold', charge: 'private_show', released: 'private_released',
};

/** A show that is starting or running, in the process that carries media. */
export type Run = Metered<PrivateRow>;

const stateOf = (row: PrivateRow) => ({
  phase: row.phase, deadline: row.deadline?.getTime() ?? null, startedAt: row.started_at?.getTime() ?? null,
  endReason: row.end_reason,
});

/** A row after an event; null when it does not belong to the phase. */
export function changeBy(row: PrivateRow, event: ShowEvent, now: Date): PrivateChange | null {
  const before = stateOf(row);
  const after = nextShow(before, event, now.getTime());
  if (after === before) return null;
  return {
    phase: after.phase, deadline: after.deadline === null ? null : new Date(after.deadline),
    started_at: after.startedAt === null ? null : new Date(after.startedAt), end_reason: after.endReason,
    is_recorded: row.is_recorded && after.phase === 'running',
  };
}

/** What other parts do when a show begins, has its first second, or is over. */
interface ShowListeners {
  readonly began: (run: Run) => Promise<void>;
  readonly runs: (run: Run) => void;
  readonly over: (run: Run) => Promise<void>;
}

/** Shows that are starting or running: their video, their meter, and their end. */
export class RunningShows {
  readonly #deps: ShowsDependencies;
  readonly #meters: Metering<PrivateRow>;
  readonly #listeners: ShowListeners;

  constructor(deps: ShowsDependencies, listeners: ShowListeners) {
    this.#deps = deps;
    this.#listeners = listeners;
    const product: MeteredProduct<PrivateRow> = {
      timer: 'shows.tick', operations: PRIVATE_OPERATIONS,
      store: (tx, { row, free }, change, refund) =>
        changePrivate(tx, row.id, { ...change, ...freeOf(free), refund_hundredths: refund }),
      refundPercent: async (tx, { viewer_id: viewer, performer_id: performer }) => {
        const level = await deps.fanclubs.levelOf(tx, viewer, performer);
        return level === null ? 0 : DISCOUNT_PERCENT[level];
      },
      count: (run) => this.#count(run),
      tick: (run, seen) => this.#tick(run, seen),
      failed: (run) => this.end(run.operatorId, run.row, { kind: 'over' }),
    };
    this.#meters = new Metering(deps, product);
  }

  /** Takes up shows after a restart: a show ends if either person is not back in 30 s. */
  async start(): Promise<void> {
    this.#meters.start();
    for (const operatorId of await this.#deps.site.operators()) {
      const rows = await this.#deps.data.tx({ operatorId }, findAllRunning);
      for (const row of rows) {
        await this.#deps.data.tx({ operatorId }, async (tx) => {
          const { stream, mode } = await this.#deps.broadcast.viewOf(tx, row.performer_id);
          await this.#add(tx, row, mode === 'private' ? stream : null);
        });
      }
    }
  }

  /** Stops counting; what was counted since the last capture is not charged. */
  stop(): Promise<void> {
    return this.#meters.stop();
  }

  /** Resolves when no work on shows is left. */
  settled(): Promise<void> {
    return this.#meters.settled();
  }

  /** Takes up an accepted show, in the unit of work that accepted it. */
  accepted(tx: Tx, row: PrivateRow): Promise<Run> {
    return this.#add(tx, row, null);
  }

  /** Moves the video to both people, then notifies them. From standby this happens once the camera runs. */
  begin(run: Run): Promise<void> {
    return this.#meters.inTurn(run, () => this.#move(run));
  }

  /** Drops a show whose unit of work was rolled back. */
  forget(run: Run): void {
    this.#meters.drop(run);
  }

  /** Somebody's show by its meter, with the watched video from its current row; null for none. */
  viewFor(operatorId: number, row: PrivateRow, personId: number): RunningPrivateView | null {
    const run = this.#meters.get(operatorId, row.id);
    if (!run) return null;
    const side = personId === run.row.viewer_id ? 'viewer' : 'performer';
    return {
      username: run.viewerName, broadcaster: run.performerName, phase: run.row.phase,
      exclusive: run.row.exclusive, recording: run.row.recording, recording_state: recordingState(row),
      cost_per_minute: run.row.price,
      requested_at: run.row.requested_at.toISOString(),
      limit: side === 'viewer' ? run.row.limit_tokens : null, is_paused: run.isPaused,
      watch_together: watchView(row, this.#deps.data.clock.now()),
      ...statsOf(run.meter, run.spending.spendable, side),
    };
  }

  /** Bits a second of a performer's video now; null while nothing is measured. */
  async bitsOf(tx: Tx, performerId: number): Promise<number | null> {
    const { stream } = await this.#deps.broadcast.viewOf(tx, performerId);
    return stream === null ? null : this.#deps.broadcast.bitsOf(stream);
  }

  /** The other person in the show of `personId`; null when that person is not in it. */
  otherOf(operatorId: number, performerId: number, personId: number): number | null {
    const run = this.#runOf(operatorId, performerId);
    if (run?.row.viewer_id === personId) return performerId;
    return run && performerId === personId ? run.row.viewer_id : null;
  }

  /** Ends the show of a row. Returns its receipt, or null if it was already over. */
  end(operatorId: number, row: Pick<PrivateRow, 'id'>, event: ShowEvent): Promise<ReceiptView | null> {
    const run = this.#meters.get(operatorId, row.id);
    return run ? this.#meters.inTurn(run, () => this.#end(run, event)) : Promise.resolve(null);
  }

  /** Delivers a deadline to a show that is starting. */
  due(operatorId: number, row: Pick<PrivateRow, 'id'>): Promise<ReceiptView | null> {
    const run = this.#meters.get(operatorId, row.id);
    return this.end(operatorId, row, { kind: 'deadline', hasPicture: (run?.silentPublisher ?? 3) < 3 });
  }

  subscriptions(): Subscription[] {
    return [
      subscribe(broadcastStarted, 'shows.broadcastStarted')(async ({ operatorId, payload }) => {
        const run = this.#runOf(operatorId, payload.performerId);
        if (run && run.stream === null) await this.begin(run);
      }),
      // A viewer who joins the fan club during a show gets a share of later charges back.
      subscribe(duesPaid, 'shows.duesPaid')(async ({ operatorId, payload }) => {
        const run = this.#runOf(operatorId, payload.performerId);
        if (run?.row.viewer_id === payload.memberId) run.refundPercent = DISCOUNT_PERCENT[payload.level];
      }),
      subscribe(broadcastEnded, 'shows.broadcastEnded')(async ({ operatorId, payload: { performerId } }) => {
        const run = this.#runOf(operatorId, performerId);
        // A performer who was in standby had no broadcast to end.
        if (run && run.stream !== null) {
          await this.end(operatorId, run.row, { kind: 'over', reason: 'unpublish' });
        }
      }),
    ];
  }

  #runOf(operatorId: number, performerId: number): Run | undefined {
    return this.#meters.find(operatorId, ({ performer_id: id }) => id === performerId);
  }

  async #add(tx: Tx, row: PrivateRow, stream: string | null): Promise<Run> {
    const nameOf = await namesOf(this.#deps.accounts, tx, [row.viewer_id, row.performer_id]);
    return this.#meters.add(tx, {
      row, meter: meterOf(row), stream, readerId: row.viewer_id, viewerName: nameOf(row.viewer_id),
      performerName: nameOf(row.performer_id), upfrontTokens: row.started_at === null ? row.pre_tip : 0,
      free: { publisher: row.free_performer, reader: row.free_viewer },
      refundHundredths: row.refund_hundredths,
    });
  }

  async #tick(run: Run, seen: Seen): Promise<void> {
    if (run.row.phase === 'starting' && !seen.isSent) return;
    if (seen.isSent) {
      if (!(await this.#count(run))) {
        await this.#end(run, { kind: 'over' });
        return;
      }
    } else {
      const away = this.#meters.idle(run, seen);
      if (away !== null) {
        await this.#end(run, { kind: 'over', reason: away === 'publisher' ? 'unpublish' : 'user_left' });
        return;
      }
    }
    await this.#meters.readWhenLow(run);
    // The tick is sent first, so that with many shows it is not as late as the captures.
    this.#sendTick(run);
    await this.#meters.pass(run);
  }

  async #count(run: Run): Promise<boolean> {
    if (run.row.phase === 'starting') await this.#picture(run);
    return this.#meters.count(run);
  }

  /** Handles the first second: the show runs, and the tip before it is paid. */
  async #picture(run: Run): Promise<void> {
    run.row = await this.#deps.data.tx({ operatorId: run.operatorId }, async (tx) => {
      const change = changeBy(run.row, { kind: 'picture' }, tx.now);
      if (!change) throw new Error(`show ${run.row.id} cannot begin`);
      await tx.unschedule(PRIVATE_DEADLINE, String(run.row.id));
      return changePrivate(tx, run.row.id, {
        ...change, capture_number: await this.#meters.takeUpfront(tx, run, 'private_pre_tip'),
      });
    });
    run.upfrontTokens = 0;
    this.#listeners.runs(run);
  }

  async #move(run: Run): Promise<void> {
    const { broadcast, data } = this.#deps;
    const scope = { operatorId: run.operatorId };
    if (!this.#meters.has(run)) return;
    const moved = await broadcast.move(scope, run.row.performer_id, 'private');
    this.#meters.streams(run, moved?.stream ?? null);
    await broadcast.review(scope, run.row.performer_id);
    await data.tx(scope, (tx) => this.#sendStarted(tx, run));
    await this.#listeners.began(run).catch(this.#deps.onError);
  }

  async #sendStarted(tx: Tx, run: Run): Promise<void> {
    const spying = await spyOfferOf(this.#deps, tx, run.row.performer_id);
    const preview = spying.isEnabled && !run.row.exclusive ? SPY_PREVIEW_SECONDS : 0;
    await this.#sendBoth(tx, run, privateStarted, (side) => startedView(run, side, preview));
  }

  async #end(run: Run, event: ShowEvent): Promise<ReceiptView | null> {
    const { data, broadcast, rooms, onError } = this.#deps;
    const scope = { operatorId: run.operatorId };
    await this.#meters.settle(run).catch(onError);
    const close = () => data.tx(scope, async (tx) => {
      const stored = await findPrivate(tx, run.row.id);
      const change = stored && changeBy(stored, event, tx.now);
      return change?.end_reason ? this.#close(tx, run, change, change.end_reason) : null;
    });
    const over = await close().catch((error: unknown) => {
      // What was counted since the last capture is not charged, and the show ends nevertheless.
      onError(error);
      run.meter = meterOf(run.row);
      run.refundHundredths = run.row.refund_hundredths;
      return close();
    });
    if (!over) return null;
    this.#meters.drop(run);
    try {
      const { mode, stream } = await data.tx(scope, (tx) => broadcast.viewOf(tx, run.row.performer_id));
      if (mode !== 'public' && stream !== null) await broadcast.move(scope, run.row.performer_id, 'public');
      // If the performer is gone or in standby, no video moves; both still need the room's state.
      else await data.tx(scope, (tx) => rooms.sendState(tx, run.row.performer_id));
      await broadcast.review(scope, run.row.performer_id);
    } catch (error) {
      // The show is over and only the performer sees the stream: the next broadcast is public again.
      onError(error);
    }
    await this.#listeners.over(run).catch(onError);
    return over;
  }

  /** Captures what is due, gives the rest back, and notifies both people. */
  async #close(tx: Tx, run: Run, change: PrivateChange, reason: EndReason): Promise<ReceiptView> {
    const { rooms, accounts } = this.#deps;
    const { viewer_id: viewer, performer_id: performer } = run.row;
    const counts = await this.#meters.close(tx, run);
    const row = await changePrivate(tx, run.row.id, {
      ...change, ...counts, ...freeOf(run.free), ...NOTHING_WATCHED,
      refund_hundredths: run.refundHundredths, ended_at: tx.now,
    });
    await tx.unschedule(PRIVATE_DEADLINE, String(row.id));
    await scheduleRecording(tx, row);
    await rooms.releaseActivity(tx, performer, 'private');
    if (row.started_at === null && !isByOneOfThem(reason)) {
      const person = await accounts.findById(tx, viewer);
      await tx.send(topicPersonChannel(roomTopic(performer), viewer), privateFailed, {
        errorType: 'private_no_picture',
        error: person && this.#deps.text(localeOf(person), 'shows:noPicture'),
      });
    }
    await this.#sendBoth(tx, run, privateEnded, () =>
      ({ fanclub_refund: refundOf(row.refund_hundredths), reason_ended: reason }));
    // Spies on the show may read nothing from now on either.
    const spies = (await findReadingSpies(tx, row.id)).map(({ personId }) => personId);
    await rooms.sendShowChat(tx, performer, [performer, viewer, ...spies]);
    const nameOf = (id: number): string => (id === viewer ? run.viewerName : run.performerName);
    return receiptView(row, nameOf, viewer);
  }

  async #sendBoth<E extends AnyEvent>(
    tx: Tx, { row }: Run, event: E, payload: (side: 'viewer' | 'performer') => PayloadOf<E>,
  ): Promise<void> {
    const topic = roomTopic(row.performer_id);
    await tx.send(topicPersonChannel(topic, row.viewer_id), event, payload('viewer'));
    await tx.send(topicPersonChannel(topic, row.performer_id), event, payload('performer'));
  }

  #sendTick(run: Run): void {
    const { row: { performer_id: performer, viewer_id: viewer }, operatorId } = run;
    for (const [personId, side] of [[viewer, 'viewer'], [performer, 'performer']] as const) {
      const payload: PayloadOf<typeof privateTick> = {
        username: run.viewerName, broadcaster: run.performerName, is_paused: run.isPaused,
        cost_per_minute: run.row.price, avail: side === 'viewer' ? run.spending.avail : null,
        ...statsOf(run.meter, run.spending.spendable, side),
      };
      const channel = topicPersonChannel(roomTopic(performer), personId);
      this.#deps.bus.publish({ operatorId, channel, name: privateTick.name, payload });
    }
  }
}

const freeOf = ({ publisher, reader }: Run['free']): PrivateChange =>
  ({ free_performer: publisher, free_viewer: reader });

/** Somebody's show that is starting or running, if it is with this performer. */
export async function showWith(tx: Tx, performerId: number, personId: number): Promise<PrivateRow | null> {
  const row = await findRunning(tx, 'performer_id', performerId);
  return row && (row.viewer_id === personId || performerId === personId) ? row : null;
}
