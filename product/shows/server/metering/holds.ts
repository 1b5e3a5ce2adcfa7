import type { Tx } from '#platform/data/data.ts';
import { isWorthHolding, nextStep, renewed, toCapture } from '../../rules/meter.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { countsOf, refusedDue, takingOf } from './captures.ts';
import type { Counts, Metered, MeteredMoney, MeteredRow } from './metered.ts';
import { affordable, holdOperation, isPosted, takeOperation } from './payments.ts';
import { spendingOf } from './spending.ts';

/** Captures everything due, and holds the next minute, or what is left if that is less. */
export async function renewHold<Row extends MeteredRow>(
  deps: ShowsDependencies,
  product: MeteredMoney<Row>,
  tx: Tx,
  now: Metered<Row>,
): Promise<Pick<Metered<Row>, 'row' | 'meter' | 'refundHundredths' | 'spending' | 'sinceCapture'>> {
  const { ledger } = deps;
  const { row } = now;
  const step = nextStep(now.meter);
  const upfront = row.hold_number === 0 ? now.upfrontTokens : 0;
  const most = step.kind === 'hold'
    ? await affordable(ledger, tx, row.viewer_id, step.tokens + upfront) - upfront
    : 0;
  const tokens = isWorthHolding(now.meter, most) ? most : 0;
  const number = row.hold_number + 1;
  const taking = row.hold_number === 0 ? null : takingOf(deps, product, now, true);
  const outcomes = await ledger.post(tx, [
    ...(taking ? [taking.operation] : []),
    ...(tokens === 0 ? [] : [holdOperation(ledger, product.operations, row, now, {
      number,
      tokens: tokens + upfront,
      now: tx.now,
    })]),
  ]);
  const [held, ...others] = outcomes.toReversed();
  const isHeld = tokens > 0 && isPosted(held);
  const isTaken = isPosted(tokens > 0 ? others[0] : held);
  // If the hold gave everything back because the tokens were used up, nothing is due.
  if (taking && !isTaken && taking.tokens > 0) throw refusedDue(product, row);
  const { refundHundredths } = taking ?? now;
  const meter = renewed(now.meter, isHeld ? tokens : 0);
  return {
    meter,
    refundHundredths,
    sinceCapture: 0,
    row: await product.store(
      tx,
      row,
      countsOf({ ...now, meter, refundHundredths }, {
        hold_number: isHeld ? number : row.hold_number,
        capture_number: row.capture_number + (taking ? 1 : 0),
      }),
    ),
    spending: await spendingOf(ledger, tx, row.viewer_id),
  };
}

/** Takes the tokens that the first hold has on top of its minute. Returns the number of captures after it. */
export async function takeUpfront<Row extends MeteredRow>(
  { ledger, performerSharePercent: sharePercent }: ShowsDependencies,
  product: MeteredMoney<Row>,
  tx: Tx,
  metered: Metered<Row>,
  kind: string,
): Promise<number> {
  const { row, upfrontTokens: tokens } = metered;
  if (tokens === 0) return row.capture_number;
  const number = row.capture_number + 1;
  const [taken] = await ledger.post(tx, [takeOperation(ledger, product.operations, row, metered, {
    kind,
    hold: row.hold_number,
    number,
    tokens,
    before: 0,
    closes: false,
    sharePercent,
  })]);
  if (!isPosted(taken)) throw refusedDue(product, row);
  return number;
}

/** Captures what is due and gives the rest of the hold back. Returns what is stored at the end. */
export async function closeHold<Row extends MeteredRow>(
  deps: ShowsDependencies,
  product: MeteredMoney<Row>,
  tx: Tx,
  now: Metered<Row>,
): Promise<{ readonly counts: Counts; readonly released: number }> {
  const { row, meter, upfrontTokens } = now;
  const after = { ...now, meter: renewed(meter, 0) };
  if (row.hold_number === 0) return { counts: countsOf(after), released: 0 };
  const taking = takingOf(deps, product, now, true);
  const [taken] = await deps.ledger.post(tx, [taking.operation]);
  const isTaken = isPosted(taken);
  if (!isTaken && taking.tokens > 0) throw refusedDue(product, row);
  return {
    counts: countsOf({ ...after, refundHundredths: taking.refundHundredths }, {
      capture_number: row.capture_number + 1,
    }),
    released: isTaken ? meter.held + upfrontTokens - toCapture(meter) : 0,
  };
}
