import type { Money } from '#platform/contract/payment.ts';
import { randomId } from '#platform/data/ids.ts';
import { decimalOf } from '#platform/text/money.ts';
import type { BtcpaySettings } from '../../btcpay/biller.ts';
import { moneyOf } from '../../wire/amounts.ts';
import { hmacHex } from '../../wire/digests.ts';
import { jsonOf } from '../../wire/fields.ts';
import { counter } from '../checkout/counter.ts';
import { Till, type Numbering, type Payment, type SimulatorEvent } from '../checkout/till.ts';
import type { WireCallback } from '../courier.ts';
import { json, segmentAfter, text, type Simulator, type SimulatorOutside } from '../simulator.ts';
import { isPart, transfers } from './crypto.ts';

const numbering: Numbering = (sequence, startedAt) => `INV${startedAt.getTime().toString(36)}${sequence}`;
/** After ten seconds, a minute, and six times ten minutes. */
const RETRY_MS = [10, 60, 600, 600, 600, 600, 600, 600].map((seconds) => seconds * 1000);

const TYPES: Readonly<Record<SimulatorEvent['type'], string | null>> = {
  pending: 'InvoiceProcessing',
  paid: 'InvoiceSettled',
  expired: 'InvoiceExpired',
  declined: 'InvoiceInvalid',
  // Refunds are the shop's own transfers, and there are no renewals or chargebacks.
  refunded: null,
  charged_back: null,
  renewed: null,
  renewal_failed: null,
  cancelled: null,
};
const STATUSES: Readonly<Record<Payment['state'], string>> = {
  pending: 'Processing',
  approved: 'Settled',
  declined: 'Invalid',
  expired: 'Expired',
};

/** BTCPay Server: invoices and webhooks of one store. */
export function btcpaySimulator(
  settings: BtcpaySettings & { readonly pages: string },
  outside: SimulatorOutside,
): Simulator {
  const till = new Till({ ...outside, name: 'btcpay', numbering, reverses: [] });
  const pages = counter({
    till,
    company: 'BTCPay (test)',
    pages: settings.pages,
    cardUses: null,
    choices: { crypto: transfers(till, outside.clock) },
    note: 'Test coins: press what happens on the chain.',
  });
  return {
    name: 'btcpay',
    till,
    retryMs: RETRY_MS,
    handle: async (path, request) => await pages(path, request) ?? await rest(settings, till, path, request),
    speak: (event) => webhook(settings, till, event),
    again: (callback) => redelivery(settings, callback),
    forge: (callback) => ({ ...callback, body: callback.body.replace(/"invoiceId":"/, '"invoiceId":"X') }),
  };
}

async function rest(
  settings: BtcpaySettings & { readonly pages: string },
  till: Till,
  path: string,
  request: Request,
): Promise<Response> {
  const invoices = `/api/v1/stores/${settings.store}/invoices`;
  const paidOf = segmentAfter(path.replace(/\/payment-methods$/, ''), `${invoices}/`);
  if (path !== invoices && paidOf === null) return text('not found', 404);
  if (request.headers.get('authorization') !== `token ${settings.apiKey}`) return text('unauthorized', 401);
  if (paidOf !== null) return json([{ rate: RATE, totalPaid: coins(till.payment(paidOf)) }]);
  if (request.method !== 'POST') {
    const orderId = new URL(request.url).searchParams.get('orderId') ?? '';
    const sales = till.ofOrder(orderId).filter(({ kind }) => kind === 'sale');
    return json(sales.map((payment) => view(settings, till, payment)));
  }
  const sent = jsonOf(await request.text()) as {
    amount?: string;
    currency?: string;
    metadata?: { orderId?: string; itemDesc?: string };
    checkout?: { redirectURL?: string; expirationMinutes?: number };
  } | undefined;
  const amount = moneyOf(sent?.amount, sent?.currency);
  if (!amount || !sent?.metadata?.orderId) return json([{ path: 'amount', message: 'invalid' }], 422);
  const checkout = till.open({
    orderId: sent.metadata.orderId,
    amount,
    renewal: null,
    title: sent.metadata.itemDesc ?? '',
    payerRef: '',
    returnUrl: sent.checkout?.redirectURL ?? '',
    method: 'crypto',
  });
  const created = Math.floor(till.now().getTime() / 1000);
  return json({
    id: checkout.id,
    amount: decimalOf(amount),
    currency: amount.currency,
    status: 'New',
    createdTime: created,
    expirationTime: created + (sent.checkout?.expirationMinutes ?? 15) * 60,
    metadata: sent.metadata,
    checkoutLink: `${settings.pages}/checkout/${checkout.id}`,
  });
}

/** A coin's rate and the coins that were paid: two decimals whose product is the amount. */
const RATE = '0.5';
const coins = (
  payment: Payment | undefined,
): string => (payment ? decimalOf({ ...payment.amount, minor: payment.amount.minor * 2 }) : '0');

const askedOf = (till: Till, payment: Payment): Money =>
  till.checkout(payment.checkoutId ?? '')?.amount ?? payment.amount;

const view = (settings: { readonly pages: string }, till: Till, payment: Payment): object => {
  const at = Math.floor(payment.at.getTime() / 1000);
  const asked = askedOf(till, payment);
  const isHalf = isPart(payment, asked);
  const { minor, currency } = isHalf ? asked : payment.amount;
  return {
    id: payment.reference,
    amount: decimalOf({ minor, currency }),
    currency,
    status: isHalf ? 'Expired' : STATUSES[payment.state],
    additionalStatus: isHalf ? 'PaidPartial' : 'None',
    createdTime: at,
    expirationTime: at,
    metadata: { orderId: payment.orderId },
    checkoutLink: `${settings.pages}/checkout/${payment.checkoutId ?? ''}`,
  };
};

const signed = (settings: BtcpaySettings, body: string): WireCallback => ({
  method: 'POST',
  query: '',
  body,
  headers: {
    'content-type': 'application/json',
    'btcpay-sig': `sha256=${hmacHex('sha256', settings.webhookSecret, body)}`,
  },
});

function webhook(
  settings: BtcpaySettings,
  till: Till,
  { type, payment }: SimulatorEvent,
): WireCallback | null {
  const isHalf = isPart(payment, askedOf(till, payment));
  const name = isHalf ? 'InvoiceExpired' : TYPES[type];
  if (!name) return null;
  const deliveryId = randomId();
  return signed(
    settings,
    JSON.stringify({
      deliveryId,
      webhookId: 'test-webhook',
      originalDeliveryId: deliveryId,
      isRedelivery: false,
      type: name,
      timestamp: Math.floor(payment.at.getTime() / 1000),
      storeId: settings.store,
      invoiceId: payment.reference,
      ...(name === 'InvoiceExpired' && { partiallyPaid: isHalf }),
      metadata: { orderId: payment.orderId },
    }),
  );
}

/** The same event as another delivery, signed again. */
function redelivery(settings: BtcpaySettings, callback: WireCallback): WireCallback {
  const sent = jsonOf(callback.body);
  if (typeof sent !== 'object' || sent === null) return callback;
  return signed(settings, JSON.stringify({ ...sent, deliveryId: randomId(), isRedelivery: true }));
}
