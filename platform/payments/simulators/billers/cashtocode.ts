import { decimalOf } from '#platform/text/money.ts';
import { DAY_MS } from '#platform/time/units.ts';
import type { CashtocodeSettings } from '../../cashtocode/biller.ts';
import { moneyOf } from '../../wire/amounts.ts';
import { hmacHex } from '../../wire/digests.ts';
import { jsonOf } from '../../wire/fields.ts';
import { counter, type Choice } from '../checkout/counter.ts';
import { Till, type Checkout, type Numbering, type Payment, type SimulatorEvent } from '../checkout/till.ts';
import type { WireCallback } from '../courier.ts';
import { json, text, USUAL_RETRY_MS, type Simulator, type SimulatorOutside } from '../simulator.ts';

const numbering: Numbering = (sequence, startedAt) => `C2C-${startedAt.getTime().toString(36)}-${sequence}`;
/** A payer goes to the till the next day. */
const LATER_MS = DAY_MS;

/** CashtoCode: codes paid at a till, at once, later, again or never. */
export function cashtocodeSimulator(
  settings: CashtocodeSettings & { readonly pages: string },
  outside: SimulatorOutside,
): Simulator {
  const till = new Till({ ...outside, name: 'cashtocode', numbering, reverses: [] });
  const pay = (checkout: Checkout): Payment =>
    till.sell({ ...checkout, checkoutId: checkout.id }, null, null);
  const voucher: Record<string, Choice> = {
    pay: { label: 'Pay the code at a till (again, too)', run: pay },
    later: {
      label: 'Pay it tomorrow',
      run: (checkout) => {
        outside.clock.after('paid tomorrow', LATER_MS, () => void pay(checkout));
        return null;
      },
    },
    never: {
      label: 'Never pay it',
      run: (checkout) =>
        till.conclude(till.expectTransfer({ ...checkout, checkoutId: checkout.id }).reference, 'expired'),
    },
  };
  const pages = counter({
    till,
    company: 'CashtoCode (test)',
    pages: settings.pages,
    cardUses: null,
    choices: { voucher },
    note: 'Test code: press what happens at the till.',
  });
  return {
    name: 'cashtocode',
    till,
    retryMs: USUAL_RETRY_MS,
    again: (callback) => callback,
    handle: async (path, request) => await pages(path, request) ?? await rest(settings, till, path, request),
    speak: (event) => callbackOf(settings, event),
    forge: (callback) => ({ ...callback, body: callback.body.replace('"C2C-', '"C2C-X') }),
  };
}

async function rest(
  settings: CashtocodeSettings & { readonly pages: string },
  till: Till,
  path: string,
  request: Request,
): Promise<Response> {
  if (path !== '/merchant/paygen') return text('not found', 404);
  const basic = `Basic ${Buffer.from(`${settings.merchant}:${settings.password}`).toString('base64')}`;
  if (request.headers.get('authorization') !== basic) return text('unauthorised', 401);
  const sent = jsonOf(await request.text()) as Record<string, unknown> | undefined;
  const amount = moneyOf(String(sent?.['amount']), String(sent?.['currency']));
  const orderId = sent?.['transactionId'];
  if (!sent || !amount || typeof orderId !== 'string') return json({ message: 'bad request' }, 400);
  const checkout = till.open({
    orderId,
    amount,
    renewal: null,
    title: 'Cash code',
    payerRef: String(sent['account']),
    returnUrl: String(sent['successfulRedirectUrl']),
    method: 'voucher',
  });
  return json({ payUrl: `${settings.pages}/checkout/${checkout.id}` });
}

function callbackOf(settings: CashtocodeSettings, { type, payment }: SimulatorEvent): WireCallback | null {
  if (type !== 'paid' && type !== 'expired') return null;
  const body = JSON.stringify({
    paymentId: payment.reference,
    transactionId: payment.orderId,
    status: type,
    amount: Number(decimalOf(payment.amount)),
    currency: payment.amount.currency,
    at: payment.at.toISOString(),
  });
  const { header, algorithm, secret } = settings.signature;
  return {
    method: 'POST',
    query: '',
    body,
    headers: { 'content-type': 'application/json', [header]: hmacHex(algorithm, secret, body) },
  };
}
