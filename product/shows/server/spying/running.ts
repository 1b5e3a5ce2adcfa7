import { subscribe, type Subscription } from '#platform/contract/bind.ts';
import { topicPersonChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { duesPaid } from '#product/fanclubs/contract.ts';
import { spiesFree } from '#product/fanclubs/rules/benefits.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import {
  spyAudience, spyEnded, spyStarted, spyTick, type RunningSpyView, type SpyReceiptView,
} from '../../contract/spying.ts';
import { costOf, secondsLeft, toCapture } from '../../rules/meter.ts';
import { endsSpying, type SpyEndReason, type SpyFunds } from '../../rules/spying.ts';
import { findRunning } from '../../store/privates.ts';
import {
  changeSpy, countSpies, findAllSpies, findSpy, type SpyChange, type SpyRow,
} from '../../store/spies.ts';
import { sendWhoReads } from '../chats.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import type { Metered, Seen } from '../metering/metered.ts';
import { Metering } from '../metering/metering.ts';
import type { OperationNames } from '../metering/payments.ts';
import type { ModeOf } from '../modes.ts';
import { namesOf } from '../private/views.ts';
import { spyOfferOf, tipDue } from './offer.ts';

/** Names of spying's operations in the ledger. The performer does not learn who spies. */
const SPY_OPERATIONS: OperationNames = {
  scope: 'shows.spy', hold: 'spy_hold', charge: 'spy_show', released: 'spy_released', hidesPayer: true,
  isPartOfPrivate: true,
};

/** A fan club member spies for free this long before the membership is checked again. */
const FREE_SECONDS = 60;
/**
 * After this many ticks without a sent second, a spy can no longer read the show's chat: one second in every
 * thirty must not be enough to read all of it.
 */
const SILENT_TICKS_READING = 3;

/** A spying viewer, in the process that carries media. */
export type Spy = Metered<SpyRow>;

/** A spy has the mode `spy` while the show runs and is not exclusive. */
export const spyMode: ModeOf = async (tx, personId, performerId) => {
  const spy = await findSpy(tx, personId);
  if (spy?.performer_id !== performerId) return null;
  const show = await findRunning(tx, 'performer_id', performerId);
  return show?.id === spy.private_id && !show.exclusive ? 'spy' : null;
};

const isPreviewing = ({ preview, previewed }: SpyRow): boolean => previewed < preview;
const freeOf = ({ publisher, reader }: Spy['free']): SpyChange =>
  ({ free_performer: publisher, free_viewer: reader });

/** A receipt; only its viewer sees the viewer's name. */
export function spyReceipt(row: SpyRow, nameOf: (id: number) => string, readerId: number): SpyReceiptView {
  const { ended_at: endedAt, end_reason: reason, paid_at: paidAt } = row;
  if (endedAt === null || reason === null) throw new Error(`spying ${row.id} has no end and no receipt`);
  return {
    id: row.id, username: readerId === row.viewer_id ? nameOf(row.viewer_id) : null,
    broadcaster: nameOf(row.performer_id), private_id: row.private_id, cost_per_minute: row.price,
    seconds: row.seconds, preview_seconds: row.previewed,
    free_seconds: { performer: row.free_performer, viewer: row.free_viewer }, tokens: row.captured,
    startup_tip: paidAt === null ? 0 : row.startup_tip, released: row.released, reason_ended: reason,
    started_at: row.started_at.toISOString(), ended_at: endedAt.toISOString(),
  };
}

/** Viewers who spy on the private shows of this process: what it costs them, and how it ends. */
export class RunningSpies {
  readonly #deps: ShowsDependencies;
  readonly #meters: Metering<SpyRow>;
  /** Free seconds of fan club members who spy. */
  readonly #free = new WeakMap<Spy, number>();

  constructor(deps: ShowsDependencies) {
    this.#deps = deps;
    this.#meters = new Metering<SpyRow>(deps, {
      timer: 'shows.spyTick', operations: SPY_OPERATIONS,
      store: async (tx, { row, free }, change) => {
        const stored = await changeSpy(tx, row.id, { ...change, previewed: row.previewed, ...freeOf(free) });
        await this.#sendAudience(tx, stored);
        return stored;
      },
      count: (spy) => this.#count(spy),
      tick: (spy, seen) => this.#tick(spy, seen),
      failed: (spy) => this.end(spy.operatorId, spy.row, 'out_of_tokens'),
    });
  }

  /** Takes up spies after a restart: a spy who is not back in 30 s has left. */
  async start(): Promise<void> {
    this.#meters.start();
    for (const operatorId of await this.#deps.site.operators()) {
      const rows = await this.#deps.data.tx({ operatorId }, findAllSpies);
      for (const row of rows) {
        const spy = await this.#deps.data.tx({ operatorId }, (tx) => this.#add(tx, row));
        const show = await this.#deps.data.tx({ operatorId }, (tx) =>
          findRunning(tx, 'performer_id', row.performer_id));
        if (show?.id !== row.private_id) await this.#inTurn(spy, 'show_ended');
      }
    }
  }

  stop(): Promise<void> {
    return this.#meters.stop();
  }

  /** Resolves when no work on spying is left. */
  settled(): Promise<void> {
    return this.#meters.settled();
  }

  /** Takes up a new spy, in the unit of work that stored the row. */
  async started(tx: Tx, row: SpyRow): Promise<Spy> {
    const spy = await this.#add(tx, row);
    await tx.send(topicPersonChannel(roomTopic(row.performer_id), row.viewer_id), spyStarted, {
      broadcaster: spy.performerName, cost_per_minute: row.price, preview_seconds: row.preview,
      stream: spy.stream,
    });
    await this.#sendAudience(tx, row);
    return spy;
  }

  /** Drops a spy whose unit of work was rolled back. */
  forget(spy: Spy): void {
    this.#meters.drop(spy);
  }

  /** Totals of somebody's spying; null for viewers who do not spy in this process. */
  viewOf(operatorId: number, { id }: Pick<SpyRow, 'id'>): RunningSpyView | null {
    const spy = this.#meters.get(operatorId, id);
    return spy ? this.#view(spy) : null;
  }

  /** Ends the spying of a row. Returns its receipt, or null if it was already over. */
  end(
    operatorId: number, { id }: Pick<SpyRow, 'id'>, reason: SpyEndReason,
  ): Promise<SpyReceiptView | null> {
    const spy = this.#meters.get(operatorId, id);
    return spy ? this.#inTurn(spy, reason) : Promise.resolve(null);
  }

  /** Ends the spying of everybody on a private show that is over. */
  async showEnded(operatorId: number, privateId: number): Promise<void> {
    const spies = this.#meters.filter(operatorId, ({ private_id: id }) => id === privateId);
    await Promise.all(spies.map((spy) => this.#inTurn(spy, 'show_ended')));
  }

  /** Ends a person's spying anywhere, for example because they enter a show of their own. */
  async leaves(operatorId: number, viewerId: number, reason: SpyEndReason): Promise<void> {
    const spies = this.#meters.filter(operatorId, ({ viewer_id: id }) => id === viewerId);
    await Promise.all(spies.map((spy) => this.#inTurn(spy, reason)));
  }

  /** A viewer who joins the fan club while spying pays for no later second. */
  subscriptions(): Subscription[] {
    return [subscribe(duesPaid, 'shows.spies.duesPaid')(async ({ operatorId, payload }) => {
      if (!spiesFree(payload.level)) return;
      for (const spy of this.#meters.filter(operatorId, ({ viewer_id: viewer, performer_id: performer }) =>
        viewer === payload.memberId && performer === payload.performerId)) this.#free.set(spy, 0);
    })];
  }

  /** Tokens that would be given back if the spying of a row ended now. */
  heldBy(operatorId: number, { id }: Pick<SpyRow, 'id'>): number {
    const spy = this.#meters.get(operatorId, id);
    return spy ? spy.meter.held - toCapture(spy.meter) : 0;
  }

  /**
   * Starts spying elsewhere. `leave` ends the old spying in the unit of work that starts the new one, so that
   * a refused start ends nothing.
   */
  async insteadOf<T>(
    operatorId: number, row: Pick<SpyRow, 'id'> | null,
    begin: (leave: (tx: Tx) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const spy = row && this.#meters.get(operatorId, row.id);
    if (!spy) return begin(async () => undefined);
    return this.#meters.inTurn(spy, async () => {
      await this.#meters.settle(spy).catch(this.#deps.onError);
      let isLeft = false;
      const begun = await begin(async (tx) => {
        if (!this.#meters.has(spy)) return;
        await this.#close(tx, spy, 'user_ended');
        isLeft = true;
      });
      if (isLeft) await this.#closed(spy, 'user_ended');
      return begun;
    });
  }

  #inTurn(spy: Spy, reason: SpyEndReason): Promise<SpyReceiptView | null> {
    return this.#meters.inTurn(spy, () => this.#end(spy, reason));
  }

  async #add(tx: Tx, row: SpyRow): Promise<Spy> {
    const { accounts, broadcast, fanclubs } = this.#deps;
    const { viewer_id: viewer, performer_id: performer } = row;
    const nameOf = await namesOf(accounts, tx, [viewer, performer]);
    const { mode, stream } = await broadcast.viewOf(tx, performer);
    const spy = await this.#meters.add(tx, {
      row, stream: mode === 'private' ? stream : null, readerId: viewer, viewerName: nameOf(viewer),
      performerName: nameOf(performer), upfrontTokens: 0,
      meter: {
        price: row.price, limit: null, seconds: row.seconds, carried: row.carried, captured: row.captured,
        held: row.held,
      },
      free: { publisher: row.free_performer, reader: row.free_viewer },
    });
    if (row.price === 0 || spiesFree(await fanclubs.levelOf(tx, viewer, performer))) this.#free.set(spy, 0);
    return spy;
  }

  async #tick(spy: Spy, seen: Seen): Promise<void> {
    const isInPreview = isPreviewing(spy.row);
    if (!seen.isSent) {
      if (this.#meters.idle(spy, seen) !== null) return void await this.#end(spy, 'user_left');
    } else if (!(await this.#count(spy))) return void await this.#end(spy, 'out_of_tokens');
    if (await this.#isShort(spy)) return void await this.#end(spy, 'out_of_tokens');
    const reads = spy.row.reads_since !== null;
    if (seen.isSent && !isInPreview && !reads) await this.#readsAlong(spy, true);
    else if (reads && spy.silentReader >= SILENT_TICKS_READING) await this.#readsAlong(spy, false);
    this.#sendTick(spy);
    await this.#meters.pass(spy);
  }

  /** Counts a second: one of the preview, a free one, or a paid one. */
  async #count(spy: Spy): Promise<boolean> {
    if (isPreviewing(spy.row)) spy.row = { ...spy.row, previewed: spy.row.previewed + 1 };
    else if (!this.#free.has(spy) && spy.row.price > 0) return this.#pay(spy);
    else await this.#passFree(spy);
    return true;
  }

  /** Counts a free second. The membership may have ended, so each minute is checked. */
  async #passFree(spy: Spy): Promise<void> {
    const { row: { id, price, viewer_id: viewer, performer_id: performer }, operatorId } = spy;
    if (price === 0) spy.meter = { ...spy.meter, seconds: spy.meter.seconds + 1 };
    const seconds = (this.#free.get(spy) ?? 0) + 1;
    this.#free.set(spy, seconds);
    if (seconds % FREE_SECONDS !== 0) return;
    await this.#deps.data.tx({ operatorId }, async (tx) => {
      if (spiesFree(await this.#deps.fanclubs.levelOf(tx, viewer, performer))) return;
      if (price === 0) {
        const { pricePerMinuteInToken: now } = await spyOfferOf(this.#deps, tx, performer);
        // Seconds that were free are not charged at the price that applies from here on.
        spy.row = await changeSpy(tx, id, { price: now, seconds: 0, previewed: spy.row.previewed });
        spy.meter = { ...spy.meter, price: now, seconds: 0 };
      }
      this.#free.delete(spy);
    });
  }

  /** Counts a second, and the tip to start with the first; false when the tokens are used up. */
  async #pay(spy: Spy): Promise<boolean> {
    const isFirst = spy.row.paid_at === null;
    const scope = { operatorId: spy.operatorId };
    if (isFirst) {
      const { viewer_id: viewer, performer_id: performer } = spy.row;
      // A tip during the preview replaces the tip to start.
      const due = await this.#deps.data.tx(scope, async (tx) =>
        tipDue(this.#deps, tx, await spyOfferOf(this.#deps, tx, performer), viewer, performer));
      spy.upfrontTokens = Math.min(spy.row.startup_tip, due);
    }
    if (!(await this.#meters.count(spy))) return false;
    if (!isFirst) return true;
    spy.row = await this.#deps.data.tx(scope, async (tx) => changeSpy(tx, spy.row.id, {
      capture_number: await this.#meters.takeUpfront(tx, spy, 'spy_startup_tip'), paid_at: tx.now,
      startup_tip: spy.upfrontTokens, previewed: spy.row.previewed,
    }));
    spy.upfrontTokens = 0;
    return true;
  }

  /**
   * Lets the spy read the show's chat from now on (after the preview, and when their video returns), or no
   * longer. Messages sent in between are never readable for them.
   */
  async #readsAlong(spy: Spy, reads: boolean): Promise<void> {
    const { row: { id, viewer_id: viewer, performer_id: performer, previewed }, operatorId } = spy;
    await this.#deps.data.tx({ operatorId }, async (tx) => {
      spy.row = await changeSpy(tx, id, { reads_since: reads ? tx.now : null, previewed });
      await sendWhoReads(this.#deps, tx, performer, viewer);
    });
  }

  /** Whether too few tokens are left now, for viewers whose spying may be cut short (spec 2 §4.8). */
  async #isShort(spy: Spy): Promise<boolean> {
    const { row, meter, operatorId } = spy;
    if (this.#free.has(spy) || row.price === 0) return false;
    const isShort = (who: Pick<SpyFunds, 'isStreamer' | 'isPostPay'>): boolean => endsSpying({
      ...who, isPreviewRunning: isPreviewing(row), price: row.price,
      tokens: spy.spending.tokens + meter.held - toCapture(meter),
    });
    await this.#meters.readWhenLow(spy);
    if (!isShort({ isStreamer: false, isPostPay: false })) return false;
    return this.#deps.data.tx({ operatorId }, async (tx) => {
      await this.#meters.readSpending(tx, spy);
      const person = await this.#deps.accounts.findById(tx, row.viewer_id);
      return isShort({ isStreamer: person?.type === 'model', isPostPay: spy.spending.avail !== null });
    });
  }

  #view(spy: Spy): RunningSpyView {
    const { row, meter, spending, performerName, isPaused } = spy;
    const price = this.#free.has(spy) ? 0 : row.price;
    return {
      broadcaster: performerName, cost_per_minute: price, seconds: meter.seconds,
      tokens: costOf(meter),
      startup_tip: row.paid_at === null ? 0 : row.startup_tip,
      preview_seconds: row.preview - row.previewed,
      seconds_left: price === 0 ? null : secondsLeft(meter, spending.spendable), is_paused: isPaused,
    };
  }

  #sendTick(spy: Spy): void {
    const { operatorId, row: { performer_id: performer, viewer_id: viewer } } = spy;
    this.#deps.bus.publish({
      operatorId, channel: topicPersonChannel(roomTopic(performer), viewer), name: spyTick.name,
      payload: this.#view(spy),
    });
  }

  async #sendAudience(
    tx: Tx, { performer_id: performer, private_id: show }: Pick<SpyRow, 'performer_id' | 'private_id'>,
  ): Promise<void> {
    await tx.send(
      topicPersonChannel(roomTopic(performer), performer), spyAudience, await countSpies(tx, show),
    );
  }

  async #end(spy: Spy, reason: SpyEndReason): Promise<SpyReceiptView | null> {
    if (!this.#meters.has(spy)) return null;
    const { data, onError } = this.#deps;
    await this.#meters.settle(spy).catch(onError);
    const close = () => data.tx({ operatorId: spy.operatorId }, (tx) => this.#close(tx, spy, reason));
    const receipt = await close().catch((error: unknown) => {
      // What was counted since the last capture is not charged, and spying ends nevertheless.
      onError(error);
      const { seconds, captured, held } = spy.row;
      spy.meter = { ...spy.meter, seconds, captured, held };
      return close();
    });
    await this.#closed(spy, reason);
    return receipt;
  }

  /** What follows once the end of spying is committed. */
  async #closed(spy: Spy, reason: SpyEndReason): Promise<void> {
    const { broadcast, onError } = this.#deps;
    this.#meters.drop(spy);
    // After a show there is nobody left to review: moving the video has cut everybody off its stream.
    if (reason === 'show_ended') return;
    await broadcast.review({ operatorId: spy.operatorId }, spy.row.performer_id).catch(onError);
  }

  async #close(tx: Tx, spy: Spy, reason: SpyEndReason): Promise<SpyReceiptView> {
    const { viewer_id: viewer, performer_id: performer, previewed } = spy.row;
    const row = await changeSpy(tx, spy.row.id, {
      ...await this.#meters.close(tx, spy), ...freeOf(spy.free), previewed, ended_at: tx.now,
      end_reason: reason,
    });
    const receipt = spyReceipt(row, (id) => (id === viewer ? spy.viewerName : spy.performerName), viewer);
    await tx.send(topicPersonChannel(roomTopic(performer), viewer), spyEnded, {
      reason_ended: reason, receipt,
    });
    await sendWhoReads(this.#deps, tx, performer, viewer);
    await this.#sendAudience(tx, row);
    return receipt;
  }
}
