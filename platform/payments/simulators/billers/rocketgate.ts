import { decimalOf } from '#platform/text/money.ts';
import { hashedQuery, verified } from '../../rocketgate/hashed-link.ts';
import {
  GATEWAY_PATH,
  PAGE_PATH,
  REPORT_PATH,
  RESPONSES,
  ROCKETGATE_REASONS,
  VERSION,
  type RocketgateSettings,
} from '../../rocketgate/settings.ts';
import { moneyOf } from '../../wire/amounts.ts';
import type { Fields } from '../../wire/fields.ts';
import { xmlFields, xmlOf, xmlRoot } from '../../wire/xml.ts';
import { Bounded } from '../bounded.ts';
import { counter, formOf, toCheckout } from '../checkout/counter.ts';
import { Till, type Numbering, type Payment, type Sale, type SavedCard } from '../checkout/till.ts';
import type { WireCallback } from '../courier.ts';
import { LostAnswer, text, USUAL_RETRY_MS, type Simulator, type SimulatorOutside } from '../simulator.ts';

/** The most purchases that wait for their confirmation. */
const MAX_OPEN = 1000;
const BRANDS: Readonly<Record<string, string>> = {
  VISA: 'VISA',
  MASTERCARD: 'MC',
  AMEX: 'AMEX',
  DISCOVER: 'DISC',
};

/** A GUID begins with the gateway that made it. */
const numbering: Numbering = (sequence, startedAt) =>
  `10001${startedAt.getTime().toString(16)}${sequence.toString(16).padStart(6, '0')}`.toUpperCase();

interface SimulatorState {
  readonly settings: RocketgateSettings;
  readonly till: Till;
  /** Purchases by a number of their own, until they are confirmed. */
  readonly open: Bounded<{ readonly sale: Sale; readonly card: SavedCard }>;
  readonly customers: Bounded<string>;
}

/** RocketGate: gateway, hosted page, report, postbacks. */
export function rocketgateSimulator(settings: RocketgateSettings, outside: SimulatorOutside): Simulator {
  const till = new Till({ ...outside, name: 'rocketgate', numbering, reverses: ['refund', 'chargeback'] });
  const simulator: SimulatorState = {
    settings,
    till,
    open: new Bounded(MAX_OPEN),
    customers: new Bounded(MAX_OPEN * 20),
  };
  const pages = counter({ till, company: 'RocketGate (test)', pages: settings.pages, cardUses: null });
  return {
    name: 'rocketgate',
    till,
    retryMs: USUAL_RETRY_MS,
    again: (callback) => callback,
    handle: async (path, request) => await pages(path, request) ?? await rest(simulator, path, request),
    speak: ({ payment }) => postback(simulator, payment),
    forge: (callback) => ({ ...callback, body: callback.body.replace('guidNo=1', 'guidNo=2') }),
  };
}

async function rest(simulator: SimulatorState, path: string, request: Request): Promise<Response> {
  if (path === GATEWAY_PATH) return gateway(simulator, await request.text());
  if (path === PAGE_PATH) return hostedPage(simulator, new URL(request.url).search.slice(1));
  if (path === REPORT_PATH) return report(simulator, await formOf(request));
  return text('not found', 404);
}

const respond = (fields: Readonly<Record<string, string>>): Response =>
  new Response(xmlOf('gatewayResponse', { version: VERSION, ...fields }), {
    headers: { 'content-type': 'text/xml' },
  });

function gateway(simulator: SimulatorState, body: string): Response {
  const root = xmlRoot(body);
  const fields = root?.name === 'gatewayRequest' ? xmlFields(root) : null;
  const { settings } = simulator;
  if (
    fields?.get('merchantID') !== settings.merchant
    || fields.get('merchantPassword') !== settings.password
  ) {
    return respond({ responseCode: RESPONSES.missing, reasonCode: '411' });
  }
  switch (fields.get('transactionType') ?? '') {
    case 'CC_PURCHASE':
      return purchase(simulator, fields);
    case 'CC_CONFIRM':
      return confirm(simulator, fields.get('referenceGUID') ?? '');
    case 'REBILL_CANCEL':
      return stop(simulator, fields);
    default:
      return respond({ responseCode: RESPONSES.missing, reasonCode: '401' });
  }
}

/** The first phase: an approval that becomes final when it is confirmed. */
function purchase(simulator: SimulatorState, fields: Fields): Response {
  const { till } = simulator;
  const card = till.card(fields.get('cardHash') ?? '');
  const amount = moneyOf(fields.get('amount'), fields.get('currency'));
  const orderId = fields.get('merchantInvoiceID');
  if (!card || !amount || !orderId) return respond({ responseCode: RESPONSES.missing, reasonCode: '405' });
  const again = moneyOf(fields.get('rebillAmount'), fields.get('currency'));
  simulator.customers.set(orderId, fields.get('merchantCustomerID') ?? '');
  const sale: Sale = {
    orderId,
    amount,
    method: 'card',
    checkoutId: null,
    renewal: again && { amount: again, days: Number(fields.get('rebillFrequency')) },
  };
  if (card.decline !== null) return respond(transaction(simulator, till.sell(sale, card)));
  const guid = till.reserve();
  simulator.open.set(guid, { sale, card });
  return respond({
    ...cardFields(card),
    responseCode: RESPONSES.success,
    reasonCode: '0',
    guidNo: guid,
    authNo: '100000',
    approvedAmount: decimalOf(amount),
    approvedCurrency: amount.currency,
    transactionTime: String(Math.floor(till.now().getTime() / 1000)),
  });
}

function confirm({ till, open }: SimulatorState, guid: string): Response {
  const waiting = open.get(guid);
  if (!waiting) return respond({ responseCode: RESPONSES.systemError, reasonCode: '100' });
  if (!till.payment(guid)) till.sell(waiting.sale, waiting.card, null, guid);
  if (till.script.take('charge')) throw new LostAnswer();
  return respond({ responseCode: RESPONSES.success, reasonCode: '0', guidNo: guid });
}

function stop({ till, customers }: SimulatorState, fields: Fields): Response {
  const orderId = fields.get('merchantInvoiceID') ?? '';
  const isTheirs = customers.get(orderId) === fields.get('merchantCustomerID');
  const sale = till.ofOrder(orderId).find(({ kind, subscription }) =>
    kind === 'sale' && subscription !== null
  );
  const isDone = isTheirs && till.cancel(sale?.reference ?? '');
  return respond(
    isDone
      ? { responseCode: RESPONSES.success, reasonCode: '0' }
      : { responseCode: RESPONSES.missing, reasonCode: '100' },
  );
}

function hostedPage({ settings, till, customers }: SimulatorState, query: string): Response {
  const fields = verified(query, settings.hashSecret);
  if (typeof fields === 'string') return text('This link is not valid.', 400);
  const value = (name: string): string => fields.get(name) ?? '';
  const amount = moneyOf(value('amount'), value('currency'));
  if (!amount || value('merch') !== settings.merchant) return text('This link is not valid.', 400);
  const again = moneyOf(value('rebill-amount'), value('currency'));
  customers.set(value('invoice'), value('id'));
  return toCheckout(
    settings.pages,
    till.open({
      orderId: value('invoice'),
      amount,
      title: value('prodid'),
      payerRef: value('id'),
      returnUrl: value('success'),
      method: 'card',
      renewal: again && { amount: again, days: Number(value('rebill-freq')) },
    }),
  );
}

const cardFields = (card: SavedCard): Record<string, string> => ({
  cardHash: card.token,
  cardType: BRANDS[card.brand] ?? card.brand,
  cardBin: card.first6,
  cardLastFour: card.last4,
  cardExpiration: card.expiry.replace('/', ''),
});

const TYPES: Readonly<Record<Payment['kind'], string>> = {
  sale: 'CC_PURCHASE',
  renewal: 'CC_REBILL',
  refund: 'CC_CREDIT',
  chargeback: 'CC_CHARGEBACK',
  cancellation: 'REBILL_CANCEL',
};

/** A transaction as the gateway, the report and a postback show it. */
function transaction({ till, customers }: SimulatorState, payment: Payment): Record<string, string> {
  const isGood = payment.state === 'approved';
  const reason = ROCKETGATE_REASONS.find(([, decline]) => decline === payment.decline)?.[0] ?? '104';
  const isScrub = reason.startsWith('2');
  const sale = payment.subscription === null ? undefined : till.payment(payment.subscription);
  return {
    transactionType: TYPES[payment.kind],
    merchantInvoiceID: payment.orderId,
    merchantCustomerID: customers.get(payment.orderId) ?? '',
    guidNo: payment.reference,
    responseCode: isGood ? RESPONSES.success : isScrub ? RESPONSES.scrubDecline : RESPONSES.bankDecline,
    reasonCode: isGood ? '0' : reason,
    transactionTime: String(Math.floor(payment.at.getTime() / 1000)),
    ...(isGood && { approvedAmount: decimalOf(payment.amount), approvedCurrency: payment.amount.currency }),
    ...(payment.of && { referenceGUID: payment.of }),
    ...(payment.card && cardFields(payment.card)),
    ...(sale && { rebillAmount: decimalOf(sale.amount) }),
  };
}

function postback(simulator: SimulatorState, payment: Payment): WireCallback {
  const pairs = Object.entries(transaction(simulator, payment));
  return {
    method: 'POST',
    query: '',
    body: hashedQuery(pairs, simulator.settings.hashSecret),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  };
}

function report(simulator: SimulatorState, form: URLSearchParams): Response {
  const { settings, till } = simulator;
  if (form.get('merch_id') !== settings.merchant || form.get('gatewayPassword') !== settings.password) {
    return text('<error>not authorised</error>', 401);
  }
  const rows = till.ofOrder(form.get('invoice_id') ?? '')
    .map((payment) => xmlOf('transaction', transaction(simulator, payment)).replace(/^<\?xml[^>]*\?>/, ''));
  return new Response(`<?xml version="1.0" encoding="UTF-8"?><transactions>${rows.join('')}</transactions>`, {
    headers: { 'content-type': 'text/xml' },
  });
}
