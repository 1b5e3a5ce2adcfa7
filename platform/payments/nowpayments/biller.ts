import { decimalOf } from '#platform/text/money.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { z } from 'zod';
import type { Biller, Finding, Order, Outside, PageOutcome, PaymentEvent } from '../biller.ts';
import { ask } from '../wire/ask.ts';
import { exactObject } from '../wire/exact-json.ts';
import { flatFields, jsonOf, plainReply } from '../wire/fields.ts';
import { eventsOf, readIpn } from './ipn.ts';

/** One account at NOWPayments. */
export interface NowpaymentsSettings {
  /** `https://api.nowpayments.io`. */
  readonly api: string;
  readonly apiKey: string;
  readonly ipnSecret: string;
  /** Where notifications go; null for the address set in the account. */
  readonly callback: string | null;
  /** The log-in that may list payments. */
  readonly report: { readonly email: string; readonly password: string };
  readonly descriptor: string;
}

/** Payments per list, and lists read at most: a week of a busy shop. */
const LISTED = 500;
const MAX_LISTS = 20;
/** The size of such a list, with all fields of each payment. */
const LIST_CHARACTERS = LISTED * 4096;
const LISTED_MS = 7 * DAY_MS;

const Invoice = z.object({ id: z.union([z.string(), z.number()]), invoice_url: z.url() });
const LoggedIn = z.object({ token: z.string().min(1).max(4096) });
const Listed = z.object({ data: z.array(z.record(z.string(), z.unknown())) });

/** NOWPayments: invoices paid in crypto, notifications signed over sorted JSON. */
export function nowpaymentsBiller(settings: NowpaymentsSettings, outside: Outside): Biller {
  return {
    name: 'nowpayments',
    abilities: { methods: ['crypto'], charges: false, saves: false, renews: false, answers: true },
    descriptor: settings.descriptor,
    page: (order) => invoice(settings, outside, order),
    charge: async () => ({ kind: 'unreachable', reason: 'NOWPayments keeps no cards' }),
    cardForm: async () => null,
    cardOf: async () => null,
    cancel: async () => 'unknown',
    find: (order) => find(settings, outside, order),
    read: (raw) => readIpn(raw, settings.ipnSecret),
    reply: plainReply,
  };
}

async function invoice(settings: NowpaymentsSettings, outside: Outside, order: Order): Promise<PageOutcome> {
  if (order.renewal) return { kind: 'unreachable', reason: 'NOWPayments renews nothing' };
  const answer = await ask(outside.fetch, `${settings.api}/v1/invoice`, {
    method: 'POST',
    headers: { 'x-api-key': settings.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      price_amount: Number(decimalOf(order.amount)),
      price_currency: order.amount.currency.toLowerCase(),
      order_id: order.id,
      order_description: order.title,
      success_url: order.returnUrl,
      cancel_url: order.returnUrl,
      ...(settings.callback && { ipn_callback_url: settings.callback }),
    }),
  });
  const made = answer.kind === 'answer' && answer.status === 200
    ? Invoice.safeParse(jsonOf(answer.body))
    : null;
  return made?.success
    ? { kind: 'page', url: made.data.invoice_url, until: null }
    : { kind: 'unreachable', reason: 'no invoice' };
}

/** One payment by its number, or the payments of an order among those of the last week. */
async function find(
  settings: NowpaymentsSettings,
  outside: Outside,
  order: { readonly id: string; readonly reference: string | null },
): Promise<Finding> {
  if (order.reference) {
    const url = `${settings.api}/v1/payment/${encodeURIComponent(order.reference)}`;
    const answer = await ask(outside.fetch, url, { headers: { 'x-api-key': settings.apiKey } });
    if (answer.kind !== 'answer') return { kind: 'unreachable', reason: answer.reason };
    if (answer.status === 404) return { kind: 'nothing' };
    const fields = exactObject(answer.body)?.fields;
    const events = answer.status === 200 && fields ? eventsOf(fields) : null;
    if (!events) return { kind: 'unreachable', reason: `status ${answer.status}` };
    return found(events.filter(({ orderId }) => orderId === order.id));
  }
  const events = await listed(settings, outside, order.id);
  return events ? found(events) : { kind: 'unreachable', reason: 'no list' };
}

const found = (
  events: readonly PaymentEvent[],
): Finding => (events.length > 0 ? { kind: 'found', events } : { kind: 'nothing' });

async function listed(
  settings: NowpaymentsSettings,
  outside: Outside,
  orderId: string,
): Promise<PaymentEvent[] | null> {
  const entered = await ask(outside.fetch, `${settings.api}/v1/auth`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(settings.report),
  });
  const login = entered.kind === 'answer' && entered.status === 200
    ? LoggedIn.safeParse(jsonOf(entered.body))
    : null;
  if (!login?.success) return null;
  const now = outside.now();
  const events: PaymentEvent[] = [];
  for (let page = 0; page < MAX_LISTS; page += 1) {
    const query = new URLSearchParams({
      limit: String(LISTED),
      page: String(page),
      sortBy: 'created_at',
      orderBy: 'desc',
      dateFrom: new Date(now.getTime() - LISTED_MS).toISOString(),
      dateTo: now.toISOString(),
    });
    const answer = await ask(outside.fetch, `${settings.api}/v1/payment/?${query.toString()}`, {
      headers: { 'x-api-key': settings.apiKey, authorization: `Bearer ${login.data.token}` },
    });
    const list = answer.kind === 'answer' && answer.status === 200
      ? Listed.safeParse(jsonOf(answer.body, LIST_CHARACTERS))
      : null;
    if (!list?.success) return null;
    for (const one of list.data.data) {
      const fields = one['order_id'] === orderId ? flatFields(one) : null;
      events.push(...(fields ? eventsOf(fields) ?? [] : []));
    }
    if (list.data.data.length < LISTED) break;
  }
  return events;
}
