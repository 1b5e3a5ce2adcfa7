import { decimalOf } from '#platform/text/money.ts';
import type { NowpaymentsSettings } from '../../nowpayments/biller.ts';
import { moneyOf } from '../../wire/amounts.ts';
import { hmacHex } from '../../wire/digests.ts';
import { jsonOf } from '../../wire/fields.ts';
import { counter } from '../checkout/counter.ts';
import { Till, type Numbering, type Payment } from '../checkout/till.ts';
import type { WireCallback } from '../courier.ts';
import {
  json,
  segmentAfter,
  text,
  USUAL_RETRY_MS,
  type Simulator,
  type SimulatorOutside,
} from '../simulator.ts';
import { isPart, transfers } from './crypto.ts';

/** Ten digits, which a float can hold: payment numbers are JSON numbers there. */
const numbering: Numbering = (sequence, startedAt) =>
  String(5_000_000_000 + (Math.floor(startedAt.getTime() / 1000) % 1_000_000) * 1000 + sequence);
/** Test coins per unit of any currency; a fraction that no float holds exactly. */
const RATE = 0.001_673;
const TOKEN = 'list-token-of-the-simulator';

/** NOWPayments: invoices, payments, notifications. */
export function nowpaymentsSimulator(
  settings: NowpaymentsSettings & { readonly pages: string },
  outside: SimulatorOutside,
): Simulator {
  const till = new Till({ ...outside, name: 'nowpayments', numbering, reverses: ['refund'] });
  const pages = counter({
    till,
    company: 'NOWPayments (test)',
    pages: settings.pages,
    cardUses: null,
    choices: { crypto: transfers(till, outside.clock) },
    note: 'Test coins: press what happens on the chain.',
  });
  return {
    name: 'nowpayments',
    till,
    retryMs: USUAL_RETRY_MS,
    again: (callback) => callback,
    handle: async (path, request) => await pages(path, request) ?? await rest(settings, till, path, request),
    speak: ({ payment }) => notification(settings, till, payment),
    forge: (callback) => ({
      ...callback,
      body: callback.body.replace(/"payment_id":\d+/, '"payment_id":4999999999'),
    }),
  };
}

async function rest(
  settings: NowpaymentsSettings & { readonly pages: string },
  till: Till,
  path: string,
  request: Request,
): Promise<Response> {
  if (path === '/v1/auth') {
    const sent = jsonOf(await request.text()) as Record<string, unknown> | undefined;
    const isOurs = sent?.['email'] === settings.report.email && sent['password'] === settings.report.password;
    return isOurs ? json({ token: TOKEN }) : json({ message: 'Invalid credentials' }, 403);
  }
  if (request.headers.get('x-api-key') !== settings.apiKey) return json({ message: 'Invalid api key' }, 403);
  if (path === '/v1/invoice') return invoice(settings, till, request);
  if (path === '/v1/payment/') return list(till, request);
  const number = segmentAfter(path, '/v1/payment/');
  if (number === null) return text('not found', 404);
  const payment = till.payment(number);
  return payment ? json(view(till, payment)) : json({ message: 'Payment not found' }, 404);
}

async function invoice(
  settings: { readonly pages: string },
  till: Till,
  request: Request,
): Promise<Response> {
  const sent = jsonOf(await request.text()) as Record<string, unknown> | undefined;
  const amount = moneyOf(String(sent?.['price_amount']), String(sent?.['price_currency']));
  if (!sent || !amount || typeof sent['order_id'] !== 'string') return json({ message: 'Bad request' }, 400);
  const checkout = till.open({
    orderId: sent['order_id'],
    amount,
    renewal: null,
    title: String(sent['order_description']),
    payerRef: '',
    returnUrl: String(sent['success_url']),
    method: 'crypto',
  });
  return json({ id: checkout.id, invoice_url: `${settings.pages}/checkout/${checkout.id}` });
}

function list(till: Till, request: Request): Response {
  const isLoggedIn = request.headers.get('authorization') === `Bearer ${TOKEN}`;
  if (!isLoggedIn) return json({ message: 'Unauthorized' }, 401);
  const query = new URL(request.url).searchParams;
  const [limit, page] = [Number(query.get('limit')), Number(query.get('page'))];
  const from = new Date(query.get('dateFrom') ?? '');
  if (Number.isNaN(from.getTime())) return json({ message: 'Bad request' }, 400);
  const newest = till.since(from).filter(({ kind }) => kind === 'sale').reverse();
  const data = newest.slice(page * limit, (page + 1) * limit).map((payment) => view(till, payment));
  return json({ data, limit, page, pagesCount: Math.ceil(newest.length / limit), total: newest.length });
}

/** A payment as a notification and the API show it. */
function view(till: Till, payment: Payment): Record<string, unknown> {
  const isReversal = payment.kind === 'refund' || payment.kind === 'chargeback';
  const sale = isReversal ? till.payment(payment.of ?? '') ?? payment : payment;
  const asked = till.checkout(sale.checkoutId ?? '')?.amount ?? sale.amount;
  // A page that took half reports it beside the price; a page that took another price reports that price.
  const isHalf = isPart(sale, asked);
  const price = isHalf ? asked : sale.amount;
  const status = isReversal ? 'refunded' : statusOf(payment, isHalf);
  return {
    payment_id: Number(sale.reference),
    payment_status: status,
    pay_address: 'test-address',
    price_amount: Number(decimalOf(price)),
    price_currency: price.currency.toLowerCase(),
    pay_amount: coins(price.minor),
    actually_paid: payment.state === 'pending' ? 0 : coins(sale.amount.minor),
    pay_currency: 'btc',
    order_id: payment.orderId,
    order_description: 'test',
    purchase_id: sale.reference,
    outcome_amount: coins(sale.amount.minor),
    outcome_currency: 'btc',
    fee: { currency: 'btc', serviceFee: 0, depositFee: 0 },
    updated_at: payment.at.getTime(),
  };
}

/** Formats eight decimals, as coins have. */
const coins = (minor: number): number => Number((minor * RATE).toFixed(8));

function statusOf(payment: Payment, isHalf: boolean): string {
  if (payment.state === 'pending') return 'confirming';
  if (payment.state === 'declined') return 'failed';
  if (payment.state === 'expired') return 'expired';
  return isHalf ? 'partially_paid' : 'finished';
}

type Json = string | number | boolean | null | { readonly [key: string]: Json };

const sorted = (value: Json): Json => (typeof value !== 'object' || value === null
  ? value
  : Object.fromEntries(
    Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  ));

function notification(settings: NowpaymentsSettings, till: Till, payment: Payment): WireCallback {
  const body = view(till, payment) as Record<string, Json>;
  return {
    method: 'POST',
    query: '',
    body: JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      'x-nowpayments-sig': hmacHex('sha512', settings.ipnSecret, JSON.stringify(sorted(body))),
    },
  };
}
