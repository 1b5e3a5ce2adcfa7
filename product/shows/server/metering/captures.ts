import type { Tx } from '#platform/data/data.ts';
import type { Operation } from '#product/ledger/server.ts';
import { capturedDue, refundOf, toCapture } from '../../rules/meter.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import type { Counts, MeterColumns, Metered, MeteredMoney, MeteredRow, Tracked } from './metered.ts';
import { isPosted, takeOperation } from './payments.ts';
import { spendingOf, type Spending } from './spending.ts';

/** Captures in one unit of work: few enough that its locks are released before the next tick has to wait. */
const MAX_CAPTURES = 64;

interface Waiting<Row extends MeteredRow> {
  readonly tracked: Tracked<Row>;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** What a row stores of its meter, with the numbers of its operations if they have changed. */
export const countsOf = <Row extends MeteredRow>(
  { row, meter: { seconds, captured, held }, free, previewSeconds, refundHundredths }: Metered<Row>,
  numbers: Partial<Pick<MeterColumns, 'hold_number' | 'capture_number'>> = {},
): Counts => ({
  columns: {
    seconds,
    captured,
    held,
    hold_number: row.hold_number,
    capture_number: row.capture_number,
    ...numbers,
  },
  free,
  previewSeconds,
  refundHundredths,
});

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
  { ledger, performerSharePercent: sharePercent }: ShowsDependencies,
  { operations }: MeteredMoney<Row>,
  metered: Metered<Row>,
  closes: boolean,
): Taking {
  const { row, meter, refundPercent } = metered;
  const due = toCapture(meter);
  const refundHundredths = metered.refundHundredths + due * refundPercent;
  const refunded = refundOf(metered.refundHundredths);
  const tokens = due - (refundOf(refundHundredths) - refunded);
  const operation = takeOperation(ledger, operations, row, metered, {
    hold: row.hold_number,
    number: row.capture_number + 1,
    tokens,
    before: meter.captured - refunded,
    closes,
    sharePercent,
  });
  return { operation, tokens, refundHundredths };
}

export const refusedDue = <Row extends MeteredRow>({ operations }: MeteredMoney<Row>, { id }: Row): Error =>
  new Error(`${operations.scope} ${id}: the ledger refused what is due`);

/**
 * Captures what is due from the holds, and stores what was counted. While one unit of work commits, the next
 * one collects: a tick of many shows takes two units, not one per show.
 */
export class Captures<Row extends MeteredRow> {
  readonly #deps: ShowsDependencies;
  readonly #product: MeteredMoney<Row>;
  /** At most one entry per metered viewer. */
  #waiting: Waiting<Row>[] = [];
  #isBusy = false;

  constructor(deps: ShowsDependencies, product: MeteredMoney<Row>) {
    this.#deps = deps;
    this.#product = product;
  }

  /** Resolves once captured; rejects if the ledger refused, or if storing failed. */
  add(tracked: Tracked<Row>): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ tracked, done, failed });
      if (!this.#isBusy) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      const operatorId = this.#waiting[0]?.tracked.now.operatorId;
      const batch = this.#waiting.filter(({ tracked }) => tracked.now.operatorId === operatorId)
        .slice(0, MAX_CAPTURES);
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
    const [{ tracked: { now: { operatorId } } }] = batch as readonly [Waiting<Row>];
    const takings = new Map(
      batch.map((waiting) => [waiting, takingOf(this.#deps, this.#product, waiting.tracked.now, false)]),
    );
    const due = [...takings].filter(([, { tokens }]) => tokens > 0);
    const after = await data.tx({ operatorId }, async (tx) => {
      const outcomes = due.length === 0
        ? []
        : await ledger.post(tx, due.map(([, { operation }]) => operation));
      const refused = due.filter((_one, at) => !isPosted(outcomes[at])).map(([waiting]) => waiting);
      const taken = [...takings].filter(([waiting]) => !refused.includes(waiting));
      const rows = [];
      for (const [waiting, { tokens, refundHundredths }] of taken) {
        const { now } = waiting.tracked;
        const meter = capturedDue(now.meter);
        const row = await this.#product.store(
          tx,
          now.row,
          countsOf({ ...now, meter, refundHundredths }, {
            capture_number: now.row.capture_number + (tokens > 0 ? 1 : 0),
          }),
        );
        rows.push({ waiting, after: { meter, row, refundHundredths, sinceCapture: 0 } });
      }
      return { refused, rows, spending: await this.#spending(tx, rows.map(({ waiting }) => waiting)) };
    });
    for (const [at, { waiting: { tracked, done }, after: captured }] of after.rows.entries()) {
      const spending = after.spending[at] ?? tracked.now.spending;
      tracked.now = { ...tracked.now, ...captured, spending };
      done();
    }
    for (const { failed, tracked } of after.refused) failed(refusedDue(this.#product, tracked.now.row));
  }

  /** What each viewer can spend now: just the balance, if they had neither budgets nor credit this minute. */
  async #spending(tx: Tx, all: readonly Waiting<Row>[]): Promise<Spending[]> {
    const { ledger } = this.#deps;
    const balances = await ledger.balances(tx, all.map(({ tracked }) => tracked.now.row.viewer_id));
    const spending = [];
    for (const { tracked: { now: { row: { viewer_id: viewer }, spending: before } } } of all) {
      const tokens = balances.get(viewer) ?? 0;
      spending.push(
        before.isPlain
          ? { ...before, tokens, spendable: tokens }
          : await spendingOf(ledger, tx, viewer),
      );
    }
    return spending;
  }
}
