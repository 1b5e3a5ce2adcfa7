import { decimalOf } from '../../../text/money.ts';
import { hashedQuery, verified } from '../../rocketgate/hashed-link.ts';
import {
  GATEWAY_PATH, PAGE_PATH, REPORT_PATH, RESPONSES, ROCKETGATE_REASONS, VERSION, type RocketgateSettings,
} from '../../rocketgate/settings.ts';
import { moneyOf } from '../../wire/amounts.ts';
import type { Fields } from '../../wire/fields.ts';
import { xmlFields, xmlOf, xmlRoot } from '../../wire/xml.ts';
import { Bounded } from '../bounded.ts';
import { counter, formOf, toCheckout } from '../checkout/counter.ts';
import type { WireCallback } from '../courier.ts';
import {
  LostAnswer, USUAL_RETRY_MS, text, type Simulator, type SimulatorOutside,
} from '../simulator.ts';
import { Till, type KeptCard, type Numbering, type Payment, type Sale } from '../checkout/till.ts';

/** Purchases that wait for their confirmation. */
const MAX_OPEN = 1000;
const BRANDS: Readonly<Record<string, string>> = {
  VISA: 'VISA', MASTERCARD: 'MC', AMEX: 'AMEX', DISCOVER: 'DISC',
};

/** A GUID begins with the gateway that made it. */
const numbering: Numbering = (sequence, startedAt) =>
  `10001${startedAt.getTime().toString(16)}${sequence.toString(16).padStart(6, '0')}`.toUpperCase();

interface Desk {
  readonly settings: RocketgateSettings;
  readonly till: Till;
  /** By a number of its own, until it is confirmed. */
  readonly open: Bounded<{ readonly sale: Sale; readonly card: KeptCard }>;
  readonly customers: Bounded<string>;
}

/** RocketGate: gateway, hosted page, report, postbacks. */
export function rocketgateSimulator(settings: RocketgateSettings, outside: SimulatorOutside): Simulator {
  const till = new Till({ ...outside, name: 'rocketgate', numbering, reverses: ['refund', 'chargeback'] });
  const desk: Desk = { settings, till, open: new Bounded(MAX_OPEN), customers: new Bounded(MAX_OPEN * 20) };
  const pages = counter({ till, company: 'RocketGate (test)', pages: settings.pages, cardUses: null });
  return {
    name: 'rocketgate', till, retryMs: USUAL_RETRY_MS, again: (callback) => callback,
    handle: async (path, request) => await pages(path, request) ?? await rest(desk, path, request),
    speak: ({ payment }) => postback(desk, payment),
    forge: (callback) => ({ ...callback, body: callback.body.replace('guidNo=1', 'guidNo=2') }),
  };
}

async function rest(desk: Desk, path: string, request: Request): Promise<Response> {
  if (path === GATEWAY_PATH) return gateway(desk, await request.text());
  if (path === PAGE_PATH) return hostedPage(desk, new URL(request.url).search.slice(1));
  if (path === REPORT_PATH) return report(desk, await formOf(request));
  return text('not found', 404);
}

const respond = (fields: Readonly<Record<string, string>>): Response =>
  new Response(xmlOf('gatewayResponse', { version: VERSION, ...fields }),
    { headers: { 'content-type': 'text/xml' } });

function gateway(desk: Desk, body: string): Response {
  const root = xmlRoot(body);
  const fields = root?.name === 'gatewayRequest' ? xmlFields(root) : null;
  const { settings } = desk;
  if (fields?.get('merchantID') !== settings.merchant
    || fields.get('merchantPassword') !== settings.password) {
    return respond({ responseCode: RESPONSES.missing, reasonCode: '411' });
  }
  switch (fields.get('transactionType') ?? '') {
    case 'CC_PURCHASE': return purchase(desk, fields);
    case 'CC_CONFIRM': return confirm(desk, fields.get('referenceGUID') ?? '');
    case 'REBILL_CANCEL': return stop(desk, fields);
    default: return respond({ responseCode: RESPONSES.missing, reasonCode: '401' });
  }
}

/** The first phase: an approval that stands only once it is confirmed. */
function purchase(desk: Desk, fields: Fields): Response {
  const { till } = desk;
  const card = till.card(fields.get('cardHash') ?? '');
  const amount = moneyOf(fields.get('amount'), fields.get('currency'));
  const orderId = fields.get('merchantInvoiceID');
  if (!card || !amount || !orderId) return respond({ responseCode: RESPONSES.missing, reasonCode: '405' });
  const again = moneyOf(fields.get('rebillAmount'), fields.get('currency'));
  desk.customers.set(orderId, fields.get('merchantCustomerID') ?? '');
  const sale: Sale = {
    orderId, amount, method: 'card', checkoutId: null,
    renewal: again && { amount: again, days: Number(fields.get('rebillFrequency')) },
  };
  if (card.decline !== null) return respond(transaction(desk, till.sell(sale, card)));
  const guid = till.reserve();
  desk.open.set(guid, { sale, card });
  return respond({
    ...cardFields(card), responseCode: RESPONSES.success, reasonCode: '0', guidNo: guid, authNo: '100000',
    approvedAmount: decimalOf(amount), approvedCurrency: amount.currency,
    transactionTime: String(Math.floor(till.now().getTime() / 1000)),
  });
}

function confirm({ till, open }: Desk, guid: string): Response {
  const waiting = open.get(guid);
  if (!waiting) return respond({ responseCode: RESPONSES.systemError, reasonCode: '100' });
  if (!till.payment(guid)) till.sell(waiting.sale, waiting.card, null, guid);
  if (till.script.take('charge')) throw new LostAnswer();
  return respond({ responseCode: RESPONSES.success, reasonCode: '0', guidNo: guid });
}

function stop({ till, customers }: Desk, fields: Fields): Response {
  const orderId = fields.get('merchantInvoiceID') ?? '';
  const isTheirs = customers.get(orderId) === fields.get('merchantCustomerID');
  const sale =
    till.ofOrder(orderId).find(({ kind, subscription }) => kind === 'sale' && subscription !== null);
  const isDone = isTheirs && till.cancel(sale?.reference ?? '');
  return respond(isDone ? { responseCode: RESPONSES.success, reasonCode: '0' }
    : { responseCode: RESPONSES.missing, reasonCode: '100' });
}

function hostedPage({ settings, till, customers }: Desk, query: string): Response {
  const fields = verified(query, settings.hashSecret);
  if (typeof fields === 'string') return text('This link is not valid.', 400);
  const value = (name: string): string => fields.get(name) ?? '';
  const amount = moneyOf(value('amount'), value('currency'));
  if (!amount || value('merch') !== settings.merchant) return text('This link is not valid.', 400);
  const again = moneyOf(value('rebill-amount'), value('currency'));
  customers.set(value('invoice'), value('id'));
  return toCheckout(settings.pages, till.open({
    orderId: value('invoice'), amount, title: value('prodid'), payerRef: value('id'),
    returnUrl: value('success'),
    method: 'card', renewal: again && { amount: again, days: Number(value('rebill-freq')) },
  }));
}

const cardFields = (card: KeptCard): Record<string, string> => ({
  cardHash: card.token, cardType: BRANDS[card.brand] ?? card.brand, cardBin: card.first6,
  cardLastFour: card.last4,
  cardExpiration: card.expiry.replace('/', ''),
});

const TYPES: Readonly<Record<Payment['kind'], string>> = {
  sale: 'CC_PURCHASE', renewal: 'CC_REBILL', refund: 'CC_CREDIT', chargeback: 'CC_CHARGEBACK',
  cancellation: 'REBILL_CANCEL',
};

/** A transaction as the gateway, the report and a postback show it. */
function transaction({ till, customers }: Desk, payment: Payment): Record<string, string> {
  const isGood = payment.state === 'approved';
  const reason = ROCKETGATE_REASONS.find(([, decline]) => decline === payment.decline)?.[0] ?? '104';
  const isScrub = reason.startsWith('2');
  const sale = payment.subscription === null ? undefined : till.payment(payment.subscription);
  return {
    transactionType: TYPES[payment.kind], merchantInvoiceID: payment.orderId,
    merchantCustomerID: customers.get(payment.orderId) ?? '', guidNo: payment.reference,
    responseCode: isGood ? RESPONSES.success : isScrub ? RESPONSES.scrubDecline : RESPONSES.bankDecline,
    reasonCode: isGood ? '0' : reason, transactionTime: String(Math.floor(payment.at.getTime() / 1000)),
    ...(isGood && { approvedAmount: decimalOf(payment.amount), approvedCurrency: payment.amount.currency }),
    ...(payment.of && { referenceGUID: payment.of }), ...(payment.card && cardFields(payment.card)),
    ...(sale && { rebillAmount: decimalOf(sale.amount) }),
  };
}

function postback(desk: Desk, payment: Payment): WireCallback {
  const pairs = Object.entries(transaction(desk, payment));
  return {
    method: 'POST', query: '', body: hashedQuery(pairs, desk.settings.hashSecret),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  };
}

function report(desk: Desk, form: URLSearchParams): Response {
  const { settings, till } = desk;
  if (form.get('merch_id') !== settings.merchant || form.get('gatewayPassword') !== settings.password) {
    return text('<error>not authorised</error>', 401);
  }
  const rows = till.ofOrder(form.get('invoice_id') ?? '')
    .map((payment) => xmlOf('transaction', transaction(desk, payment)).replace(/^<\?xml[^>]*\?>/, ''));
  return new Response(`<?xml version="1.0" encoding="UTF-8"?><transactions>${rows.join('')}</transactions>`, {
    headers: { 'content-type': 'text/xml' },
  });
}
