import type { Tx } from '#platform/data/data.ts';
import type { Operation } from '#product/ledger/server.ts';
import { capturedDue, refundOf, toCapture, type Meter } from '../../rules/meter.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import type { Metered, MeterColumns, MeteredProduct, MeteredRow } from './metered.ts';
import { isPosted, takeOperation } from './payments.ts';
import { spendingOf, type Spending } from './spending.ts';

/** Captures in one unit of work: few enough that its locks are released before the next tick has to wait. */
const MAX_CAPTURES = 64;

interface Waiting<Row extends MeteredRow> {
  readonly one: Metered<Row>;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** The columns that a row stores of its meter. */
export const columnsOf = <Row extends MeteredRow>(
  { row }: Metered<Row>, { seconds, captured, held }: Meter,
): MeterColumns =>
  ({ seconds, captured, held, hold_number: row.hold_number, capture_number: row.capture_number });

/** What is taken from a hold, and the viewer's total refund so far. */
interface Taking {
  readonly operation: Operation;
  readonly tokens: number;
  readonly refundHundredths: number;
}

/**
 * What is due on a meter, taken from its hold, except the viewer's refund, which is given back on closing.
 */
export function takingOf<Row extends MeteredRow>(
  { ledger, performerSharePercent: sharePercent }: ShowsDependencies, { operations }: MeteredProduct<Row>,
  one: Metered<Row>, closes: boolean,
): Taking {
  const due = toCapture(one.meter);
  const refundHundredths = one.refundHundredths + due * one.refundPercent;
  const refunded = refundOf(one.refundHundredths);
  const tokens = due - (refundOf(refundHundredths) - refunded);
  const operation = takeOperation(ledger, operations, one.row, one, {
    hold: one.row.hold_number, number: one.row.capture_number + 1, tokens,
    before: one.meter.captured - refunded, closes, sharePercent,
  });
  return { operation, tokens, refundHundredths };
}

export const refusedDue = <Row extends MeteredRow>(
  { operations }: MeteredProduct<Row>, { row }: Metered<Row>,
): Error => new Error(`${operations.scope} ${row.id}: the ledger refused what is due`);

/**
 * Captures what is due from the holds, and stores what was counted. While one unit of work commits, the next
 * one collects: a tick of many shows takes two units, not one per show.
 */
export class Captures<Row extends MeteredRow> {
  readonly #deps: ShowsDependencies;
  readonly #product: MeteredProduct<Row>;
  /** At most one entry per metered viewer. */
  #waiting: Waiting<Row>[] = [];
  #isBusy = false;

  constructor(deps: ShowsDependencies, product: MeteredProduct<Row>) {
    this.#deps = deps;
    this.#product = product;
  }

  /** Resolves once captured; rejects if the ledger refused, or if storing failed. */
  add(one: Metered<Row>): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ one, done, failed });
      if (!this.#isBusy) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      const operatorId = this.#waiting[0]?.one.operatorId;
      const batch = this.#waiting.filter(({ one }) => one.operatorId === operatorId).slice(0, MAX_CAPTURES);
      this.#waiting = this.#waiting.filter((waiting) => !batch.includes(waiting));
      await this.#together(batch);
    }
    this.#isBusy = false;
  }

  async #together(batch: readonly Waiting<Row>[]): Promise<void> {
    try {
      await this.#capture(batch);
    } catch (error) {
      if (batch.length === 1) batch[0]?.failed(error);
      // If a batch fails, each capture is tried by itself, so that one failure does not affect the others.
      else for (const waiting of batch) await this.#together([waiting]);
    }
  }

  async #capture(batch: readonly Waiting<Row>[]): Promise<void> {
    const { data, ledger } = this.#deps;
    const [{ one: { operatorId } }] = batch as readonly [Waiting<Row>];
    const takings = new Map(batch.map((waiting) =>
      [waiting, takingOf(this.#deps, this.#product, waiting.one, false)]));
    const due = [...takings].filter(([, { tokens }]) => tokens > 0);
    const after = await data.tx({ operatorId }, async (tx) => {
      const outcomes = due.length === 0 ? []
        : await ledger.post(tx, due.map(([, { operation }]) => operation));
      const refused = due.filter((_one, at) => !isPosted(outcomes[at])).map(([waiting]) => waiting);
      const taken = [...takings].filter(([waiting]) => !refused.includes(waiting));
      const rows = [];
      for (const [waiting, { tokens, refundHundredths }] of taken) {
        const { one } = waiting;
        const meter = capturedDue(one.meter);
        const row = await this.#product.store(tx, one, {
          ...columnsOf(one, meter), capture_number: one.row.capture_number + (tokens > 0 ? 1 : 0),
        }, refundHundredths);
        rows.push({ waiting, after: { meter, row, refundHundredths, sinceCapture: 0 } });
      }
      return { refused, rows, spending: await this.#spending(tx, rows.map(({ waiting: { one } }) => one)) };
    });
    for (const [at, { waiting, after: changed }] of after.rows.entries()) {
      Object.assign(waiting.one, changed, { spending: after.spending[at] });
      waiting.done();
    }
    for (const waiting of after.refused) waiting.failed(refusedDue(this.#product, waiting.one));
  }

  /** What each viewer can spend now: just the balance, if they had neither budgets nor credit this minute. */
  async #spending(tx: Tx, all: readonly Metered<Row>[]): Promise<Spending[]> {
    const { ledger } = this.#deps;
    const balances = await ledger.balances(tx, all.map(({ row }) => row.viewer_id));
    const spending = [];
    for (const { row: { viewer_id: viewer }, spending: before } of all) {
      const tokens = balances.get(viewer) ?? 0;
      spending.push(before.isPlain ? { ...before, tokens, spendable: tokens }
        : await spendingOf(ledger, tx, viewer));
    }
    return spending;
  }
}
