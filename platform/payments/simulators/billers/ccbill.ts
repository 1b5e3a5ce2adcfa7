import { randomId } from '#platform/data/ids.ts';
import { decimalOf } from '#platform/text/money.ts';
import { CCBILL_DECLINES } from '../../ccbill/declines.ts';
import { formDigest, type FormPrice } from '../../ccbill/flex-form.ts';
import { REPORT_COLUMNS } from '../../ccbill/report.ts';
import { subaccountText, type CcbillSettings } from '../../ccbill/settings.ts';
import { timeOf, timeText } from '../../ccbill/times.ts';
import { currencyOf, moneyOf, numberOf } from '../../wire/amounts.ts';
import { jsonOf } from '../../wire/fields.ts';
import { Bounded } from '../bounded.ts';
import { counter, formOf, isInFuture, toCheckout } from '../checkout/counter.ts';
import { Till, type Numbering, type Payment, type SavedCard, type SimulatorEvent } from '../checkout/till.ts';
import type { WireCallback } from '../courier.ts';
import {
  json,
  LostAnswer,
  segmentAfter,
  text,
  USUAL_RETRY_MS,
  type Simulator,
  type SimulatorOutside,
} from '../simulator.ts';

const MAX_BEARERS = 10_000;
const BEARER_SECONDS = 3600;

/** Nineteen digits that begin with a zero, as CCBill's do: nobody mistakes them for a card number. */
const numbering: Numbering = (sequence, startedAt) =>
  `0${String(startedAt.getTime()).padStart(13, '0').slice(0, 12)}${String(sequence).padStart(6, '0')}`;

/** Names of the webhooks, by event and by whether it happened on a form. */
const WEBHOOKS: Readonly<
  Record<
    SimulatorEvent['type'],
    readonly [
      onForm: string,
      byToken: string,
    ] | null
  >
> = {
  paid: ['NewSaleSuccess', 'UpSaleSuccess'],
  declined: ['NewSaleFailure', 'UpSaleFailure'],
  renewed: ['RenewalSuccess', 'RenewalSuccess'],
  renewal_failed: ['RenewalFailure', 'RenewalFailure'],
  refunded: ['Refund', 'Refund'],
  charged_back: ['Chargeback', 'Chargeback'],
  cancelled: ['Cancellation', 'Cancellation'],
  pending: null,
  expired: null,
};
const HAPPENED: Readonly<Record<Payment['kind'], readonly SimulatorEvent['type'][]>> = {
  sale: ['paid', 'declined'],
  renewal: ['renewed', 'renewal_failed'],
  refund: ['refunded', 'refunded'],
  chargeback: ['charged_back', 'charged_back'],
  cancellation: ['cancelled', 'cancelled'],
};

/** CCBill: `/ccbill-auth`, `/payment-tokens`, `/transactions`, FlexForms, DataLink and webhooks. */
export function ccbillSimulator(settings: CcbillSettings, outside: SimulatorOutside): Simulator {
  const till = new Till({ ...outside, name: 'ccbill', numbering, reverses: ['refund', 'chargeback'] });
  const bearers = new Bounded<{ readonly isWidget: boolean; readonly untilMs: number }>(MAX_BEARERS);
  const pages = counter({ till, company: 'CCBill (test)', pages: settings.pages, cardUses: 1 });
  const simulator: SimulatorState = { settings, till, bearers };
  return {
    name: 'ccbill',
    till,
    retryMs: USUAL_RETRY_MS,
    again: (callback) => callback,
    handle: async (path, request) => await pages(path, request) ?? await rest(simulator, path, request),
    speak: (event) => webhook(settings, event),
    // Nothing is signed, so that a forgery is a perfect copy about a sale that never was.
    forge: (callback) => {
      const fields = new URLSearchParams(callback.body);
      const number = numbering(999_999, till.now());
      for (const name of ['subscriptionId', 'transactionId']) if (fields.has(name)) fields.set(name, number);
      return { ...callback, body: fields.toString() };
    },
  };
}

interface SimulatorState {
  readonly settings: CcbillSettings;
  readonly till: Till;
  readonly bearers: Bounded<{ readonly isWidget: boolean; readonly untilMs: number }>;
}

/** Errors of the REST API. */
const ERRORS = {
  401: ['Unauthorized', 401],
  100_101: ['Invalid token', 404],
  100_103: ['Transaction error', 400],
} as const;

function refuse(errorCode: keyof typeof ERRORS): Response {
  const [generalMessage, status] = ERRORS[errorCode];
  return json({ errorCode, generalMessage }, status);
}

async function rest(simulator: SimulatorState, path: string, request: Request): Promise<Response> {
  if (path === '/ccbill-auth/oauth/token') return oauth(simulator, request);
  if (path === '/payment-tokens') return makeToken(simulator, request);
  const charged = segmentAfter(path, '/transactions/payment-tokens/');
  if (charged !== null) return charge(simulator, charged, request);
  const read = segmentAfter(path, '/payment-tokens/');
  if (read !== null) return readToken(simulator, read, request);
  const form = segmentAfter(path, '/wap-frontflex/flexforms/');
  if (form !== null) return openForm(simulator, form, new URL(request.url).searchParams);
  if (path === '/data/main.cgi') return report(simulator, new URL(request.url).searchParams);
  if (path === '/utils/subscriptionManagement.cgi') return manage(simulator, await formOf(request));
  return text('not found', 404);
}

async function oauth({ settings, bearers, till }: SimulatorState, request: Request): Promise<Response> {
  const basic = ({ id, secret }: { id: string; secret: string }): string =>
    `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  const given = request.headers.get('authorization');
  const isWidget = given === basic(settings.widget);
  if (!isWidget && given !== basic(settings.application)) return json({ error: 'invalid_client' }, 401);
  const token = randomId();
  bearers.set(token, { isWidget, untilMs: till.now().getTime() + BEARER_SECONDS * 1000 });
  return json({ access_token: token, token_type: 'bearer', expires_in: BEARER_SECONDS });
}

/** Whether a request has a valid bearer token; the widget's is valid only for making payment tokens. */
function isBearing(simulator: SimulatorState, request: Request, may: 'charge' | 'tokens'): boolean {
  const token = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
  const bearer = simulator.bearers.get(token);
  return !!bearer && bearer.untilMs > simulator.till.now().getTime() && (
    may === 'tokens' || !bearer.isWidget
  );
}

/** The token service. Browsers of any shop call it, so it needs CORS. */
async function makeToken(simulator: SimulatorState, request: Request): Promise<Response> {
  const origin = request.headers.get('origin');
  const answer = request.method === 'OPTIONS'
    ? new Response(null, { status: 204 })
    : await tokenOf(simulator, request);
  if (origin) {
    answer.headers.set('access-control-allow-origin', origin);
    answer.headers.set('vary', 'origin');
    answer.headers.set('access-control-allow-headers', 'authorization, content-type, accept');
    answer.headers.set('access-control-allow-methods', 'POST');
  }
  return answer;
}

async function tokenOf(simulator: SimulatorState, request: Request): Promise<Response> {
  if (!isBearing(simulator, request, 'tokens')) return refuse(401);
  const sent = jsonOf(await request.text());
  const fields = new Map(
    Object.entries(typeof sent === 'object' && sent !== null ? sent : {}).map(
      ([name, value]) => [name, String(value)],
    ),
  );
  const expiry = `${(fields.get('expMonth') ?? '').padStart(2, '0')}/${
    (fields.get('expYear') ?? '').slice(-2)
  }`;
  const number = (fields.get('cardNumber') ?? '').replaceAll(/[ -]/g, '');
  const problems: { target: string; propertyName: string; message: string }[] = [];
  const wrong = (propertyName: string, message: string): void =>
    void problems.push({ target: 'paymentInfo', propertyName, message });
  if (!(fields.get('nameOnCard') ?? '').trim()) wrong('nameOnCard', 'Name on card is required.');
  if (!isInFuture(expiry, simulator.till.now())) wrong('expYear', 'Expiration date must be in the future.');
  if (!/^\d{3,4}$/.test(fields.get('cvv2') ?? '')) wrong('cvv2', 'Security code has 3 or 4 digits.');
  const uses = Number(fields.get('numberOfUse') ?? '1');
  const payer = fields.get('customerRef') ?? '';
  const card = problems.length > 0 ? null : simulator.till.keep(number, expiry, payer, uses);
  if (!card && problems.length === 0) wrong('cardNumber', 'Card number is invalid.');
  return card ? json(tokenView(card), 201) : json({ errors: problems }, 400);
}

const tokenView = (card: SavedCard): object => ({
  paymentTokenId: card.token,
  customerRef: card.payerRef,
  cardType: card.brand,
  bin: card.first6,
  last4: card.last4,
  expDate: card.expiry.replace('/', ''),
  validNumberOfUse: card.usesLeft,
});

async function readToken(simulator: SimulatorState, token: string, request: Request): Promise<Response> {
  if (!isBearing(simulator, request, 'charge')) return refuse(401);
  const card = simulator.till.card(token);
  return card ? json(tokenView(card)) : refuse(100_101);
}

async function charge(simulator: SimulatorState, token: string, request: Request): Promise<Response> {
  const { till, settings } = simulator;
  if (!isBearing(simulator, request, 'charge')) return refuse(401);
  const card = till.card(token);
  if (!card || card.usesLeft === 0) return refuse(100_101);
  const body = jsonOf(await request.text()) as Record<string, unknown> | undefined;
  const money = (price: unknown): ReturnType<typeof moneyOf> =>
    moneyOf(String(price), currencyOf(String(body?.['currencyCode'])));
  const amount = money(body?.['initialPrice']);
  const passed = body?.['passThroughInfo'] as { name: string; value: string }[] | undefined;
  const orderId = passed?.find(({ name }) => name === 'X-orderId')?.value;
  const isOurs = body?.['clientAccnum'] === settings.account && body['clientSubacc'] === settings.subaccount;
  if (!amount || !orderId || !isOurs) return refuse(100_103);
  const again = body['recurringPrice'] === undefined ? null : money(body['recurringPrice']);
  const next = card.decline === null ? till.renewToken(card) : card;
  const payment = till.sell({
    orderId,
    amount,
    renewal: again && { amount: again, days: Number(body['recurringPeriod']) },
    method: 'card',
    checkoutId: null,
  }, next);
  if (card.decline === null) till.useUp(card);
  if (till.script.take('charge')) throw new LostAnswer();
  return json(chargeView(payment, next));
}

const chargeView = (payment: Payment, next: SavedCard): object => {
  const [code, , declineText] = CCBILL_DECLINES.find(([, decline]) => decline === payment.decline)
    ?? [null, null, null];
  const approved = payment.state === 'approved';
  return {
    approved,
    declineCode: code,
    declineText,
    denialId: approved ? null : payment.reference,
    paymentUniqueId: randomId(),
    sessionId: randomId(),
    subscriptionId: approved ? payment.reference : null,
    newPaymentTokenId: approved ? next.token : null,
  };
};

/** Opens the page of a form if the digest of its price is right. */
function openForm({ settings, till }: SimulatorState, form: string, query: URLSearchParams): Response {
  const value = (name: string): string => query.get(name) ?? '';
  const recurring = query.has('recurringPrice')
    ? {
      price: value('recurringPrice'),
      period: value('recurringPeriod'),
      rebills: value('numRebills'),
    }
    : null;
  const price: FormPrice = {
    initialPrice: value('initialPrice'),
    initialPeriod: value('initialPeriod'),
    currencyCode: value('currencyCode'),
    recurring,
  };
  const currency = currencyOf(price.currencyCode);
  const amount = moneyOf(price.initialPrice, currency);
  const again = recurring && moneyOf(recurring.price, currency);
  const isDigest = value('formDigest') === formDigest(price, settings.form.salt);
  if (form !== settings.form.id || !amount || !isDigest) return text('The price is not valid.', 400);
  return toCheckout(
    settings.pages,
    till.open({
      orderId: value('X-orderId'),
      amount,
      title: value('X-title'),
      payerRef: value('X-payer'),
      returnUrl: value('X-returnUrl'),
      method: 'card',
      renewal: again && { amount: again, days: Number(recurring.period) },
    }),
  );
}

/** Fields of one movement, with the same names in webhooks and report. */
function movement(settings: CcbillSettings, payment: Payment): Record<string, string> {
  const { card } = payment;
  const first = payment.subscription ?? payment.of ?? payment.reference;
  const sale = payment.kind === 'sale' ? payment.reference : first;
  const reverses = payment.of ?? payment.reference;
  return {
    clientAccnum: String(settings.account),
    clientSubacc: subaccountText(settings.subaccount),
    subscriptionId: payment.kind === 'cancellation' ? payment.subscription ?? sale : sale,
    transactionId: reverses,
    timestamp: timeText(payment.at),
    'X-orderId': payment.orderId,
    cardType: card?.brand ?? '',
    bin: card?.first6 ?? '',
    last4: card?.last4 ?? '',
    expDate: card?.expiry.replace('/', '') ?? '',
    paymentTokenId: card?.token ?? '',
    failureCode: CCBILL_DECLINES.find(([, decline]) => decline === payment.decline)?.[0] ?? '',
    rebills: payment.subscription ? '99' : '0',
  };
}

function webhook(settings: CcbillSettings, { type, payment }: SimulatorEvent): WireCallback | null {
  const name = WEBHOOKS[type]?.[payment.onPage ? 0 : 1];
  if (!name) return null;
  const price = decimalOf(payment.amount);
  const code = numberOf(payment.amount.currency) ?? '';
  const isSale = type === 'paid' || type === 'declined';
  const amounts = isSale
    ? { billedInitialPrice: price, billedCurrencyCode: code }
    : type === 'renewed'
    ? { billedAmount: price, billedCurrencyCode: code }
    : { amount: price, currencyCode: code };
  const fields = { ...movement(settings, payment), ...amounts };
  const known = Object.entries(fields).filter(([, value]) => value !== '');
  return {
    method: 'POST',
    query: `eventType=${name}`,
    body: new URLSearchParams(known).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  };
}

function report({ settings, till }: SimulatorState, query: URLSearchParams): Response {
  if (query.get('username') !== settings.report.id || query.get('password') !== settings.report.secret) {
    return text('Error: authentication failed', 401);
  }
  const time = (name: string): number => {
    const digits = query.get(name) ?? '';
    const spelled = digits.replace(/^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/, '$1-$2-$3 $4:$5:$6');
    return timeOf(spelled)?.getTime() ?? Number.NaN;
  };
  // The end is a whole second, and events within that second belong to the report.
  const [start, end] = [time('startTime'), time('endTime') + 1000];
  if (Number.isNaN(start) || Number.isNaN(end)) return text('Error: no such time', 400);
  const rows = till.since(new Date(start)).filter(({ at }) => at.getTime() < end);
  return text(rows.map((payment) => reportRow(settings, payment)).join(''));
}

function reportRow(settings: CcbillSettings, payment: Payment): string {
  const type = HAPPENED[payment.kind][payment.state === 'approved' ? 0 : 1];
  const fields: Record<string, string> = {
    ...movement(settings, payment),
    amount: decimalOf(payment.amount),
    currencyCode: numberOf(payment.amount.currency) ?? '',
    eventType: (type && WEBHOOKS[type]?.[payment.onPage ? 0 : 1]) ?? '',
  };
  return `${REPORT_COLUMNS.map((name) => `"${(fields[name] ?? '').replaceAll('"', '')}"`).join(',')}\n`;
}

function manage({ settings, till }: SimulatorState, form: URLSearchParams): Response {
  const xml = (code: string): Response =>
    text(`<?xml version='1.0' standalone='yes'?>\n<results>${code}</results>`);
  const { id, secret } = settings.report;
  if (form.get('username') !== id || form.get('password') !== secret) return xml('-7');
  const isCancel = form.get('action') === 'cancelSubscription';
  return xml(isCancel && till.cancel(form.get('subscriptionId') ?? '') ? '1' : '0');
}
