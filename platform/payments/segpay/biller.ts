import { networks } from '#platform/http/address.ts';
import { decimalOf } from '#platform/text/money.ts';
import type {
  Biller,
  CallbackReading,
  CallbackReply,
  ChargeOutcome,
  Finding,
  Order,
  Outside,
  PageOutcome,
  PayMethod,
  SavedCard,
} from '../biller.ts';
import { ask, type Asked } from '../wire/ask.ts';
import { formFields } from '../wire/fields.ts';
import { eventsOf, readPostback } from './postback.ts';
import type { SegpaySettings } from './settings.ts';

/** Rows of the report on one order. */
const MAX_ROWS = 1000;
/** The longest hash of a price; a longer answer is an error page. */
const HASH = /^[\w+/=-]{8,512}$/;

/** Segpay: payment page by link, PayPal through it, one-click by an earlier purchase, postbacks by GET. */
export function segpayBiller(settings: SegpaySettings, outside: Outside): Biller {
  const isKnown = networks(settings.networks);
  return {
    name: 'segpay',
    abilities: {
      methods: settings.paypal ? ['card', 'paypal'] : ['card'],
      charges: true,
      saves: false,
      renews: true,
      answers: true,
    },
    descriptor: settings.descriptor,
    page: (order, method) => pageOf(settings, outside, order, method),
    charge: (order, card) => charge(settings, outside, order, card),
    cardForm: async () => null,
    cardOf: async () => null,
    cancel: (subscription) => cancel(settings, outside, subscription),
    find: (order) => find(settings, outside, order),
    read: (raw) => readPostback(raw, settings.postbackKey, isKnown),
    reply,
  };
}

/** Synchronous postbacks expect this word; all others check only the status. */
const reply = ({ kind }: CallbackReading): CallbackReply => ({
  status: kind === 'genuine' || kind === 'unsigned' ? 200 : 400,
  contentType: 'text/plain',
  body: kind === 'genuine' || kind === 'unsigned' ? 'GOOD' : 'BAD',
});

/** The price parameters of a link. Segpay hashes them first, because a payer can change a link. */
async function priced(
  settings: SegpaySettings,
  outside: Outside,
  order: Order,
): Promise<Readonly<Record<string, string>> | null> {
  const ticket = settings.tickets[order.amount.currency];
  if (!ticket) return null;
  const amount = decimalOf(order.amount);
  const { renewal } = order;
  const path = renewal ? 'MerchantServices/DynamicRecurring' : 'PricingHash/PricingHash.svc/GetDynamicTrans';
  const query = new URLSearchParams(
    renewal
      ? {
        MerchantID: settings.merchant,
        InitialAmount: amount,
        InitialLength: String(renewal.days),
        RecurringAmount: decimalOf(renewal.amount),
        RecurringLength: String(renewal.days),
      }
      : { value: amount },
  );
  const answer = await ask(outside.fetch, `${settings.api}/${path}?${query.toString()}`, {
    headers: authority(settings),
  });
  const hash = answer.kind === 'answer' && answer.status === 200 ? answer.body.trim() : '';
  if (!HASH.test(hash)) return null;
  return renewal
    ? { 'x-eticketid': ticket.renewing, DynamicPricingID: hash }
    : { 'x-eticketid': ticket.single, amount, dynamictrans: hash };
}

const authority = ({ user }: SegpaySettings): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${user.id}:${user.accessKey}`).toString('base64')}`,
});

async function pageOf(
  settings: SegpaySettings,
  outside: Outside,
  order: Order,
  method: PayMethod,
): Promise<PageOutcome> {
  if (method === 'paypal' && !settings.paypal) return { kind: 'unreachable', reason: 'no PayPal here' };
  const price = await priced(settings, outside, order);
  if (!price) return { kind: 'unreachable', reason: 'no price' };
  const query = new URLSearchParams({
    ...price,
    DynamicDesc: order.title,
    'x-auth-link': order.returnUrl,
    'x-decl-link': order.returnUrl,
    ref1: order.id,
    ref2: order.payer.ref,
    paymenttypes: method === 'paypal' ? 'PayPal' : 'CreditCard',
    ...(order.payer.email && { 'x-billemail': order.payer.email }),
    ...(order.payer.country && { 'x-billcntry': order.payer.country }),
  });
  return { kind: 'page', url: `${settings.pages}?${query.toString()}`, until: null };
}

async function charge(
  settings: SegpaySettings,
  outside: Outside,
  order: Order,
  card: SavedCard,
): Promise<ChargeOutcome> {
  const price = await priced(settings, outside, order);
  if (!price) return { kind: 'unreachable', reason: 'no price' };
  const answer = await ask(outside.fetch, `${settings.api}/OneClick.asmx/SalesService`, {
    method: 'POST',
    headers: { ...authority(settings), 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      ...price,
      octoken: card.token,
      DynamicDesc: order.title,
      ref1: order.id,
      ref2: order.payer.ref,
    }).toString(),
  });
  const outcome = chargeOutcome(answer);
  const needsPage = outcome.kind === 'declined' && outcome.event.decline === 'VERIFY';
  return needsPage ? pageOf(settings, outside, order, 'card') : outcome;
}

/** A one-click answer has the fields of the postback that follows it. */
function chargeOutcome(answer: Asked): ChargeOutcome {
  if (answer.kind !== 'answer') return answer;
  if (answer.status === 401 || answer.status === 503) {
    return { kind: 'unreachable', reason: `status ${answer.status}` };
  }
  const fields = answer.status === 200 ? formFields(answer.body) : null;
  const event = fields && eventsOf(fields)?.[0];
  if (event?.type === 'paid') return { kind: 'paid', event };
  if (event?.type === 'declined') return { kind: 'declined', event };
  return { kind: 'unknown', reason: `status ${answer.status}` };
}

async function cancel(
  settings: SegpaySettings,
  outside: Outside,
  subscription: string,
): Promise<'cancelled' | 'unknown'> {
  const answer = await ask(
    outside.fetch,
    `${settings.api}/ADM.asmx/CancelMembership?${
      new URLSearchParams({
        Userid: settings.user.id,
        UserAccessKey: settings.user.accessKey,
        PurchaseID: subscription,
        CancelReason: 'cancelled by the customer',
      }).toString()
    }`,
    {},
  );
  const isDone = answer.kind === 'answer' && answer.status === 200 && /Successful/i.test(answer.body);
  return isDone ? 'cancelled' : 'unknown';
}

/** The rows of one order in the report, each with the fields of its postback. */
async function find(
  settings: SegpaySettings,
  outside: Outside,
  order: { readonly id: string },
): Promise<Finding> {
  const query = new URLSearchParams({ merchant: settings.merchant, ref1: order.id });
  const answer = await ask(outside.fetch, `${settings.api}/reports/transactions?${query.toString()}`, {
    headers: authority(settings),
  });
  if (answer.kind !== 'answer') return { kind: 'unreachable', reason: answer.reason };
  if (answer.status !== 200) return { kind: 'unreachable', reason: `status ${answer.status}` };
  const rows = answer.body.split('\n').filter((row) => row !== '');
  if (rows.length > MAX_ROWS) return { kind: 'unreachable', reason: 'too many rows' };
  const events = rows.flatMap((row) => {
    const fields = formFields(row);
    return (fields && eventsOf(fields)) ?? [];
  }).filter(({ orderId }) => orderId === order.id);
  return events.length > 0 ? { kind: 'found', events } : { kind: 'nothing' };
}
