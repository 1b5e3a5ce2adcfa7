import type { PaymentEvent } from '../biller.ts';
import { WEBHOOK_TYPES, eventOf } from './webhook.ts';

/**
 * Columns of the report. CCBill lets its merchants choose and does not publish a query by a value that was
 * passed through: the account is to be set to these, in this order, which are called as in the webhooks.
 */
export const REPORT_COLUMNS = [
  'eventType', 'clientAccnum', 'clientSubacc', 'subscriptionId', 'transactionId', 'timestamp', 'amount',
  'currencyCode', 'X-orderId', 'cardType', 'bin', 'last4', 'expDate', 'paymentTokenId', 'failureCode',
  'rebills',
] as const;

/** A week of a busy shop; more is read as a report we did not ask for. */
const MAX_ROWS = 50_000;

/** Rows of a report, or null where it is none. */
export function reportRows(body: string): readonly ReadonlyMap<string, string>[] | null {
  const lines = body.split('\n').filter((line) => line !== '');
  if (lines.length > MAX_ROWS) return null;
  const rows: ReadonlyMap<string, string>[] = [];
  for (const line of lines) {
    const cells = cellsOf(line);
    if (!cells || cells.length !== REPORT_COLUMNS.length) return null;
    rows.push(new Map(REPORT_COLUMNS.map((name, at) => [name, cells[at] ?? ''])));
  }
  return rows;
}

/** `"a","b"`: every cell is quoted and holds no quote. */
function cellsOf(line: string): string[] | null {
  const inner = /^"(.*)"\r?$/.exec(line)?.[1];
  const cells = inner?.split('","');
  return cells && !cells.some((cell) => cell.includes('"')) ? cells : null;
}

/** Events of one order: its own rows, and those that name its transactions only. */
export function eventsOfOrder(
  rows: readonly ReadonlyMap<string, string>[],
  order: { readonly id: string; readonly reference: string | null },
): PaymentEvent[] {
  const own = rows.filter((row) => row.get('X-orderId') === order.id);
  const subscriptions = new Set(own.map((row) => row.get('subscriptionId')).filter((id) => !!id));
  if (order.reference) subscriptions.add(order.reference);
  const named = rows.filter((row) => row.get('X-orderId') === '' && (
    subscriptions.has(row.get('subscriptionId')) || subscriptions.has(row.get('transactionId'))
  ));
  return [...own, ...named].flatMap((row) => {
    const type = WEBHOOK_TYPES.get(row.get('eventType') ?? '');
    const event = type && eventOf(type, row);
    return event ? [{ ...event, orderId: order.id }] : [];
  });
}
