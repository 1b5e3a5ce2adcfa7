import { decimalOf } from '#platform/text/money.ts';
import type { Biller, ChargeOutcome, Finding, Order, Outside, PageOutcome, SavedCard } from '../biller.ts';
import { ask } from '../wire/ask.ts';
import { bareEvent, plainReply, type Fields } from '../wire/fields.ts';
import { xmlFields, xmlOf, xmlRoot } from '../wire/xml.ts';
import { hashedQuery } from './hashed-link.ts';
import {
  declineOf,
  GATEWAY_PATH,
  PAGE_PATH,
  REPORT_PATH,
  RESPONSES,
  VERSION,
  type RocketgateSettings,
} from './settings.ts';
import { cardOf, eventsOf, readPostback, subscriptionParts } from './transaction.ts';

/** RocketGate: hosted page, gateway with fail-over and confirmation, postbacks. */
export function rocketgateBiller(settings: RocketgateSettings, outside: Outside): Biller {
  return {
    name: 'rocketgate',
    abilities: { methods: ['card'], charges: true, saves: false, renews: true, answers: true },
    descriptor: settings.descriptor,
    page: async (order) => pageOf(settings, outside, order),
    charge: (order, card) => charge(settings, outside, order, card),
    cardForm: async () => null,
    cardOf: async () => null,
    cancel: (subscription) => cancel(settings, outside, subscription),
    find: (order) => find(settings, outside, order),
    read: (raw) => readPostback(raw, settings.hashSecret),
    reply: plainReply,
  };
}

/** The hosted page takes the card, so that we never see its number. */
function pageOf(settings: RocketgateSettings, outside: Outside, order: Order): PageOutcome {
  const pairs: (readonly [string, string])[] = [
    ['id', order.payer.ref],
    ['merch', settings.merchant],
    ['amount', decimalOf(order.amount)],
    ['currency', order.amount.currency],
    ['purchase', 'TRUE'],
    ['method', 'CC'],
    ['invoice', order.id],
    ['prodid', order.title],
    ['time', String(Math.floor(outside.now().getTime() / 1000))],
    ...renewalPairs(order),
    ['email', order.payer.email ?? ''],
    ['success', order.returnUrl],
    ['fail', order.returnUrl],
  ];
  const query = hashedQuery(pairs.filter(([, value]) => value !== ''), settings.hashSecret);
  return { kind: 'page', url: `${settings.pages}${PAGE_PATH}?${query}`, until: null };
}

const renewalPairs = ({ renewal }: Order): (readonly [string, string])[] => (renewal
  ? [
    ['rebill-amount', decimalOf(renewal.amount)],
    ['rebill-start', String(renewal.days)],
    ['rebill-freq', String(renewal.days)],
  ]
  : []);

async function charge(
  settings: RocketgateSettings,
  outside: Outside,
  order: Order,
  card: SavedCard,
): Promise<ChargeOutcome> {
  const answer = await dispatch(settings, outside, {
    transactionType: 'CC_PURCHASE',
    merchantCustomerID: order.payer.ref,
    merchantInvoiceID: order.id,
    amount: decimalOf(order.amount),
    currency: order.amount.currency,
    cardHash: card.token,
    ...(order.payer.email && { email: order.payer.email }),
    ...(order.payer.address && { ipAddress: order.payer.address }),
    ...(order.renewal && {
      rebillAmount: decimalOf(order.renewal.amount),
      rebillStart: String(order.renewal.days),
      rebillFrequency: String(order.renewal.days),
    }),
  });
  if ('kind' in answer) return answer;
  const { fields, gateway } = answer;
  const code = fields.get('responseCode');
  const guid = fields.get('guidNo');
  if (code === RESPONSES.bankDecline || code === RESPONSES.scrubDecline) {
    return declinedBy(settings, outside, order, fields);
  }
  if (code === RESPONSES.missing) return { kind: 'unreachable', reason: 'the gateway misses a field' };
  if (code !== RESPONSES.success || !guid) {
    return { kind: 'unknown', reason: `response ${code ?? 'without a code'}` };
  }
  // A purchase is final once it is confirmed at the gateway that made it; unconfirmed, it is undone by
  // itself.
  const confirmed = await gatewayAnswer(settings, outside, gateway, {
    transactionType: 'CC_CONFIRM',
    referenceGUID: guid,
  });
  if ('kind' in confirmed || confirmed.get('responseCode') !== RESPONSES.success) {
    return { kind: 'unknown', reason: 'the purchase is not known to be confirmed' };
  }
  const events = eventsOf(
    new Map([
      ...fields,
      ['transactionType', 'CC_PURCHASE'],
      ['merchantInvoiceID', order.id],
      ['merchantCustomerID', order.payer.ref],
      ...(order.renewal ? [['rebillAmount', decimalOf(order.renewal.amount)] as const] : []),
    ]),
  );
  const event = events?.[0];
  return event
    ? { kind: 'paid', event: { ...event, card: cardOf(fields) ?? card } }
    : { kind: 'unknown', reason: 'approved without an amount' };
}

function declinedBy(
  settings: RocketgateSettings,
  outside: Outside,
  order: Order,
  fields: Fields,
): ChargeOutcome {
  const decline = declineOf(fields.get('reasonCode'));
  if (decline === 'VERIFY') return pageOf(settings, outside, order);
  const guid = fields.get('guidNo') ?? order.id;
  return {
    kind: 'declined',
    event: {
      ...bareEvent(`declined:${guid}`, 'declined', guid),
      orderId: order.id,
      decline,
      at: outside.now(),
    },
  };
}

type Failed = { readonly kind: 'unknown' | 'unreachable'; readonly reason: string };

/**
 * Asks one gateway after the other: the next one is tried when nothing was sent, or when the gateway says
 * that it failed, in which case the next request names the failed gateway. A request without a response is
 * not retried elsewhere.
 */
async function dispatch(
  settings: RocketgateSettings,
  outside: Outside,
  request: Readonly<Record<string, string>>,
): Promise<{ readonly fields: Fields; readonly gateway: string } | Failed> {
  let failed: Readonly<Record<string, string>> = {};
  let last: Failed = { kind: 'unreachable', reason: 'no gateway' };
  for (const gateway of settings.gateways) {
    const answer = await gatewayAnswer(settings, outside, gateway, { ...request, ...failed });
    if ('kind' in answer) {
      if (answer.kind === 'unknown') return answer;
      last = answer;
    } else if (answer.get('responseCode') === RESPONSES.systemError) {
      last = { kind: 'unknown', reason: `system error ${answer.get('reasonCode') ?? ''}` };
      failed = {
        failedServer: new URL(gateway).hostname,
        failedResponseCode: RESPONSES.systemError,
        failedReasonCode: answer.get('reasonCode') ?? '',
        failedGUID: answer.get('guidNo') ?? '',
      };
    } else return { fields: answer, gateway };
  }
  return last;
}

async function gatewayAnswer(
  settings: RocketgateSettings,
  outside: Outside,
  gateway: string,
  request: Readonly<Record<string, string>>,
): Promise<Fields | Failed> {
  const answer = await ask(outside.fetch, `${gateway}${GATEWAY_PATH}`, {
    method: 'POST',
    headers: { 'content-type': 'text/xml' },
    body: xmlOf('gatewayRequest', {
      version: VERSION,
      merchantID: settings.merchant,
      merchantPassword: settings.password,
      ...request,
    }),
  });
  if (answer.kind !== 'answer') return answer;
  const root = answer.status === 200 ? xmlRoot(answer.body) : null;
  const fields = root?.name === 'gatewayResponse' ? xmlFields(root) : null;
  return fields ?? { kind: 'unknown', reason: `status ${answer.status}` };
}

async function cancel(
  settings: RocketgateSettings,
  outside: Outside,
  subscription: string,
): Promise<'cancelled' | 'unknown'> {
  const parts = subscriptionParts(subscription);
  if (!parts) return 'unknown';
  const answer = await dispatch(settings, outside, {
    transactionType: 'REBILL_CANCEL',
    merchantCustomerID: parts[0],
    merchantInvoiceID: parts[1],
  });
  const isDone = !('kind' in answer) && answer.fields.get('responseCode') === RESPONSES.success;
  return isDone ? 'cancelled' : 'unknown';
}

/** All transactions of an invoice. */
async function find(
  settings: RocketgateSettings,
  outside: Outside,
  order: { readonly id: string },
): Promise<Finding> {
  const answer = await ask(outside.fetch, `${settings.reports}${REPORT_PATH}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      merch_id: settings.merchant,
      gatewayPassword: settings.password,
      invoice_id: order.id,
    }).toString(),
  });
  if (answer.kind !== 'answer') return { kind: 'unreachable', reason: answer.reason };
  const root = answer.status === 200 ? xmlRoot(answer.body) : null;
  if (root?.name !== 'transactions') return { kind: 'unreachable', reason: `status ${answer.status}` };
  const events = root.children.flatMap((child) => {
    const fields = xmlFields(child);
    return (fields && eventsOf(fields)) ?? [];
  }).filter(({ orderId }) => orderId === order.id);
  return events.length > 0 ? { kind: 'found', events } : { kind: 'nothing' };
}
