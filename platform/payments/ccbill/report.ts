import type { PaymentEvent } from '../biller.ts';
import { eventOf, WEBHOOK_TYPES } from './webhook.ts';

/**
 * Columns of the report. CCBill lets its merchants choose them, and documents no query by a passed-through
 * value: the account must be set to these columns, in this order, named like the webhooks' fields.
 */
export const REPORT_COLUMNS = [
  'eventType',
  'clientAccnum',
  'clientSubacc',
  'subscriptionId',
  'transactionId',
  'timestamp',
  'amount',
  'currencyCode',
  'X-orderId',
  'cardType',
  'bin',
  'last4',
  'expDate',
  'paymentTokenId',
  'failureCode',
  'rebills',
] as const;

/** The most rows in a week of a busy shop; a longer report is not the one we asked for. */
const MAX_ROWS = 50_000;

/** The rows of a report; null when the body is not one. */
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

/** Events of one order: its own rows, and rows that only name its transactions. */
export function eventsOfOrder(
  rows: readonly ReadonlyMap<string, string>[],
  order: { readonly id: string; readonly reference: string | null },
): PaymentEvent[] {
  const own = rows.filter((row) => row.get('X-orderId') === order.id);
  const subscriptions = new Set(own.map((row) => row.get('subscriptionId')).filter((id) => !!id));
  if (order.reference) subscriptions.add(order.reference);
  const named = rows.filter((row) =>
    row.get('X-orderId') === '' && (
      subscriptions.has(row.get('subscriptionId')) || subscriptions.has(row.get('transactionId'))
    )
  );
  return [...own, ...named].flatMap((row) => {
    const type = WEBHOOK_TYPES.get(row.get('eventType') ?? '');
    const event = type && eventOf(type, row);
    return event ? [{ ...event, orderId: order.id }] : [];
  });
}
