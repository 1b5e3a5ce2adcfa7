import { decimalOf } from '#platform/text/money.ts';
import { z } from 'zod';
import type { Biller, Finding, Order, Outside, PageOutcome, PaymentEvent } from '../biller.ts';
import { moneyOf, productOf } from '../wire/amounts.ts';
import { ask } from '../wire/ask.ts';
import { jsonOf, plainReply } from '../wire/fields.ts';
import { invoiceEvent, orderIdIn, readWebhook } from './webhook.ts';

/** One store of a BTCPay server, which is usually the operator's own. */
export interface BtcpaySettings {
  /** `https://btcpay.example`. */
  readonly api: string;
  readonly store: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  readonly descriptor: string;
}

/** Minutes during which an invoice accepts payment; the rate is fixed for that time. */
const INVOICE_MINUTES = 30;

const Invoice = z.object({
  id: z.string().min(1).max(128),
  amount: z.string(),
  currency: z.string(),
  status: z.string(),
  additionalStatus: z.string().optional(),
  checkoutLink: z.url(),
  createdTime: z.number(),
  expirationTime: z.number(),
  metadata: z.unknown(),
});
type Invoice = z.infer<typeof Invoice>;
/** The amount paid by each payment method, in its coin, with the coin's rate. */
const Paid = z.array(z.object({ rate: z.string(), totalPaid: z.string() })).max(100);

/** BTCPay Server: invoices of its Greenfield API, signed webhooks. */
export function btcpayBiller(settings: BtcpaySettings, outside: Outside): Biller {
  return {
    name: 'btcpay',
    abilities: { methods: ['crypto'], charges: false, saves: false, renews: false, answers: true },
    descriptor: settings.descriptor,
    page: (order) => invoice(settings, outside, order),
    charge: async () => ({ kind: 'unreachable', reason: 'BTCPay keeps no cards' }),
    cardForm: async () => null,
    cardOf: async () => null,
    cancel: async () => 'unknown',
    find: (order) => find(settings, outside, order),
    read: (raw) => readWebhook(raw, settings.store, settings.webhookSecret),
    reply: plainReply,
  };
}

const invoicesOf = ({ api, store }: BtcpaySettings): string =>
  `${api}/api/v1/stores/${encodeURIComponent(store)}/invoices`;

async function invoice(settings: BtcpaySettings, outside: Outside, order: Order): Promise<PageOutcome> {
  if (order.renewal) return { kind: 'unreachable', reason: 'BTCPay renews nothing' };
  const answer = await ask(outside.fetch, invoicesOf(settings), {
    method: 'POST',
    headers: { authorization: `token ${settings.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      amount: decimalOf(order.amount),
      currency: order.amount.currency,
      metadata: { orderId: order.id, itemDesc: order.title },
      checkout: {
        redirectURL: order.returnUrl,
        redirectAutomatically: true,
        expirationMinutes: INVOICE_MINUTES,
      },
    }),
  });
  const made = answer.kind === 'answer' && answer.status === 200
    ? Invoice.safeParse(jsonOf(answer.body))
    : null;
  return made?.success
    ? { kind: 'page', url: made.data.checkoutLink, until: new Date(made.data.expirationTime * 1000) }
    : { kind: 'unreachable', reason: 'no invoice' };
}

/** Finds invoices by order, whichever invoice the webhook named: their metadata is ours. */
async function find(
  settings: BtcpaySettings,
  outside: Outside,
  order: { readonly id: string },
): Promise<Finding> {
  const query = new URLSearchParams({ orderId: order.id });
  const answer = await ask(outside.fetch, `${invoicesOf(settings)}?${query.toString()}`, {
    headers: { authorization: `token ${settings.apiKey}` },
  });
  if (answer.kind !== 'answer') return { kind: 'unreachable', reason: answer.reason };
  const list = answer.status === 200 ? z.array(Invoice).safeParse(jsonOf(answer.body)) : null;
  if (!list?.success) return { kind: 'unreachable', reason: `status ${answer.status}` };
  const events: PaymentEvent[] = [];
  for (const one of list.data.filter((found) => orderIdIn(found) === order.id)) {
    const part = isPartlyPaid(one) ? await partOf(settings, outside, one) : [];
    if (!part) return { kind: 'unreachable', reason: 'what a part of an invoice came to' };
    events.push(...eventsOf(one, order.id), ...part.map((event) => ({ ...event, orderId: order.id })));
  }
  return events.length > 0 ? { kind: 'found', events } : { kind: 'nothing' };
}

const isPartlyPaid = ({ status, additionalStatus }: Invoice): boolean =>
  status === 'Expired' && additionalStatus === 'PaidPartial';

/**
 * The money that arrived for an invoice that expired partly paid, as a payment of that amount, rounded down:
 * it never equals the order, but the money is not lost sight of. Null when BTCPay does not say.
 */
async function partOf(
  settings: BtcpaySettings,
  outside: Outside,
  found: Invoice,
): Promise<PaymentEvent[] | null> {
  const url = `${invoicesOf(settings)}/${encodeURIComponent(found.id)}/payment-methods`;
  const answer = await ask(outside.fetch, url, { headers: { authorization: `token ${settings.apiKey}` } });
  const paid = answer.kind === 'answer' && answer.status === 200 ? Paid.safeParse(jsonOf(answer.body)) : null;
  if (!paid?.success) return null;
  const parts = paid.data.map(({ rate, totalPaid }) => productOf(rate, totalPaid, found.currency));
  const minor = parts.reduce((sum: number, part) => (part === null ? Number.NaN : sum + part.minor), 0);
  if (!Number.isSafeInteger(minor)) return null;
  const event = invoiceEvent('paid', found.id, null, new Date(found.createdTime * 1000));
  return minor === 0
    ? []
    : [{ ...event, id: `part:${found.id}`, amount: { minor, currency: found.currency } }];
}

/** The event of an invoice's status; none until somebody pays. */
function eventsOf(found: Invoice, orderId: string): PaymentEvent[] {
  const amount = moneyOf(found.amount, found.currency);
  const at = new Date(found.createdTime * 1000);
  switch (found.status) {
    case 'Processing':
      return [invoiceEvent('pending', found.id, orderId, at)];
    case 'Settled':
      return amount ? [{ ...invoiceEvent('paid', found.id, orderId, at), amount }] : [];
    case 'Expired':
      return [invoiceEvent('expired', found.id, orderId, at)];
    case 'Invalid':
      return [invoiceEvent('declined', found.id, orderId, at)];
    default:
      return [];
  }
}
