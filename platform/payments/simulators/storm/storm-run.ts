import type { PaymentEvent } from '../../biller.ts';
import type { Payment } from '../checkout/till.ts';
import { Storm, type Chance, type StormCallback, type Truth } from './storm.ts';

export interface StormReport {
  readonly callbacks: number;
  readonly counts: Readonly<Record<StormCallback['fault'], number>>;
  readonly readings: Readonly<Record<string, number>>;
  readonly orders: number;
  readonly events: number;
  /** Forged callbacks that were accepted, events without a cause, movements without an event. */
  readonly wrong: readonly string[];
  readonly invented: readonly string[];
  readonly missing: readonly string[];
}

/**
 * Runs a storm against the adapters alone: reads each callback, asks the biller where it may not be believed,
 * counts each event once, and compares the result with the records of the simulators.
 */
export async function runStorm(callbacks: number, chance: Chance): Promise<StormReport> {
  const storm = new Storm({ chance, callbacks });
  const shop = new Shop(storm);
  const counts = { none: 0, duplicated: 0, reordered: 0, forged: 0 };
  for await (const callback of storm.callbacks()) {
    counts[callback.fault] += 1;
    await shop.take(callback);
  }
  // Callbacks still in flight are taken too, so that nothing may be missing.
  for (const callback of storm.rest()) await shop.take(callback);
  const truth = storm.truth();
  const expected = new Map(truth.flatMap((one) => one.movements.flatMap((payment) => entryOf(one, payment))));
  const said = new Map([...shop.believed.entries()].map(([key, event]) => [key, spelled(event)]));
  return {
    callbacks,
    counts,
    readings: Object.fromEntries(shop.readings),
    orders: truth.length,
    events: said.size,
    wrong: [
      ...shop.fooled,
      ...[...said].filter(([key, text]) => expected.has(key) && expected.get(key) !== text)
        .map(([key, text]) => `${key}: ${text}, not ${expected.get(key)}`),
    ],
    invented: [...said.keys()].filter((key) => !expected.has(key)),
    missing: [...expected.keys()].filter((key) => !said.has(key)),
  };
}

class Shop {
  readonly believed = new Map<string, PaymentEvent>();
  readonly readings = new Map<string, number>();
  readonly fooled: string[] = [];
  readonly #storm: Storm;

  constructor(storm: Storm) {
    this.#storm = storm;
  }

  async take({ biller: name, raw, fault }: StormCallback): Promise<void> {
    const biller = this.#storm.billers.find((item) => item.name === name);
    if (!biller) return;
    const reading = biller.read(raw);
    this.readings.set(reading.kind, (this.readings.get(reading.kind) ?? 0) + 1);
    if (reading.kind === 'genuine') {
      const isFooled = fault === 'forged' && reading.events.length > 0;
      if (isFooled) this.fooled.push(`${name} believed ${raw.query}${raw.body}`);
      this.#keep(name, reading.events);
    }
    if (reading.kind !== 'unsigned') return;
    for (const event of reading.events) {
      const finding = await biller.find({ id: event.orderId ?? '', reference: event.reference });
      if (finding.kind === 'found') this.#keep(name, finding.events);
    }
  }

  /** A pending payment moves no money, and whether it is seen depends on when the biller is asked. */
  #keep(name: string, events: readonly PaymentEvent[]): void {
    for (const event of events) {
      const key = keyOf(name, event.orderId ?? '', event.type, event.of ?? event.reference);
      if (event.type !== 'pending' && !this.believed.has(key)) this.believed.set(key, event);
    }
  }
}

const keyOf = (...parts: readonly string[]): string => parts.join(' ');

const spelled = (
  { amount, decline }: PaymentEvent,
): string => (amount ? `${amount.minor} ${amount.currency}` : decline ?? '');

/**
 * The known facts of a movement: its kind, its number (or that of the reversed payment) and its amount or
 * reason.
 */
function entryOf({ biller, order }: Truth, payment: Payment): (readonly [string, string])[] {
  const type = typeOf(payment);
  if (!type) return [];
  const movement = payment.of ?? payment.reference;
  const number = type === 'cancelled' ? numberOfCancellation(biller, payment) : movement;
  const key = keyOf(biller, order.id, type, number);
  const amount = `${payment.amount.minor} ${payment.amount.currency}`;
  return [[key, type === 'cancelled' ? '' : payment.decline ?? amount]];
}

/**
 * CCBill and Segpay name the subscription that is cancelled, RocketGate has a number for the cancellation.
 */
const numberOfCancellation = (
  biller: string,
  payment: Payment,
): string => (biller === 'rocketgate' ? payment.reference : payment.subscription ?? '');

function typeOf({ kind, state }: Payment): PaymentEvent['type'] | null {
  if (state === 'pending') return null;
  if (state === 'expired') return 'expired';
  const good = state === 'approved';
  switch (kind) {
    case 'sale':
      return good ? 'paid' : 'declined';
    case 'renewal':
      return good ? 'renewed' : 'renewal_failed';
    case 'refund':
      return 'refunded';
    case 'chargeback':
      return 'charged_back';
    case 'cancellation':
      return 'cancelled';
  }
}
