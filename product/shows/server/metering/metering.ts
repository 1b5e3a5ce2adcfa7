import type { OperatorScope, Tx } from '#platform/data/data.ts';
import { Remembered } from '#platform/data/remembered.ts';
import { SECOND_MS } from '#platform/time/units.ts';
import { CAPTURE_EVERY_MS, counted, nextStep, prepaidSeconds, secondsLeft } from '../../rules/meter.ts';
import { isLow } from '../../rules/spending.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { Captures } from './captures.ts';
import { closeHold, renewHold, takeUpfront } from './holds.ts';
import type { Metered, MeteredProduct, MeteredRow, PassedSecond, Tracked } from './metered.ts';
import { awayOf, looked, NO_MEDIA, withFree, withWaiting } from './seconds.ts';
import { spendingOf } from './spending.ts';

/**
 * Media comes in segments over HLS, and early or late over WHEP: this many seconds may wait for later ticks.
 * Any beyond that are counted at once; none is dropped.
 */
const MAX_WAITING_SECONDS = 8;
/** People and streams whose last count is remembered; the oldest are dropped first. */
const MAX_SETTLED = 10_000;
/** A fan club member gets seconds for free this long before the membership is checked again. */
const CLUB_SECONDS = 60;

/** Takes up the meter of a row in the unit of work that stored it. */
export type TakeUp<Row extends MeteredRow> = (row: Row, stream: string | null) => Promise<Metered<Row>>;

/**
 * The meters of everybody who pays for one product, from the row that starts one to its receipt. A second
 * counts when media came in and the reader was sent some, as the relay measured it; the next minute is held
 * before its first second. What differs between products is in their descriptions (`MeteredProduct`).
 */
export class Metering<Row extends MeteredRow, End, Receipt> {
  readonly #deps: ShowsDependencies;
  readonly #product: MeteredProduct<Row, End, Receipt>;
  /** Keyed by operator and id. */
  readonly #all = new Map<string, Tracked<Row>>();
  readonly #pending = new Set<Promise<unknown>>();
  /** Seconds of a stream that somebody had been sent when they last stopped paying for it. */
  readonly #settled = new Remembered<number>(MAX_SETTLED);
  readonly #captures: Captures<Row>;
  /** Stops the ticks; null while nobody is metered. */
  #stopTicks: (() => void) | null = null;
  #isOn = false;

  constructor(deps: ShowsDependencies, product: MeteredProduct<Row, End, Receipt>) {
    this.#deps = deps;
    this.#product = product;
    this.#captures = new Captures(deps, product);
  }

  /** Takes up the rows that a restart interrupted: a person who is not back in 30 s has left. */
  async start(): Promise<void> {
    const { data, site } = this.#deps;
    const { restart } = this.#product;
    this.#isOn = true;
    for (const operatorId of await site.operators()) {
      for (const row of await data.tx({ operatorId }, restart.rows)) {
        const end = await data.tx({ operatorId }, async (tx) => {
          await this.#takeUp(tx, row, await restart.streamOf(tx, row));
          return await restart.endOf?.(tx, row) ?? null;
        });
        if (end !== null) await this.end(operatorId, row.id, end);
      }
    }
  }

  /** Stops counting; what was counted since the last capture is not charged. */
  async stop(): Promise<void> {
    this.#isOn = false;
    this.#stopTicks?.();
    await this.settled();
  }

  /** Resolves when no work is pending. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  /** Does a unit of work that takes up rows. If it is rolled back, they are metered no longer. */
  async unit<T>(scope: OperatorScope, work: (tx: Tx, takeUp: TakeUp<Row>) => Promise<T>): Promise<T> {
    const taken: Tracked<Row>[] = [];
    try {
      return await this.#deps.data.tx(scope, (tx) =>
        work(tx, async (row, stream) => {
          const tracked = await this.#takeUp(tx, row, stream);
          taken.push(tracked);
          return tracked.now;
        }));
    } catch (error) {
      for (const tracked of taken) {
        this.#drop(tracked);
        await this.#product.rolledBack?.(tracked.now);
      }
      throw error;
    }
  }

  get(operatorId: number, id: number): Metered<Row> | null {
    return this.#find(operatorId, id)?.now ?? null;
  }

  filter(operatorId: number, isIt: (row: Row) => boolean): Metered<Row>[] {
    return this.#filter(operatorId, isIt).map(({ now }) => now);
  }

  /** Does some work after all earlier work on a meter; null if it is over by then. */
  async inTurn<T>(operatorId: number, id: number, work: () => Promise<T>): Promise<T | null> {
    const tracked = this.#find(operatorId, id);
    return tracked ? this.#inTurn(tracked, async () => (this.#has(tracked) ? work() : null)) : null;
  }

  /** From now on media comes by another stream. Returns the new state, or null for a meter that is over. */
  streams(operatorId: number, id: number, stream: string | null): Metered<Row> | null {
    const tracked = this.#find(operatorId, id);
    if (!tracked) return null;
    return change(tracked, { stream, measured: NO_MEDIA, silentPublisher: 0 });
  }

  /** From the next second on some viewers pay less: they have joined the performer's fan club. */
  discount(
    operatorId: number,
    isIt: (row: Row) => boolean,
    to: Partial<Pick<Metered<Row>, 'refundPercent' | 'clubSeconds'>>,
  ): void {
    for (const tracked of this.#filter(operatorId, isIt)) change(tracked, to);
  }

  /** Ends a row. Returns its receipt, or null if it was already over, or is not ended by this. */
  end(operatorId: number, id: number, end: End): Promise<Receipt | null> {
    const tracked = this.#find(operatorId, id);
    return tracked ? this.#inTurn(tracked, () => this.#end(tracked, end)) : Promise.resolve(null);
  }

  async endAll(operatorId: number, isIt: (row: Row) => boolean, end: End): Promise<void> {
    await Promise.all(
      this.#filter(operatorId, isIt).map((tracked) => this.#inTurn(tracked, () => this.#end(tracked, end))),
    );
  }

  /**
   * Starts a row instead of another one. `leave` ends the old row in the unit of work that starts the new
   * one, so that a refused start ends nothing.
   */
  async insteadOf<T>(
    { operatorId, id, end }: { readonly operatorId: number; readonly id: number | null; readonly end: End },
    begin: (leave: (tx: Tx) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const tracked = id === null ? undefined : this.#find(operatorId, id);
    if (!tracked) return begin(async () => undefined);
    return this.#inTurn(tracked, async () => {
      await this.#settle(tracked).catch(this.#deps.onError);
      let isLeft = false;
      const begun = await begin(async (tx) => {
        if (!this.#has(tracked)) return;
        const closed = await this.#close(tx, tracked, end);
        isLeft = typeof closed !== 'string';
      });
      if (isLeft) await this.#closed(tracked, end);
      return begun;
    });
  }

  async #takeUp(tx: Tx, row: Row, stream: string | null): Promise<Tracked<Row>> {
    const { timer, freeForMembers } = this.#product;
    const { limit, carried, ...terms } = await this.#product.terms(tx, row);
    const { price, seconds, captured, held } = row;
    const isFree = freeForMembers && (price === 0 || await freeForMembers.isFree(tx, row));
    const measured = this.#measured(stream, terms.readerId);
    const tracked: Tracked<Row> = {
      now: {
        ...terms,
        operatorId: tx.operatorId,
        row,
        stream,
        meter: { price, limit, seconds, carried, captured, held },
        spending: await spendingOf(this.#deps.ledger, tx, row.viewer_id),
        refundPercent: await this.#refundPercent(tx, row),
        clubSeconds: isFree ? 0 : null,
        measured,
        waiting: 0,
        silentPublisher: 0,
        silentReader: 0,
        sinceCapture: 0,
        isPaused: true,
      },
      turn: Promise.resolve(),
    };
    // Seconds sent since the viewer last paid for this stream are charged now.
    const sent = this.#settled.get(settledKey(tracked.now), this.#nowMs(), Infinity) ?? measured.sent;
    change(tracked, { measured: { ...measured, sent } });
    this.#all.set(keyOf(tracked.now), tracked);
    if (this.#isOn) {
      this.#stopTicks ??= this.#deps.data.clock.every(timer, SECOND_MS, () => this.#tickAll());
    }
    return tracked;
  }

  #nowMs(): number {
    return this.#deps.data.clock.now().getTime();
  }

  #find(operatorId: number, id: number): Tracked<Row> | undefined {
    return this.#all.get(`${operatorId} ${id}`);
  }

  #filter(operatorId: number, isIt: (row: Row) => boolean): Tracked<Row>[] {
    return [...this.#all.values()].filter(({ now }) => now.operatorId === operatorId && isIt(now.row));
  }

  #has(tracked: Tracked<Row>): boolean {
    return this.#all.get(keyOf(tracked.now)) === tracked;
  }

  #drop(tracked: Tracked<Row>): void {
    if (this.#has(tracked)) this.#all.delete(keyOf(tracked.now));
  }

  #inTurn<T>(tracked: Tracked<Row>, work: () => Promise<T>): Promise<T> {
    const done = tracked.turn.then(work);
    const pending = done.catch(() => undefined);
    tracked.turn = pending;
    this.#pending.add(pending);
    void pending.finally(() => this.#pending.delete(pending));
    return done;
  }

  #tickAll(): void {
    if (this.#all.size === 0) {
      this.#stopTicks?.();
      this.#stopTicks = null;
    }
    for (const tracked of this.#all.values()) {
      this.#inTurn(tracked, () => this.#tick(tracked)).catch(async (error: unknown) => {
        // Nobody may watch without paying.
        this.#deps.onError(error);
        const { operatorId, row: { id } } = tracked.now;
        await this.end(operatorId, id, this.#product.ending.usedUp);
      }).catch(this.#deps.onError);
    }
  }

  async #tick(tracked: Tracked<Row>): Promise<void> {
    if (!this.#has(tracked)) return;
    const end = await this.#second(tracked);
    if (end !== null) await this.#end(tracked, end);
  }

  /** One second of a meter. Returns why the row ends with it, or null. */
  async #second(tracked: Tracked<Row>): Promise<End | null> {
    const { ending, isStarting, stops, passed } = this.#product;
    const { seen, after } = looked(
      tracked.now,
      this.#measured(tracked.now.stream, tracked.now.readerId),
    );
    change(tracked, after);
    // If the tokens are used up, this tick's own second finds that out too.
    await this.#countWaiting(tracked, MAX_WAITING_SECONDS);
    if (!seen.isSent && isStarting?.(tracked.now.row)) return null;
    const stopped = stops?.(tracked.now) ?? null;
    if (stopped !== null) return stopped;
    const second = seen.isSent ? await this.#count(tracked) : null;
    if (second === 'used_up') return ending.usedUp;
    if (!seen.isSent) {
      change(tracked, { free: withFree(tracked.now, seen) });
      const away = awayOf(tracked.now);
      if (away !== null) return ending.away[away];
    }
    if (await this.#isShort(tracked)) return ending.usedUp;
    // The tick is sent first, so that with many shows it is not as late as the captures.
    change(tracked, { row: await passed(tracked.now, second) });
    const { sinceCapture } = change(tracked, { sinceCapture: tracked.now.sinceCapture + 1 });
    if (sinceCapture * SECOND_MS >= CAPTURE_EVERY_MS) await this.#captures.add(tracked);
    return null;
  }

  /** Seconds of a stream, as the relay measured them. */
  #measured(stream: string | null, personId: number): Metered<Row>['measured'] {
    return stream === null ? NO_MEDIA : this.#deps.broadcast.mediaSeconds({ streamName: stream, personId });
  }

  /** Counts waiting seconds until `left` of them remain, or the tokens are used up. */
  async #countWaiting(tracked: Tracked<Row>, left: number): Promise<void> {
    while (tracked.now.waiting > left) {
      change(tracked, { waiting: tracked.now.waiting - 1 });
      if (await this.#count(tracked) === 'used_up') return;
    }
  }

  /** Counts a second: one of the preview, a free one, or a paid one unless the tokens are used up. */
  async #count(tracked: Tracked<Row>): Promise<Exclude<PassedSecond, null> | 'used_up'> {
    const { previewSeconds, clubSeconds, meter } = tracked.now;
    if (previewSeconds > 0) {
      change(tracked, { previewSeconds: previewSeconds - 1 });
      return 'preview';
    }
    if (clubSeconds === null && meter.price > 0) return await this.#pay(tracked) ? 'paid' : 'used_up';
    // Seconds at a price are not counted while they are free: they would be charged later.
    if (meter.price === 0) change(tracked, { meter: { ...meter, seconds: meter.seconds + 1 } });
    if (clubSeconds !== null) await this.#countForMember(tracked, clubSeconds + 1);
    return 'free';
  }

  /** Counts a member's free second. The membership may have ended, so each minute is checked. */
  async #countForMember(tracked: Tracked<Row>, clubSeconds: number): Promise<void> {
    const { freeForMembers } = this.#product;
    const now = change(tracked, { clubSeconds });
    if (!freeForMembers || clubSeconds % CLUB_SECONDS !== 0) return;
    const row = await this.#deps.data.tx({ operatorId: now.operatorId }, async (tx) => {
      if (await freeForMembers.isFree(tx, now.row)) return null;
      return now.row.price === 0 ? freeForMembers.charge(tx, now) : now.row;
    });
    if (row === null) return;
    const { price } = row;
    // Seconds that were free are not charged at the price that applies from here on.
    const meter = now.row.price === 0 ? { ...now.meter, price, seconds: 0 } : now.meter;
    change(tracked, { row, meter, clubSeconds: null });
  }

  /** Counts a second that costs something; false when the tokens are used up: then nothing is counted. */
  async #pay(tracked: Tracked<Row>): Promise<boolean> {
    const { first } = this.#product;
    const isFirst = first !== undefined && !first.isOver(tracked.now.row);
    const scope = { operatorId: tracked.now.operatorId };
    if (isFirst && first.upfrontTokens) {
      const { row } = tracked.now;
      change(tracked, {
        upfrontTokens: await this.#deps.data.tx(
          scope,
          async (tx) => await first.upfrontTokens?.(tx, row) ?? 0,
        ),
      });
    }
    if (nextStep(tracked.now.meter).kind !== 'count') {
      change(
        tracked,
        await this.#deps.data.tx(
          scope,
          async (tx) => renewHold(this.#deps, this.#product, tx, await this.#withRefund(tx, tracked)),
        ),
      );
    }
    if (prepaidSeconds(tracked.now.meter) === 0) return false;
    if (isFirst) await this.#first(tracked);
    change(tracked, { meter: counted(tracked.now.meter) });
    return true;
  }

  async #refundPercent(tx: Tx, row: Row): Promise<number> {
    return await this.#product.refundPercent?.(tx, row) ?? 0;
  }

  /** The state with the refund of this moment. */
  async #withRefund(tx: Tx, tracked: Tracked<Row>): Promise<Metered<Row>> {
    return change(tracked, { refundPercent: await this.#refundPercent(tx, tracked.now.row) });
  }

  /** Handles the first paid second: what is due on top of it is taken, and the product stores it. */
  async #first(tracked: Tracked<Row>): Promise<void> {
    const { first } = this.#product;
    const { now } = tracked;
    if (!first) return;
    const row = await this.#deps.data.tx(
      { operatorId: now.operatorId },
      async (tx) => first.store(tx, now, await takeUpfront(this.#deps, this.#product, tx, now, first.kind)),
    );
    const stored = change(tracked, { row, upfrontTokens: 0 });
    first.stored?.(stored);
  }

  /**
   * Whether too few tokens are left for a row to continue. When little is left, what the viewer can spend is
   * read again: they may have bought tokens since the last capture.
   */
  async #isShort(tracked: Tracked<Row>): Promise<boolean> {
    const { shortage } = this.#product;
    const { operatorId, row, meter, spending: { spendable, avail }, clubSeconds } = tracked.now;
    if (clubSeconds !== null || meter.price === 0) return false;
    const read = async (tx: Tx): Promise<Metered<Row>> =>
      change(tracked, { spending: await spendingOf(this.#deps.ledger, tx, row.viewer_id) });
    if (isLow({ secondsLeft: secondsLeft(meter, spendable), avail, price: meter.price })) {
      await this.#deps.data.tx({ operatorId }, read);
    }
    if (!shortage?.isPossible(tracked.now)) return false;
    return this.#deps.data.tx({ operatorId }, async (tx) => shortage.isCertain(tx, await read(tx)));
  }

  /**
   * Counts seconds that were sent but not counted by a tick, and those the player never reported. Done before
   * the end. Seconds that can no longer be paid for are not owed.
   */
  async #settle(tracked: Tracked<Row>): Promise<void> {
    const { stream, readerId: personId } = tracked.now;
    if (!this.#has(tracked) || stream === null) return;
    const measured = this.#deps.broadcast.lastMediaSeconds({ streamName: stream, personId });
    change(tracked, withWaiting(tracked.now, measured));
    await this.#countWaiting(tracked, 0);
    change(tracked, { waiting: 0 });
    this.#settled.set(settledKey(tracked.now), measured.sent, this.#nowMs());
  }

  async #end(tracked: Tracked<Row>, end: End): Promise<Receipt | null> {
    if (!this.#has(tracked)) return null;
    const { data, onError } = this.#deps;
    await this.#product.ending.before?.(tracked.now);
    await this.#settle(tracked).catch(onError);
    const { operatorId } = tracked.now;
    const close = () => data.tx({ operatorId }, (tx) => this.#close(tx, tracked, end));
    const closed = await close().catch((error: unknown) => {
      // What was counted since the last capture is not charged, and the row ends nevertheless.
      onError(error);
      const { row: { seconds, captured, held }, meter } = tracked.now;
      change(tracked, { meter: { ...meter, seconds, captured, held } });
      return close();
    });
    if (closed === 'stays') return null;
    // If the end was committed although its unit of work failed, only what follows is left to do.
    await this.#closed(tracked, end);
    return closed === 'over' ? null : closed.receipt;
  }

  /** Captures what is due, gives the rest back, and stores the end. */
  async #close(
    tx: Tx,
    tracked: Tracked<Row>,
    end: End,
  ): Promise<{ readonly receipt: Receipt } | 'stays' | 'over'> {
    const { ending } = this.#product;
    const stored = await ending.lock(tx, tracked.now.row, end);
    if (typeof stored === 'string') return stored;
    const now = await this.#withRefund(tx, tracked);
    const closed = await closeHold(this.#deps, this.#product, tx, now);
    return { receipt: await ending.store(tx, now, { ...closed, stored, end }) };
  }

  /** What follows once an end is committed. */
  async #closed(tracked: Tracked<Row>, end: End): Promise<void> {
    this.#drop(tracked);
    await this.#product.ending.after?.(tracked.now, end);
  }
}

/** Changes the state of a meter. Returns the new state; who has the old one keeps it as it was. */
function change<Row extends MeteredRow>(
  tracked: Tracked<Row>,
  to: Partial<Metered<Row>>,
): Metered<Row> {
  tracked.now = { ...tracked.now, ...to };
  return tracked.now;
}

const keyOf = ({ operatorId, row }: Metered<MeteredRow>): string => `${operatorId} ${row.id}`;
const settledKey = ({ operatorId, stream, readerId }: Metered<MeteredRow>): string =>
  `${operatorId} ${stream} ${readerId}`;
