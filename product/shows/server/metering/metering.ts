import type { Tx } from '#platform/data/data.ts';
import { SECOND_MS } from '#platform/time/units.ts';
import {
  AWAY_MS, CAPTURE_EVERY_MS, counted, isWorthHolding, nextStep, prepaidSeconds, renewed, secondsLeft,
  toCapture,
} from '../../rules/meter.ts';
import { isLow } from '../../rules/spending.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { Captures, columnsOf, refusedDue, takingOf } from './captures.ts';
import type { Metered, MeterColumns, MeteredProduct, MeteredRow, Seen } from './metered.ts';
import { affordable, holdOperation, isPosted, takeOperation, type Parties } from './payments.ts';
import { spendingOf } from './spending.ts';

/**
 * Media comes in segments over HLS, and early or late over WHEP: this many seconds may wait for later ticks.
 * Any beyond that are counted at once; none is dropped.
 */
const MAX_WAITING_SECONDS = 8;
/** People and streams whose last count is remembered; the oldest are dropped first. */
const MAX_SETTLED = 10_000;
/** Ticks without media before they count as free: a single one may just be a late report. */
const SILENT_TICKS = 2;

type Added<Row extends MeteredRow> =
  & Pick<Metered<Row>, 'row' | 'meter' | 'stream' | 'readerId' | 'free' | 'upfrontTokens' | keyof Parties>
  & Partial<Pick<Metered<Row>, 'refundHundredths'>>;

/**
 * The money and the seconds of everybody who pays for one product. A second counts when media came in and the
 * reader was sent some, as the relay measured it; the next minute is held before its first second.
 */
export class Metering<Row extends MeteredRow> {
  readonly #deps: ShowsDependencies;
  readonly #product: MeteredProduct<Row>;
  /** Keyed by operator and id. */
  readonly #all = new Map<string, Metered<Row>>();
  readonly #pending = new Set<Promise<unknown>>();
  /** Seconds of a stream that somebody had been sent when they last stopped paying for it. */
  readonly #settled = new Map<string, number>();
  readonly #captures: Captures<Row>;
  /** Stops the ticks; null while nobody is metered. */
  #stopTicks: (() => void) | null = null;
  #isOn = false;

  constructor(deps: ShowsDependencies, product: MeteredProduct<Row>) {
    this.#deps = deps;
    this.#product = product;
    this.#captures = new Captures(deps, product);
  }

  start(): void {
    this.#isOn = true;
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

  async add(tx: Tx, added: Added<Row>): Promise<Metered<Row>> {
    const one: Metered<Row> = {
      refundHundredths: 0, ...added, operatorId: tx.operatorId, waiting: 0,
      measured: { received: 0, sent: 0 }, refundPercent: await this.#refundPercent(tx, added.row),
      spending: await spendingOf(this.#deps.ledger, tx, added.row.viewer_id), silentPublisher: 0,
      silentReader: 0, sinceCapture: 0, isPaused: true, turn: Promise.resolve(),
    };
    if (one.stream !== null) {
      const sent = this.#settled.get(settledKey(one));
      const measured = this.#measure(one);
      // Seconds sent since the viewer last paid for this stream are charged now.
      if (sent !== undefined) one.measured = { ...measured, sent };
    }
    this.#all.set(this.#keyOf(one), one);
    if (this.#isOn) {
      this.#stopTicks ??= this.#deps.data.clock
        .every(this.#product.timer, SECOND_MS, () => this.#tickAll());
    }
    return one;
  }

  get(operatorId: number, id: number): Metered<Row> | undefined {
    return this.#all.get(`${operatorId} ${id}`);
  }

  find(operatorId: number, isIt: (row: Row) => boolean): Metered<Row> | undefined {
    return this.filter(operatorId, isIt)[0];
  }

  filter(operatorId: number, isIt: (row: Row) => boolean): Metered<Row>[] {
    return [...this.#all.values()].filter((one) => one.operatorId === operatorId && isIt(one.row));
  }

  has(one: Metered<Row>): boolean {
    return this.#all.get(this.#keyOf(one)) === one;
  }

  /** Drops a meter that is over, or whose unit of work was rolled back. */
  drop(one: Metered<Row>): void {
    if (this.has(one)) this.#all.delete(this.#keyOf(one));
  }

  /** Does some work after all earlier work on this meter. */
  inTurn<T>(one: Metered<Row>, work: () => Promise<T>): Promise<T> {
    const done = one.turn.then(work);
    one.turn = done.catch(() => undefined);
    const pending = one.turn;
    this.#pending.add(pending);
    void pending.finally(() => this.#pending.delete(pending));
    return done;
  }

  /** From now on media comes by another stream. */
  streams(one: Metered<Row>, stream: string | null): void {
    one.stream = stream;
    one.measured = { received: 0, sent: 0 };
    one.silentPublisher = 0;
  }

  /** Counts a second; false when the tokens are used up, in which case nothing is counted. */
  async count(one: Metered<Row>): Promise<boolean> {
    if (nextStep(one.meter).kind !== 'count') await this.#renew(one);
    if (prepaidSeconds(one.meter) === 0) return false;
    one.meter = counted(one.meter);
    return true;
  }

  /**
   * Counts seconds that were sent but not counted by a tick, and those the player never reported. Call it
   * before the end. Seconds that can no longer be paid for are not owed.
   */
  async settle(one: Metered<Row>): Promise<void> {
    if (!this.has(one) || one.stream === null) return;
    const before = one.measured;
    one.measured = this.#deps.broadcast.lastMediaSeconds({ streamName: one.stream, personId: one.readerId });
    one.waiting += Math.max(0, one.measured.sent - before.sent);
    await this.#countWaiting(one, 0);
    one.waiting = 0;
    const key = settledKey(one);
    this.#settled.delete(key);
    this.#settled.set(key, one.measured.sent);
    const [oldest] = this.#settled.keys();
    if (this.#settled.size > MAX_SETTLED && oldest !== undefined) this.#settled.delete(oldest);
  }

  /** Counts a second without media as free. Returns whose media has been away too long, or null. */
  idle(one: Metered<Row>, { isReceived }: Seen): 'publisher' | 'reader' | null {
    if (one.silentReader >= SILENT_TICKS) {
      const free = one.silentReader === SILENT_TICKS ? SILENT_TICKS : 1;
      one.free[isReceived ? 'reader' : 'publisher'] += free;
    }
    if (one.silentReader * SECOND_MS < AWAY_MS) return null;
    return one.silentPublisher >= one.silentReader ? 'publisher' : 'reader';
  }

  /** When little is left, reads spending again: the viewer may have bought tokens since the last capture. */
  async readWhenLow(one: Metered<Row>): Promise<void> {
    const { meter, spending: { spendable, avail } } = one;
    if (!isLow({ secondsLeft: secondsLeft(meter, spendable), avail, price: meter.price })) return;
    await this.#deps.data.tx({ operatorId: one.operatorId }, (tx) => this.readSpending(tx, one));
  }

  async readSpending(tx: Tx, one: Metered<Row>): Promise<void> {
    one.spending = await spendingOf(this.#deps.ledger, tx, one.row.viewer_id);
  }

  /** Ends a second that did not end the show: captures what is due if it is time. */
  async pass(one: Metered<Row>): Promise<void> {
    one.sinceCapture += 1;
    if (one.sinceCapture * SECOND_MS >= CAPTURE_EVERY_MS) await this.#captures.add(one);
  }

  /**
   * Takes the tokens that the first hold has on top of its minute, and returns the number of captures after
   * it. The product sets `upfrontTokens` to 0 once that is committed.
   */
  async takeUpfront(tx: Tx, one: Metered<Row>, kind: string): Promise<number> {
    const { row: { hold_number: hold, capture_number: before }, upfrontTokens: tokens } = one;
    if (tokens === 0) return before;
    const [taken] = await this.#deps.ledger.post(tx, [takeOperation(
      this.#deps.ledger, this.#product.operations, one.row, one, {
        kind, hold, number: before + 1, tokens, before: 0, closes: false,
        sharePercent: this.#deps.performerSharePercent,
      },
    )]);
    if (!isPosted(taken)) throw refusedDue(this.#product, one);
    return before + 1;
  }

  /**
   * Captures what is due and gives the rest back. When it ends, the product stores the returned columns, and
   * the meter's refund.
   */
  async close(tx: Tx, one: Metered<Row>): Promise<MeterColumns & { readonly released: number }> {
    const due = toCapture(one.meter);
    const { held } = one.meter;
    if (one.row.hold_number === 0) return { ...columnsOf(one, renewed(one.meter, 0)), released: 0 };
    one.refundPercent = await this.#refundPercent(tx, one.row);
    const taking = takingOf(this.#deps, this.#product, one, true);
    const [taken] = await this.#deps.ledger.post(tx, [taking.operation]);
    const isTaken = isPosted(taken);
    if (!isTaken && taking.tokens > 0) throw refusedDue(this.#product, one);
    one.refundHundredths = taking.refundHundredths;
    return {
      ...columnsOf(one, renewed(one.meter, 0)), capture_number: one.row.capture_number + 1,
      released: isTaken ? held + one.upfrontTokens - due : 0,
    };
  }

  async #refundPercent(tx: Tx, row: Row): Promise<number> {
    return await this.#product.refundPercent?.(tx, row) ?? 0;
  }

  #keyOf({ operatorId, row }: Metered<Row>): string {
    return `${operatorId} ${row.id}`;
  }

  #measure(one: Metered<Row>): Metered<Row>['measured'] {
    one.measured = one.stream === null ? { received: 0, sent: 0 }
      : this.#deps.broadcast.mediaSeconds({ streamName: one.stream, personId: one.readerId });
    return one.measured;
  }

  /** Counts waiting seconds until `left` of them remain; false if the tokens are used up first. */
  async #countWaiting(one: Metered<Row>, left: number): Promise<boolean> {
    while (one.waiting > left) {
      one.waiting -= 1;
      if (!(await this.#product.count(one))) return false;
    }
    return true;
  }

  /** Reads what the relay measured since the last tick: whether media came in, and whether it was sent on. */
  #look(one: Metered<Row>): Seen {
    const before = one.measured;
    const { received, sent } = this.#measure(one);
    one.waiting += Math.max(0, sent - before.sent);
    const isSent = one.waiting > 0;
    const isReceived = isSent || received > before.received;
    if (isSent) one.waiting -= 1;
    one.silentPublisher = isReceived ? 0 : one.silentPublisher + 1;
    one.silentReader = isSent ? 0 : one.silentReader + 1;
    one.isPaused = !isSent && (one.isPaused || one.silentReader >= SILENT_TICKS);
    return { isReceived, isSent };
  }

  #tickAll(): void {
    if (this.#all.size === 0) {
      this.#stopTicks?.();
      this.#stopTicks = null;
    }
    for (const one of this.#all.values()) {
      this.inTurn(one, () => this.#tick(one)).catch(async (error: unknown) => {
        this.#deps.onError(error);
        await this.#product.failed(one);
      }).catch(this.#deps.onError);
    }
  }

  async #tick(one: Metered<Row>): Promise<void> {
    if (!this.has(one)) return;
    const seen = this.#look(one);
    // If the tokens are used up, this tick's own second finds that out too.
    await this.#countWaiting(one, MAX_WAITING_SECONDS);
    await this.#product.tick(one, seen);
  }

  /** Captures everything due, and holds the next minute, or what is left if that is less. */
  async #renew(one: Metered<Row>): Promise<void> {
    const { ledger, data } = this.#deps;
    const step = nextStep(one.meter);
    await data.tx({ operatorId: one.operatorId }, async (tx) => {
      const { row } = one;
      const upfront = row.hold_number === 0 ? one.upfrontTokens : 0;
      const most = step.kind === 'hold'
        ? await affordable(ledger, tx, row.viewer_id, step.tokens + upfront) - upfront : 0;
      const tokens = isWorthHolding(one.meter, most) ? most : 0;
      const number = row.hold_number + 1;
      one.refundPercent = await this.#refundPercent(tx, row);
      const taking = row.hold_number === 0 ? null : takingOf(this.#deps, this.#product, one, true);
      const { refundHundredths } = taking ?? one;
      const outcomes = await ledger.post(tx, [
        ...(taking ? [taking.operation] : []),
        ...(tokens === 0 ? [] : [holdOperation(ledger, this.#product.operations, row, one, {
          number, tokens: tokens + upfront, now: tx.now,
        })]),
      ]);
      const [held, ...before] = outcomes.toReversed();
      const isHeld = tokens > 0 && isPosted(held);
      const isTaken = isPosted(tokens > 0 ? before[0] : held);
      // If the hold gave everything back because the tokens were used up, nothing is due.
      if (taking && !isTaken && taking.tokens > 0) throw refusedDue(this.#product, one);
      const meter = renewed(one.meter, isHeld ? tokens : 0);
      return {
        meter, refundHundredths, row: await this.#product.store(tx, one, {
          ...columnsOf(one, meter), hold_number: isHeld ? number : row.hold_number,
          capture_number: row.capture_number + (taking ? 1 : 0),
        }, refundHundredths),
        spending: await spendingOf(ledger, tx, row.viewer_id),
      };
    }).then((after) => Object.assign(one, after, { sinceCapture: 0 }));
  }
}

const settledKey = ({ operatorId, stream, readerId }: Metered<MeteredRow>): string =>
  `${operatorId} ${stream} ${readerId}`;
