import { networks } from '#platform/http/address.ts';
import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { z } from 'zod';
import type {
  Biller,
  CardForm,
  ChargeOutcome,
  Finding,
  Order,
  Outside,
  PageOutcome,
  Payer,
  SavedCard,
} from '../biller.ts';
import { ask, type Asked } from '../wire/ask.ts';
import { bareEvent, jsonOf, plainReply } from '../wire/fields.ts';
import { declineOf } from './declines.ts';
import { flexFormUrl, priceOf } from './flex-form.ts';
import { eventsOfOrder, reportRows } from './report.ts';
import { subaccountText, type CcbillSettings } from './settings.ts';
import { stampText } from './times.ts';
import { readWebhook } from './webhook.ts';

const VERSION_2 = 'application/vnd.mcn.transaction-service.api.v.2+json';
/** A bearer token is renewed when it is valid for less than this. */
const BEARER_MARGIN_MS = MINUTE_MS;
/** How long a card that was typed in but not used is remembered. */
const TOKEN_HOURS = 24;
/** Each token pays once: a second charge with it fails. The answer contains the token for the next charge. */
const TOKEN_USES = 1;
/** How far back a report reaches: a webhook may arrive days after its event. */
const REPORT_MS = 7 * DAY_MS;

const Bearer = z.object({ access_token: z.string().min(1).max(4096), expires_in: z.number().positive() });
const Charged = z.object({
  approved: z.boolean(),
  declineCode: z.union([z.string(), z.number()]).nullish(),
  denialId: z.union([z.string(), z.number()]).nullish(),
  subscriptionId: z.union([z.string(), z.number()]).nullish(),
  newPaymentTokenId: z.string().nullish(),
});
const Refused = z.object({ errorCode: z.union([z.string(), z.number()]) });
const Token = z.object({
  paymentTokenId: z.string(),
  customerRef: z.string(),
  cardType: z.string(),
  last4: z.string().regex(/^\d{4}$/),
  bin: z.string().regex(/^\d{6}$/).nullish(),
  expDate: z.string().regex(/^\d{4}$/).nullish(),
});

interface Doors {
  readonly settings: CcbillSettings;
  readonly outside: Outside;
  readonly bearer: (application: CcbillSettings['application']) => Promise<string | null>;
}

/** CCBill: FlexForms, payment tokens, webhooks and reports. */
export function ccbillBiller(settings: CcbillSettings, outside: Outside): Biller {
  const isKnown = networks(settings.networks);
  const doors: Doors = { settings, outside, bearer: bearers(settings, outside) };
  return {
    name: 'ccbill',
    abilities: { methods: ['card'], charges: true, saves: true, renews: true, answers: true },
    descriptor: settings.descriptor,
    page: async (order) => pageOf(settings, order),
    charge: (order, card) => charge(doors, order, card),
    cardForm: (payer) => cardForm(doors, payer),
    cardOf: (token, payer) => cardOf(doors, token, payer),
    cancel: (subscription) => cancel(doors, subscription),
    find: reports(doors),
    read: (raw) => readWebhook(raw, settings, isKnown),
    reply: plainReply,
  };
}

function pageOf(settings: CcbillSettings, order: Order): PageOutcome {
  const price = priceOf(order);
  return price
    ? { kind: 'page', url: flexFormUrl(settings, order, price), until: null }
    : { kind: 'unreachable', reason: 'a currency CCBill does not take' };
}

/** Bearer tokens of the applications, cached while they are valid. */
function bearers(settings: CcbillSettings, outside: Outside): Doors['bearer'] {
  const saved = new Map<string, { readonly token: string; readonly untilMs: number }>();
  return async ({ id, secret }) => {
    const have = saved.get(id);
    if (have && have.untilMs > outside.now().getTime()) return have.token;
    const answer = await ask(outside.fetch, `${settings.api}/ccbill-auth/oauth/token`, {
      method: 'POST',
      body: 'grant_type=client_credentials',
      headers: {
        authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
    });
    if (answer.kind !== 'answer' || answer.status !== 200) return null;
    const bearer = Bearer.safeParse(jsonOf(answer.body));
    if (!bearer.success) return null;
    const untilMs = outside.now().getTime() + bearer.data.expires_in * 1000 - BEARER_MARGIN_MS;
    saved.set(id, { token: bearer.data.access_token, untilMs });
    return bearer.data.access_token;
  };
}

async function charge(doors: Doors, order: Order, card: SavedCard): Promise<ChargeOutcome> {
  const { settings, outside } = doors;
  const price = priceOf(order);
  if (!price) return { kind: 'unreachable', reason: 'a currency CCBill does not take' };
  const bearer = await doors.bearer(settings.application);
  if (!bearer) return { kind: 'unreachable', reason: 'no bearer' };
  const answer = await ask(
    outside.fetch,
    `${settings.api}/transactions/payment-tokens/${encodeURIComponent(card.token)}`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, accept: VERSION_2, 'content-type': 'application/json' },
      body: JSON.stringify({
        clientAccnum: settings.account,
        clientSubacc: settings.subaccount,
        initialPrice: Number(price.initialPrice),
        initialPeriod: Number(price.initialPeriod),
        currencyCode: Number(price.currencyCode),
        createNewPaymentToken: true,
        ...(price.recurring && {
          recurringPrice: Number(price.recurring.price),
          recurringPeriod: Number(price.recurring.period),
          rebills: Number(price.recurring.rebills),
        }),
        passThroughInfo: [{ name: 'X-orderId', value: order.id }],
      }),
    },
  );
  return chargeOutcome(doors, order, card, answer);
}

/** Throttled or not authorised: CCBill says that it did nothing. */
const NOT_DONE = new Set([401, 403, 429]);
const THROTTLED = new Set(['100110', '100111']);
/** The token is invalid or has expired. */
const BAD_TOKEN = new Set(['100101', '100102']);

function chargeOutcome(doors: Doors, order: Order, card: SavedCard, answer: Asked): ChargeOutcome {
  if (answer.kind !== 'answer') return answer;
  if (NOT_DONE.has(answer.status)) return { kind: 'unreachable', reason: `status ${answer.status}` };
  const charged = Charged.safeParse(jsonOf(answer.body));
  if (!charged.success) return refusal(doors, order, answer);
  const { approved, declineCode, denialId, subscriptionId, newPaymentTokenId } = charged.data;
  const at = doors.outside.now();
  if (!approved) {
    const decline = declineOf(declineCode == null ? null : String(declineCode));
    if (decline === 'VERIFY') return pageOf(doors.settings, order);
    const reference = denialId == null ? order.id : String(denialId);
    return {
      kind: 'declined',
      event: { ...bareEvent(`declined:${reference}`, 'declined', reference), orderId: order.id, decline, at },
    };
  }
  if (subscriptionId == null) return { kind: 'unknown', reason: 'approved without a number' };
  const reference = String(subscriptionId);
  return {
    kind: 'paid',
    event: {
      ...bareEvent(`paid:${reference}`, 'paid', reference),
      orderId: order.id,
      amount: order.amount,
      at,
      subscription: order.renewal ? reference : null,
      card: newPaymentTokenId ? { token: newPaymentTokenId, face: card.face } : null,
    },
  };
}

/**
 * The outcome of an error response. If the token is used up, expired or invalid, nothing was charged and the
 * card has to be entered again; if the error does not rule out a charge, the outcome is unknown.
 */
function refusal(doors: Doors, order: Order, answer: Asked & { kind: 'answer' }): ChargeOutcome {
  const refused = Refused.safeParse(jsonOf(answer.body));
  const code = refused.success ? String(refused.data.errorCode) : '';
  if (THROTTLED.has(code)) return { kind: 'unreachable', reason: `error ${code}` };
  if (!BAD_TOKEN.has(code)) return { kind: 'unknown', reason: `status ${answer.status}` };
  return {
    kind: 'declined',
    event: {
      ...bareEvent(`declined:${order.id}`, 'declined', order.id),
      orderId: order.id,
      decline: 'NMYINVINFO',
      at: doors.outside.now(),
    },
  };
}

async function cardForm({ settings, bearer }: Doors, payer: Payer): Promise<CardForm | null> {
  const token = await bearer(settings.widget);
  return token === null ? null : {
    origins: [new URL(settings.pages).origin],
    url: `${settings.pages}/payment-tokens`,
    bearer: token,
    fields: {
      clientAccnum: String(settings.account),
      clientSubacc: String(settings.subaccount),
      timeToLive: String(TOKEN_HOURS),
      numberOfUse: String(TOKEN_USES),
      customerRef: payer.ref,
    },
  };
}

async function cardOf(
  { settings, outside, bearer }: Doors,
  token: string,
  payer: Payer,
): Promise<SavedCard | 'unreachable' | null> {
  const authority = await bearer(settings.application);
  if (!authority) return 'unreachable';
  const answer = await ask(outside.fetch, `${settings.api}/payment-tokens/${encodeURIComponent(token)}`, {
    headers: { authorization: `Bearer ${authority}`, accept: VERSION_2 },
  });
  if (answer.kind !== 'answer' || answer.status >= 500) return 'unreachable';
  const found = answer.status === 200 ? Token.safeParse(jsonOf(answer.body)) : null;
  if (!found?.success || found.data.customerRef !== payer.ref) return null;
  const { cardType, bin, last4, expDate } = found.data;
  const expiry = expDate ? `${expDate.slice(0, 2)}/${expDate.slice(2)}` : null;
  return { token, face: { brand: cardType, first6: bin ?? null, last4, expiry } };
}

async function cancel({ settings, outside }: Doors, subscription: string): Promise<'cancelled' | 'unknown'> {
  const answer = await ask(outside.fetch, `${settings.datalink}/utils/subscriptionManagement.cgi`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      clientAccnum: String(settings.account),
      clientSubacc: subaccountText(settings.subaccount),
      username: settings.report.id,
      password: settings.report.secret,
      action: 'cancelSubscription',
      subscriptionId: subscription,
      returnXML: '1',
    }).toString(),
  });
  const done = answer.kind === 'answer' && answer.status === 200 && /<results>1<\/results>/.test(answer.body);
  return done ? 'cancelled' : 'unknown';
}

/** Answers from the newest report, and requests a newer one no more often than CCBill allows. */
function reports({ settings, outside }: Doors): Biller['find'] {
  let newest: { readonly rows: readonly ReadonlyMap<string, string>[]; readonly atMs: number } | null = null;
  return async (order): Promise<Finding> => {
    const now = outside.now();
    const isFresh = newest !== null && now.getTime() - newest.atMs < settings.reportSeconds * 1000;
    if (!isFresh || !newest) {
      const body = await report(settings, outside, now);
      const rows = body === null ? null : reportRows(body);
      if (!rows) return { kind: 'unreachable', reason: 'no report' };
      newest = { rows, atMs: now.getTime() };
    }
    const events = eventsOfOrder(newest.rows, order);
    if (events.length > 0) return { kind: 'found', events };
    return isFresh
      ? { kind: 'unreachable', reason: 'not in the last report, and too soon for another' }
      : { kind: 'nothing' };
  };
}

async function report(settings: CcbillSettings, outside: Outside, now: Date): Promise<string | null> {
  const query = new URLSearchParams({
    startTime: stampText(new Date(now.getTime() - REPORT_MS)),
    endTime: stampText(now),
    transactionTypes: 'NEW,REBILL,REFUND,VOID,CHARGEBACK,CANCELLATION,EXPIRE',
    clientAccnum: String(settings.account),
    clientSubacc: subaccountText(settings.subaccount),
    username: settings.report.id,
    password: settings.report.secret,
  });
  const answer = await ask(outside.fetch, `${settings.datalink}/data/main.cgi?${query.toString()}`, {});
  return answer.kind === 'answer' && answer.status === 200 ? answer.body : null;
}
