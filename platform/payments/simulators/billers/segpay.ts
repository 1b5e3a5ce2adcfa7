import { decimalOf } from '#platform/text/money.ts';
import { POSTBACK_FIELDS, SEGPAY_DECLINES, type SegpaySettings } from '../../segpay/settings.ts';
import { moneyOf } from '../../wire/amounts.ts';
import { hmacHex } from '../../wire/digests.ts';
import { counter, formOf, toCheckout, type Choice } from '../checkout/counter.ts';
import { Till, type Checkout, type Numbering, type Payment, type SavedCard } from '../checkout/till.ts';
import type { WireCallback } from '../courier.ts';
import {
  LostAnswer,
  segmentAfter,
  text,
  USUAL_RETRY_MS,
  type Simulator,
  type SimulatorOutside,
} from '../simulator.ts';

/** Twelve digits, as Segpay's numbers of purchases and transactions. */
const numbering: Numbering = (sequence, startedAt) =>
  `${String(Math.floor(startedAt.getTime() / 1000)).slice(-6)}${String(sequence).padStart(6, '0')}`;
const SALT = 'prices-of-the-simulator';

/** Segpay: prices, payment page, one-click, postbacks, report. */
export function segpaySimulator(
  settings: SegpaySettings & { readonly browser: string },
  outside: SimulatorOutside,
): Simulator {
  const till = new Till({ ...outside, name: 'segpay', numbering, reverses: ['refund', 'chargeback'] });
  const pages = counter({
    till,
    company: 'Segpay (test)',
    pages: settings.browser,
    cardUses: null,
    choices: { paypal: paypal(till) },
    note: 'Test PayPal: press what the account does.',
  });
  return {
    name: 'segpay',
    till,
    retryMs: USUAL_RETRY_MS,
    again: (callback) => callback,
    handle: async (path, request) => await pages(path, request) ?? await rest(settings, till, path, request),
    speak: ({ payment }) => postback(settings, payment),
    // A forger does not know the key.
    forge: (callback) => ({ ...callback, query: callback.query.replace(/key=[^&]*/, 'key=guessed') }),
  };
}

const paypal = (till: Till): Record<string, Choice> => {
  const settle = (checkout: Checkout, decline: 'NDECLINED' | null): Payment =>
    till.sell({ ...checkout, checkoutId: checkout.id }, null, decline);
  return {
    pay: { label: 'Agree and pay', run: (checkout) => settle(checkout, null) },
    refuse: { label: 'Let the account refuse', run: (checkout) => settle(checkout, 'NDECLINED') },
  };
};

async function rest(
  settings: SegpaySettings & { readonly browser: string },
  till: Till,
  path: string,
  request: Request,
): Promise<Response> {
  const query = new URL(request.url).searchParams;
  if (path === '/billing/poset.cgi') return openPage(settings, till, query);
  if (path === '/ADM.asmx/CancelMembership') return cancel(settings, till, query);
  const { id, accessKey } = settings.user;
  const basic = `Basic ${Buffer.from(`${id}:${accessKey}`).toString('base64')}`;
  if (request.headers.get('authorization') !== basic) return text('unauthorised', 401);
  if (segmentAfter(path, '/PricingHash/PricingHash.svc/') === 'GetDynamicTrans') {
    return text(singleHash(query.get('value') ?? ''));
  }
  if (path === '/MerchantServices/DynamicRecurring') return text(renewingId(query));
  if (path === '/OneClick.asmx/SalesService') return oneClick(till, await formOf(request));
  if (path === '/reports/transactions') {
    const rows = till.ofOrder(query.get('ref1') ?? '').map((payment) => row(payment).toString());
    return text(rows.join('\n'));
  }
  return text('not found', 404);
}

const singleHash = (amount: string): string => hmacHex('sha256', SALT, amount);

/** Answers with the prices and a hash of them. */
function renewingId(query: URLSearchParams): string {
  const prices = [query.get('InitialAmount'), query.get('RecurringAmount'), query.get('RecurringLength')]
    .join('_');
  return Buffer.from(`${prices}_${hmacHex('sha256', SALT, prices)}`).toString('base64');
}

interface Priced {
  readonly amount: string;
  readonly again: { readonly amount: string; readonly days: number } | null;
}

/** The price of a link or a one-click; null when its hash is not ours. */
function priceOf(query: URLSearchParams): Priced | null {
  const id = query.get('DynamicPricingID');
  if (id === null) {
    const amount = query.get('amount') ?? '';
    return query.get('dynamictrans') === singleHash(amount) ? { amount, again: null } : null;
  }
  const [amount = '', recurring = '', days = '', hash] = Buffer.from(id, 'base64').toString('utf8').split(
    '_',
  );
  const isOurs = hash === hmacHex('sha256', SALT, [amount, recurring, days].join('_'));
  return isOurs ? { amount, again: { amount: recurring, days: Number(days) } } : null;
}

/** The currency of a ticket; the simulator's tickets end with it. */
const currencyOf = (query: URLSearchParams): string => (query.get('x-eticketid') ?? '').slice(-3);

function openPage(
  settings: { readonly browser: string },
  till: Till,
  query: URLSearchParams,
): Response {
  const price = priceOf(query);
  const amount = moneyOf(price?.amount, currencyOf(query));
  const again = price?.again && moneyOf(price.again.amount, currencyOf(query));
  const orderId = query.get('ref1');
  if (!price || !amount || !orderId) return text('This price is not valid.', 400);
  return toCheckout(
    settings.browser,
    till.open({
      orderId,
      amount,
      title: query.get('DynamicDesc') ?? '',
      payerRef: query.get('ref2') ?? '',
      renewal: again && price.again ? { amount: again, days: price.again.days } : null,
      returnUrl: query.get('x-auth-link') ?? '',
      method: query.get('paymenttypes') === 'PayPal' ? 'paypal' : 'card',
    }),
  );
}

/** Charges the card of an earlier purchase. */
function oneClick(till: Till, form: URLSearchParams): Response {
  const price = priceOf(form);
  const amount = moneyOf(price?.amount, currencyOf(form));
  const card = cardOfPurchase(till, form.get('octoken') ?? '');
  const orderId = form.get('ref1');
  if (!price || !amount || !card || !orderId) return text('invalid', 400);
  const again = price.again && moneyOf(price.again.amount, currencyOf(form));
  const payment = till.sell({
    orderId,
    amount,
    method: 'card',
    checkoutId: null,
    renewal: again && price.again ? { amount: again, days: price.again.days } : null,
  }, card);
  if (till.script.take('charge')) throw new LostAnswer();
  return text(row(payment).toString());
}

/** A purchase identifies its card; a test may also name a saved card directly. */
const cardOfPurchase = (till: Till, token: string): SavedCard | null =>
  till.payment(token)?.card ?? till.card(token) ?? null;

const TYPES: Readonly<Record<Payment['kind'], readonly [action: string, trantype: string]>> = {
  sale: ['Auth', 'Sale'],
  renewal: ['Auth', 'Sale'],
  refund: ['Auth', 'Credit'],
  chargeback: ['Auth', 'Charge'],
  cancellation: ['Cancel', ''],
};

/** The parameters that our postbacks are configured to send. */
function row(payment: Payment): URLSearchParams {
  const [action, trantype] = TYPES[payment.kind];
  const { card, subscription } = payment;
  const values: Partial<Record<(typeof POSTBACK_FIELDS)[number], string>> = {
    action,
    trantype,
    stage: payment.kind === 'renewal' ? 'rebill' : 'initial',
    approved: payment.state === 'approved' ? 'Yes' : 'No',
    purchaseid: subscription ?? payment.of ?? payment.reference,
    tranid: payment.reference,
    relatedtranid: payment.of ?? '',
    price: decimalOf(payment.amount),
    currencycode: payment.amount.currency,
    transtime: payment.at.toISOString(),
    authcode: SEGPAY_DECLINES.find(([, decline]) => decline === payment.decline)?.[0] ?? '',
    rint: subscription === null ? '' : '30',
    rval: subscription === null ? '' : decimalOf(payment.amount),
    paymenttype: payment.method === 'paypal' ? 'PayPal' : 'CreditCard',
    ref1: payment.orderId,
    ...(card && {
      cardtype: card.brand,
      ccbin: card.first6,
      cclast4: card.last4,
      ccexp: card.expiry.replace('/', ''),
    }),
  };
  return new URLSearchParams(POSTBACK_FIELDS.map((name): [string, string] => [name, values[name] ?? '']));
}

function postback(settings: SegpaySettings, payment: Payment): WireCallback {
  const query = row(payment);
  query.append('key', settings.postbackKey);
  return { method: 'GET', query: query.toString(), headers: {}, body: '' };
}

function cancel(settings: SegpaySettings, till: Till, query: URLSearchParams): Response {
  const { id, accessKey } = settings.user;
  const isUser = query.get('Userid') === id && query.get('UserAccessKey') === accessKey;
  const isDone = isUser && till.cancel(query.get('PurchaseID') ?? '');
  return new Response(`<string>${isDone ? 'Successful' : 'Failed'}</string>`, {
    headers: { 'content-type': 'text/xml' },
  });
}
