import type { BillerName } from '#platform/contract/payment.ts';
import type { Biller, PaymentEvent, RawCallback } from '#platform/payments/biller.ts';

/** A biller whose events a test writes itself; its signature is one word. */
export function scriptedBiller(name: BillerName, over: Partial<Biller> = {}): Biller {
  return {
    name,
    descriptor: 'SCRIPTED',
    abilities: { methods: ['card'], charges: true, saves: false, renews: false, answers: true },
    page: async () => ({ kind: 'unreachable', reason: 'down' }),
    charge: async () => ({ kind: 'unreachable', reason: 'down' }),
    cardForm: async () => null,
    cardOf: async () => null,
    cancel: async () => 'unknown',
    find: async () => ({ kind: 'nothing' }),
    read: (raw) => (raw.headers['x-word'] === 'secret'
      ? {
        kind: 'genuine',
        events: [JSON.parse(raw.body) as PaymentEvent].map((item) => ({ ...item, at: null })),
      }
      : { kind: 'forged', reason: 'no word' }),
    reply: (reading) => ({
      status: reading.kind === 'genuine' ? 200 : 400,
      contentType: 'text/plain',
      body: reading.kind,
    }),
    ...over,
  };
}

/** A callback of a scripted biller, as it arrives. */
export const scriptedCallback = (event: PaymentEvent, word = 'secret'): RawCallback => ({
  method: 'POST',
  query: '',
  headers: { 'x-word': word },
  body: JSON.stringify(event),
  address: '203.0.113.7',
});

/** Its event for an order paid in US cents; `more` overrides fields. */
export const scriptedPayment = (
  orderId: string,
  minor: number,
  more: Partial<PaymentEvent> = {},
): PaymentEvent => ({
  id: `paid ${orderId}`,
  type: 'paid',
  orderId,
  reference: `r ${orderId}`,
  of: null,
  subscription: null,
  amount: { minor, currency: 'USD' },
  card: null,
  decline: null,
  at: null,
  ...more,
});
