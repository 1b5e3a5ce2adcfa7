import { subscribe, type Subscription } from '../../../../platform/contract/bind.ts';
import { topicPersonChannel, type AnyEvent, type PayloadOf } from '../../../../platform/contract/event.ts';
import type { Tx } from '../../../../platform/data/data.ts';
import { SECOND_MS } from '../../../../platform/time/units.ts';
import { broadcastEnded, broadcastStarted } from '../../../broadcast/contract.ts';
import { roomTopic } from '../../../rooms/rules.ts';
import { localeOf } from '../../../tips/server.ts';
import { privateEnded, privateFailed, privateStarted } from '../../contract.ts';
import { privateTick, type ReceiptView, type RunningPrivateView } from '../../contract/private-show.ts';
import {
  CAPTURE_EVERY_MS, capturedDue, counted, isWorthHolding, nextStep, prepaidSeconds, renewed, toCapture,
  type Meter,
} from '../../rules/meter.ts';
import { AWAY_MS, nextShow, type EndReason, type ShowEvent } from '../../rules/private.ts';
import {
  changePrivate, findAllRunning, findPrivate, findRunning, type PrivateChange, type PrivateRow,
} from '../../store/privates.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { affordable, holdOperation, isPosted, takeOperation, type Parties } from './payments.ts';
import { meterOf, namesOf, receiptView, statsOf } from './views.ts';

/** Deadlines of requests and of shows that start. */
export const PRIVATE_DEADLINE = 'shows.privateDeadline';
/** Media comes in segments over HLS, and early or late over WHEP: seconds that no tick has counted yet. */
const MAX_WAITING_SECONDS = 8;
/** Ticks without media before they are free: one may only be a report that comes late. */
const SILENT_TICKS = 2;

/** A show that starts or runs, in the process that carries media. */
interface Run extends Parties {
  readonly operatorId: number;
  row: PrivateRow;
  meter: Meter;
  /** Of the viewer, as far as is known: for the time left. */
  balance: number;
  stream: string | null;
  /** Seconds of media that the viewer was sent and no tick has counted yet. */
  waiting: number;
  /** What broadcast had counted of the stream at the last tick. */
  measured: { received: number; sent: number };
  /** Ticks since each side's media. */
  silentPerformer: number;
  silentViewer: number;
  sinceCapture: number;
  free: { performer: number; viewer: number };
  isPaused: boolean;
  /** What is done with the show, one after the other. */
  turn: Promise<unknown>;
}

const keyOf = (operatorId: number, { id }: Pick<PrivateRow, 'id'>): string => `${operatorId} ${id}`;

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
  };
}

/** Shows that start and run: their picture, their meter, and their end. */
export class RunningShows {
  readonly #deps: ShowsDependencies;
  /** By operator and id. */
  readonly #runs = new Map<string, Run>();
  readonly #pending = new Set<Promise<unknown>>();
  /** Stops the ticks; null while no show needs them. */
  #stopTicks: (() => void) | null = null;
  #isOn = false;

  constructor(deps: ShowsDependencies) {
    this.#deps = deps;
  }

  /** Takes up the shows of before a restart: whoever is not back in 30 s has their show ended. */
  async start(): Promise<void> {
    this.#isOn = true;
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

  /** Stops counting; what was counted since the last capture is nobody's. */
  async stop(): Promise<void> {
    this.#isOn = false;
    this.#stopTicks?.();
    await this.settled();
  }

  /** Resolves when nothing is done with any show. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  /** Takes up a show that was accepted, in the unit of work that accepted it. */
  accepted(tx: Tx, row: PrivateRow): Promise<Run> {
    return this.#add(tx, row, null);
  }

  /** Moves the picture to the two, and then lets them know; from standby once the camera runs. */
  begin(run: Run): Promise<void> {
    return this.#inTurn(run, () => this.#move(run));
  }

  /** Drops a show whose unit of work was rolled back. */
  forget({ operatorId, row }: Run): void {
    this.#runs.delete(keyOf(operatorId, row));
  }

  /** The show of somebody as the meter has it; null for none. */
  viewFor(operatorId: number, row: PrivateRow, personId: number): RunningPrivateView | null {
    const run = this.#runs.get(keyOf(operatorId, row));
    if (!run) return null;
    const side = personId === run.row.viewer_id ? 'viewer' : 'performer';
    return {
      username: run.viewerName, broadcaster: run.performerName, phase: run.row.phase,
      exclusive: run.row.exclusive, recording: run.row.recording, cost_per_minute: run.row.price,
      limit: side === 'viewer' ? run.row.limit_tokens : null, is_paused: run.isPaused,
      ...statsOf(run.meter, run.balance, side),
    };
  }

  /** Bits a second of a performer's picture now; null while nothing is measured. */
  async bitsOf(tx: Tx, performerId: number): Promise<number | null> {
    const { stream } = await this.#deps.broadcast.viewOf(tx, performerId);
    return stream === null ? null : this.#deps.broadcast.bitsOf(stream);
  }

  /** Whoever of the two is not the other; null when nobody of a show asks. */
  otherOf(operatorId: number, performerId: number, personId: number): number | null {
    const run = this.#runOf(operatorId, performerId);
    if (run?.row.viewer_id === personId) return performerId;
    return run && performerId === personId ? run.row.viewer_id : null;
  }

  /** Ends the show of a row; its receipt, or null when it was over. */
  end(operatorId: number, row: Pick<PrivateRow, 'id'>, event: ShowEvent): Promise<ReceiptView | null> {
    const run = this.#runs.get(keyOf(operatorId, row));
    return run ? this.#inTurn(run, () => this.#end(run, event)) : Promise.resolve(null);
  }

  /** Brings a deadline to a show that starts. */
  due(operatorId: number, row: Pick<PrivateRow, 'id'>): Promise<ReceiptView | null> {
    const run = this.#runs.get(keyOf(operatorId, row));
    return this.end(operatorId, row, { kind: 'deadline', hasPicture: (run?.silentPerformer ?? 3) < 3 });
  }

  subscriptions(): Subscription[] {
    return [
      subscribe(broadcastStarted, 'shows.broadcastStarted')(async ({ operatorId, payload }) => {
        const run = this.#runOf(operatorId, payload.performerId);
        if (run && run.stream === null) await this.begin(run);
      }),
      subscribe(broadcastEnded, 'shows.broadcastEnded')(async ({ operatorId, payload: { performerId } }) => {
        const run = this.#runOf(operatorId, performerId);
        // A performer who was in standby has nothing that could end.
        if (run && run.stream !== null) {
          await this.end(operatorId, run.row, { kind: 'over', reason: 'unpublish' });
        }
      }),
    ];
  }

  #runOf(operatorId: number, performerId: number): Run | undefined {
    return [...this.#runs.values()].find((one) =>
      one.operatorId === operatorId && one.row.performer_id === performerId);
  }

  async #add(tx: Tx, row: PrivateRow, stream: string | null): Promise<Run> {
    const nameOf = await namesOf(this.#deps.accounts, tx, [row.viewer_id, row.performer_id]);
    const run: Run = {
      operatorId: tx.operatorId, row, meter: meterOf(row), stream, waiting: 0,
      measured: { received: 0, sent: 0 },
      viewerName: nameOf(row.viewer_id), performerName: nameOf(row.performer_id),
      balance: await this.#deps.ledger.balance(tx, row.viewer_id), silentPerformer: 0, silentViewer: 0,
      sinceCapture: 0, free: { performer: row.free_performer, viewer: row.free_viewer }, isPaused: true,
      turn: Promise.resolve(),
    };
    this.#runs.set(keyOf(tx.operatorId, row), run);
    this.#startTicks();
    return run;
  }

  /** Does something with a show after everything before it. */
  #inTurn<T>(run: Run, work: () => Promise<T>): Promise<T> {
    const done = run.turn.then(work);
    run.turn = done.catch(() => undefined);
    const pending = run.turn;
    this.#pending.add(pending);
    void pending.finally(() => this.#pending.delete(pending));
    return done;
  }

  /** Reads what the relay measured since the last tick: of whom media came, and whom it reached. */
  #look(run: Run): { readonly isPerformerSeen: boolean; readonly isViewerSeen: boolean } {
    const before = run.measured;
    run.measured = run.stream === null ? { received: 0, sent: 0 }
      : this.#deps.broadcast.mediaSeconds({ streamName: run.stream, personId: run.row.viewer_id });
    const sent = Math.max(0, run.measured.sent - before.sent);
    run.waiting = Math.min(MAX_WAITING_SECONDS, run.waiting + sent);
    const isViewerSeen = run.waiting > 0;
    const isPerformerSeen = isViewerSeen || run.measured.received > before.received;
    if (isViewerSeen) run.waiting -= 1;
    run.silentPerformer = isPerformerSeen ? 0 : run.silentPerformer + 1;
    run.silentViewer = isViewerSeen ? 0 : run.silentViewer + 1;
    run.isPaused = run.row.started_at === null ? !isViewerSeen : run.silentViewer >= SILENT_TICKS;
    return { isPerformerSeen, isViewerSeen };
  }

  #startTicks(): void {
    if (!this.#isOn) return;
    this.#stopTicks ??= this.#deps.data.clock.every('shows.tick', SECOND_MS, () => this.#tickAll());
  }

  #tickAll(): void {
    if (this.#runs.size === 0) {
      this.#stopTicks?.();
      this.#stopTicks = null;
    }
    for (const run of this.#runs.values()) {
      this.#inTurn(run, () => this.#tick(run)).catch(async (error: unknown) => {
        // Nobody goes on watching what cannot be paid.
        this.#deps.onError(error);
        await this.end(run.operatorId, run.row, { kind: 'over', reason: 'out_of_tokens' });
      }).catch(this.#deps.onError);
    }
  }

  async #tick(run: Run): Promise<void> {
    if (!this.#runs.has(keyOf(run.operatorId, run.row))) return;
    const { isPerformerSeen, isViewerSeen } = this.#look(run);
    if (run.row.phase === 'starting') {
      if (!isViewerSeen) return;
      await this.#picture(run);
    }
    if (isViewerSeen) {
      if (!(await this.#count(run))) return;
    } else {
      if (run.isPaused) {
        const free = run.silentViewer === SILENT_TICKS ? SILENT_TICKS : 1;
        run.free[isPerformerSeen ? 'viewer' : 'performer'] += free;
      }
      if (run.silentViewer * SECOND_MS >= AWAY_MS) {
        const reason = run.silentPerformer >= run.silentViewer ? 'unpublish' : 'user_left';
        await this.#end(run, { kind: 'over', reason });
        return;
      }
    }
    run.sinceCapture += 1;
    if (run.sinceCapture * SECOND_MS >= CAPTURE_EVERY_MS) await this.#capture(run);
    this.#sendTick(run);
  }

  /** Counts a second; false when the tokens were used up and the show is over. */
  async #count(run: Run): Promise<boolean> {
    if (nextStep(run.meter).kind !== 'count') await this.#renew(run);
    if (prepaidSeconds(run.meter) === 0) {
      await this.#end(run, { kind: 'over', reason: 'out_of_tokens' });
      return false;
    }
    run.meter = counted(run.meter);
    return true;
  }

  /** Captures everything due, and holds the next minute or what is left. */
  async #renew(run: Run): Promise<void> {
    const { ledger, data } = this.#deps;
    const step = nextStep(run.meter);
    await data.tx({ operatorId: run.operatorId }, async (tx) => {
      const most = step.kind === 'hold'
        ? await affordable(ledger, tx, run.row.viewer_id, step.tokens) : 0;
      const tokens = isWorthHolding(run.meter, most) ? most : 0;
      const number = run.row.hold_number + 1;
      const [taken, held] = await ledger.post(tx, [
        this.#taking(run, true),
        ...(tokens === 0 ? [] : [holdOperation(ledger, run.row, run, { number, tokens, now: tx.now })]),
      ]);
      if (!isPosted(taken)) throw new Error(`show ${run.row.id}: the ledger refused what is due`);
      const meter = renewed(run.meter, isPosted(held) ? tokens : 0);
      const row = await changePrivate(tx, run.row.id, {
        ...countsOf(run, meter), capture_number: run.row.capture_number + 1,
        hold_number: isPosted(held) ? number : run.row.hold_number,
      });
      return { meter, row, balance: await ledger.balance(tx, run.row.viewer_id) };
    }).then((after) => Object.assign(run, after, { sinceCapture: 0 }));
  }

  /** Captures what is due out of the hold, and stores what was counted. */
  async #capture(run: Run): Promise<void> {
    const { ledger, data } = this.#deps;
    await data.tx({ operatorId: run.operatorId }, async (tx) => {
      const due = toCapture(run.meter);
      if (due > 0 && !isPosted((await ledger.post(tx, [this.#taking(run, false)]))[0])) {
        throw new Error(`show ${run.row.id}: the ledger refused what is due`);
      }
      const meter = capturedDue(run.meter);
      const row = await changePrivate(tx, run.row.id, {
        ...countsOf(run, meter), capture_number: run.row.capture_number + (due > 0 ? 1 : 0),
      });
      return { meter, row, balance: await ledger.balance(tx, run.row.viewer_id) };
    }).then((after) => Object.assign(run, after, { sinceCapture: 0 }));
  }

  #taking(run: Run, closes: boolean) {
    const { ledger, performerSharePercent: sharePercent } = this.#deps;
    const { meter, row } = run;
    return takeOperation(ledger, row, run, {
      kind: 'private_show', hold: row.hold_number, number: row.capture_number + 1, tokens: toCapture(meter),
      before: meter.captured, closes, sharePercent,
    });
  }

  /** The first second: the show runs, and the tip before it is paid. */
  async #picture(run: Run): Promise<void> {
    const { data, ledger, performerSharePercent: sharePercent } = this.#deps;
    run.row = await data.tx({ operatorId: run.operatorId }, async (tx) => {
      const change = changeBy(run.row, { kind: 'picture' }, tx.now);
      if (!change) throw new Error(`show ${run.row.id} cannot begin`);
      await tx.unschedule(PRIVATE_DEADLINE, String(run.row.id));
      const { pre_tip: tokens, capture_number: before } = run.row;
      if (tokens > 0) {
        const [taken] = await ledger.post(tx, [takeOperation(ledger, run.row, run, {
          kind: 'private_pre_tip', hold: run.row.hold_number, number: before + 1, tokens, before: 0,
          closes: false, sharePercent,
        })]);
        if (!isPosted(taken)) throw new Error(`show ${run.row.id}: the ledger refused the tip before it`);
      }
      return changePrivate(tx, run.row.id, { ...change, capture_number: before + (tokens > 0 ? 1 : 0) });
    });
  }

  async #move(run: Run): Promise<void> {
    const { broadcast, data } = this.#deps;
    const scope = { operatorId: run.operatorId };
    if (!this.#runs.has(keyOf(run.operatorId, run.row))) return;
    const moved = await broadcast.move(scope, run.row.performer_id, 'private');
    run.stream = moved?.stream ?? null;
    run.measured = { received: 0, sent: 0 };
    run.silentPerformer = 0;
    await broadcast.review(scope, run.row.performer_id);
    await data.tx(scope, (tx) => this.#sendStarted(tx, run));
  }

  async #sendStarted(tx: Tx, run: Run): Promise<void> {
    await this.#sendBoth(tx, run, privateStarted, (side) => {
      const stats = statsOf(run.meter, run.balance, side);
      return {
        username: run.viewerName, broadcaster: run.performerName, cost_per_minute: run.row.price,
        prepaid_seconds: stats.privatePrepaidTimeLeftSeconds,
        remaining_seconds: stats.privateUserTimeLeftInSecond, duration: stats.privateStreamTimeInSecond,
        tokens_charged: stats.privateTokenCount, freeSpyPreviewDuration: 0,
        type: run.row.exclusive ? 'exclusive' : 'private', source: 'web', stream: run.stream,
      };
    });
  }

  async #end(run: Run, event: ShowEvent): Promise<ReceiptView | null> {
    const { data, broadcast, onError } = this.#deps;
    const scope = { operatorId: run.operatorId };
    const close = () => data.tx(scope, async (tx) => {
      const stored = await findPrivate(tx, run.row.id);
      const change = stored && changeBy(stored, event, tx.now);
      return change?.end_reason ? this.#close(tx, run, change, change.end_reason) : null;
    });
    const over = await close().catch((error: unknown) => {
      // Whatever was counted since the last capture is nobody's: the show ends nevertheless.
      onError(error);
      run.meter = meterOf(run.row);
      return close();
    });
    if (!over) return null;
    this.#runs.delete(keyOf(run.operatorId, run.row));
    try {
      const { mode, stream } = await data.tx(scope, (tx) => broadcast.viewOf(tx, run.row.performer_id));
      if (mode !== 'public' && stream !== null) await broadcast.move(scope, run.row.performer_id, 'public');
      await broadcast.review(scope, run.row.performer_id);
    } catch (error) {
      // The show is over and nobody but the performer sees the stream: the next broadcast is public again.
      onError(error);
    }
    return over;
  }

  /** Captures what is due, gives the rest back, and lets both know. */
  async #close(tx: Tx, run: Run, change: PrivateChange, reason: EndReason): Promise<ReceiptView> {
    const { ledger, rooms, accounts } = this.#deps;
    const { viewer_id: viewer, performer_id: performer } = run.row;
    const held = run.row.started_at === null ? run.meter.held + run.row.pre_tip : run.meter.held;
    const due = toCapture(run.meter);
    const [taken] = await ledger.post(tx, [this.#taking(run, true)]);
    const isTaken = isPosted(taken);
    if (!isTaken && due > 0) throw new Error(`show ${run.row.id}: the ledger refused what is due`);
    const row = await changePrivate(tx, run.row.id, {
      ...change, ...countsOf(run, renewed(run.meter, 0)), ended_at: tx.now,
      capture_number: run.row.capture_number + 1, released: isTaken ? held - due : 0,
    });
    await tx.unschedule(PRIVATE_DEADLINE, String(row.id));
    await rooms.releaseActivity(tx, performer, 'private');
    if (row.started_at === null) {
      const person = await accounts.findById(tx, viewer);
      await tx.send(topicPersonChannel(roomTopic(performer), viewer), privateFailed, {
        errorType: 'private_no_picture',
        error: person && this.#deps.text(localeOf(person), 'shows:noPicture'),
      });
    }
    await this.#sendBoth(tx, run, privateEnded, () => ({ fanclub_refund: 0, reason_ended: reason }));
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
        ...statsOf(run.meter, run.balance, side),
      };
      const channel = topicPersonChannel(roomTopic(performer), personId);
      this.#deps.bus.publish({ operatorId, channel, name: privateTick.name, payload });
    }
  }
}

/** What is stored of the meter. */
const countsOf = ({ free }: Run, { seconds, captured, held }: Meter): PrivateChange =>
  ({ seconds, captured, held, free_performer: free.performer, free_viewer: free.viewer });

/** The show of somebody that starts or runs, if it is with this performer. */
export async function showWith(tx: Tx, performerId: number, personId: number): Promise<PrivateRow | null> {
  const row = await findRunning(tx, 'performer_id', performerId);
  return row && (row.viewer_id === personId || performerId === personId) ? row : null;
}

export type { Run };
