import { DECLINE_CODES, type BillerName } from '#platform/contract/payment.ts';
import { VirtualClock } from '#platform/data/clock.ts';
import type { Biller, Order, Outside, RawCallback } from '../../biller.ts';
import { billersFor } from '../../billers.ts';
import { simulatedAccounts } from '../accounts.ts';
import { cardNumberFor, TEST_CARDS } from '../checkout/test-cards.ts';
import type { Payment, SimulatorEvent, Till } from '../checkout/till.ts';
import type { WireCallback } from '../courier.ts';
import { answer, processorsAt, type Processors } from '../processors.ts';
import { LostAnswer, type Simulator } from '../simulator.ts';

/** Random numbers from a seed: the same seed gives the same storm. */
export interface Chance {
  /** At least 0 and less than 1. */
  readonly fraction: () => number;
  /** A whole number of at least 0 and less than `limit`. */
  readonly below: (limit: number) => number;
}

export interface StormOptions {
  readonly chance: Chance;
  /** Total number of callbacks. */
  readonly callbacks: number;
  /** Makes an order of the shop from a draft, e.g. with a row of its own; its id may differ. */
  readonly order?: (biller: BillerName, draft: Order) => Promise<Order>;
}

/** One callback on its way to the shop, with facts the shop cannot see. */
export interface StormCallback {
  readonly biller: BillerName;
  readonly raw: RawCallback;
  /** How it differs from the one genuine callback of its event. */
  readonly fault: 'none' | 'duplicated' | 'reordered' | 'forged';
}

/** The truth about an order: every movement in its biller's records. */
export interface Truth {
  readonly biller: BillerName;
  readonly order: Order;
  readonly movements: readonly Payment[];
}

/** Shares of callbacks that are second copies, out of order, or forged. */
const DUPLICATED = 0.2;
const REORDERED = 0.1;
const FORGED = 0.05;
/** The average number of callbacks per event that follows from these. */
const PER_EVENT = 1 / (1 - DUPLICATED - FORGED);
/** How many callbacks later a second copy, or one out of order, may arrive. */
const LATER = 200;
/** The time between two events: a report of a week has seven hundred of them. */
const STEP_MS = 900_000;
/** Percentages of events that are renewals, reversals and cancellations; the rest are sales. */
const RENEWALS = 12;
const REVERSALS = 10;
const CANCELLATIONS = 2;
/** Percentages of sales that are declined, take a wrong amount or currency, or renew. */
const DECLINES = 20;
const WRONG = 3;
const RENEWING = 15;
/** The newest sales, which later events may affect. */
const OPEN_SALES = 5000;

const ORDER_ID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/;
const AMOUNT = /(\d+\.\d{2})\b/;

const ORIGIN = 'http://simulators.example';
const LOOPBACK = '127.0.0.1';
const STRANGER = '203.0.113.66';

/**
 * A stream of callbacks of all billers, made by simulated payers who open pages and pay at the simulators,
 * along with the truth. Nothing listens on a port: the billers of `storm.billers` reach the simulators within
 * the process.
 */
export class Storm {
  readonly clock = new VirtualClock();
  readonly billers: readonly Biller[];
  readonly #options: StormOptions;
  readonly #processors: Processors;
  readonly #orders: { readonly biller: BillerName; readonly order: Order }[] = [];
  /** Delayed callbacks, by the number of the callback they precede. */
  readonly #queue = new Map<number, StormCallback[]>();
  readonly #sales: { readonly till: Till; readonly payment: Payment }[] = [];
  #at = 0;

  constructor(options: StormOptions) {
    this.#options = options;
    const accounts = simulatedAccounts(ORIGIN, ORIGIN);
    this.#processors = processorsAt(
      accounts,
      ORIGIN,
      this.clock,
      (simulator, event) => this.#receive(simulator, event),
    );
    this.billers = billersFor(accounts, this.outside());
  }

  /** The simulators as the world outside of a shop. */
  outside(): Outside {
    return {
      now: this.clock.now,
      fetch: async (input, init) => {
        try {
          return await answer(this.#processors, new Request(input, init));
        } catch (error) {
          const isLost = error instanceof LostAnswer;
          throw isLost ? new TypeError('terminated', { cause: { code: 'ECONNRESET' } }) : error;
        }
      },
    };
  }

  /** Yields the callbacks one by one: handle each before taking the next. */
  async *callbacks(): AsyncGenerator<StormCallback> {
    let sent = 0;
    while (sent < this.#options.callbacks) {
      await this.#next();
      const due = this.#due();
      const now = due.slice(0, this.#options.callbacks - sent);
      yield* now;
      sent += now.length;
      if (now.length < due.length) this.#queue.set(-1, due.slice(now.length));
      this.clock.advance(STEP_MS);
    }
  }

  /** Callbacks still in flight after the end of the stream, for callers that need complete records. */
  rest(): StormCallback[] {
    return [...this.#queue.entries()].sort(([a], [b]) => a - b).flatMap(([, callbacks]) => callbacks);
  }

  truth(): Truth[] {
    return this.#orders.map(({ biller, order }) => ({
      biller,
      order,
      movements: this.#processors.get(biller)?.till.ofOrder(order.id) ?? [],
    }));
  }

  #due(): StormCallback[] {
    const due = this.#queue.get(this.#at) ?? [];
    this.#queue.delete(this.#at);
    this.#at += 1;
    return due;
  }

  #receive(simulator: Simulator, event: SimulatorEvent): void {
    const { chance } = this.#options;
    const callback = simulator.speak(event);
    if (!callback) return;
    const { name } = simulator;
    const isLate = chance.fraction() < REORDERED * PER_EVENT;
    this.#put(isLate ? 1 + chance.below(LATER) : 0, name, isLate ? 'reordered' : 'none', callback, LOOPBACK);
    if (chance.fraction() < DUPLICATED * PER_EVENT) {
      this.#put(chance.below(LATER), name, 'duplicated', simulator.again(callback), LOOPBACK);
    }
    if (chance.fraction() < FORGED * PER_EVENT) {
      const [forged, address] = this.#forgery(simulator, callback);
      this.#put(chance.below(LATER), name, 'forged', forged, address);
    }
    this.#remember(simulator.till, event);
  }

  #put(
    later: number,
    biller: BillerName,
    fault: StormCallback['fault'],
    wire: WireCallback,
    address: string,
  ): void {
    const at = this.#at + later;
    const raw: RawCallback = { ...wire, address };
    this.#queue.set(at, [...this.#queue.get(at) ?? [], { biller, raw, fault }]);
  }

  /**
   * One of four forgeries: of another payment, with a larger amount, for another order, from another address.
   */
  #forgery(simulator: Simulator, callback: WireCallback): readonly [WireCallback, address: string] {
    const { chance } = this.#options;
    const changed = (change: (text: string) => string): WireCallback => ({
      ...callback,
      query: change(callback.query),
      body: change(callback.body),
    });
    const way = chance.below(4);
    const address = way === 3 ? STRANGER : LOOPBACK;
    const victim = this.#orders[chance.below(this.#orders.length)]?.order.id ?? '';
    const forged = way === 0
      ? callback
      : changed((text) => (way === 1 ? text.replace(AMOUNT, '9$1') : text.replace(ORDER_ID, victim)));
    const isChanged = forged.body !== callback.body || forged.query !== callback.query;
    return [isChanged ? forged : simulator.forge(callback), address];
  }

  #remember(till: Till, { type, payment }: SimulatorEvent): void {
    if (type !== 'paid' && type !== 'renewed') return;
    this.#sales.push({ till, payment });
    if (this.#sales.length > OPEN_SALES) this.#sales.shift();
  }

  /** Makes one more event: a sale, or something that happens to an earlier one. */
  async #next(): Promise<void> {
    const { chance } = this.#options;
    const roll = chance.below(100);
    const earlier = this.#sales[chance.below(Math.max(1, this.#sales.length))];
    if (!earlier || roll >= RENEWALS + REVERSALS + CANCELLATIONS) {
      await this.#buy();
      return;
    }
    const { till, payment } = earlier;
    if (roll < REVERSALS) {
      if (chance.below(3) === 0) till.chargeback(payment.reference);
      else till.refund(payment.reference);
    } else if (payment.subscription !== null) {
      if (roll < REVERSALS + RENEWALS) till.renew(payment.subscription);
      else till.cancel(payment.subscription);
    } else await this.#buy();
  }

  async #buy(): Promise<void> {
    const { chance } = this.#options;
    const biller = this.billers[chance.below(this.billers.length)];
    const simulator = biller && this.#processors.get(biller.name);
    if (!biller || !simulator) return;
    const draft = this.#draft(biller);
    const order = await this.#options.order?.(biller.name, draft) ?? draft;
    this.#orders.push({ biller: biller.name, order });
    const methods = biller.abilities.methods;
    const page = await biller.page(order, methods[chance.below(methods.length)] ?? 'card');
    if (page.kind !== 'page') throw new Error(`${biller.name} gave no page: ${page.reason}`);
    const opened = await answer(this.#processors, new Request(page.url));
    const url = opened.headers.get('location') ?? page.url;
    const wrong = chance.below(2) === 0 ? 'wrong_amount' : 'wrong_currency';
    if (chance.below(100) < WRONG) simulator.till.script.arm(wrong, 1);
    await answer(
      this.#processors,
      new Request(url, { method: 'POST', body: new URLSearchParams(this.#typed(order)) }),
    );
    simulator.till.script.clear();
  }

  #draft(biller: Biller): Order {
    const { chance } = this.#options;
    const { renews, methods } = biller.abilities;
    const amount = methods.includes('voucher')
      ? { minor: [1000, 2500, 5000, 10_000][chance.below(4)] ?? 1000, currency: 'EUR' }
      : { minor: 500 + chance.below(20_000), currency: 'USD' };
    const renewal = renews && chance.below(100) < RENEWING ? { amount, days: 30 } : null;
    return {
      id: this.#uuid(),
      amount,
      renewal,
      title: 'Storm',
      returnUrl: 'http://shop.example/return',
      payer: { ref: `payer-${chance.below(1000)}`, email: null, country: 'DE', address: null },
    };
  }

  /** What the payer types or clicks: mostly a card that pays. */
  #typed(order: Order): Record<string, string> {
    const { chance } = this.#options;
    const isDeclined = chance.below(100) < DECLINES;
    const decline = isDeclined ? DECLINE_CODES[chance.below(DECLINE_CODES.length)] ?? null : null;
    const failing = order.renewal && chance.below(10) === 0 ? TEST_CARDS.at(-1)?.number : undefined;
    return { action: 'pay', number: failing ?? cardNumberFor(decline), expiry: '12/49', cvv: '123' };
  }

  /** A UUID (RFC 9562 §5.4) from this storm's random numbers. */
  #uuid(): string {
    const { chance } = this.#options;
    const hex = Array.from({ length: 32 }, () => chance.below(16).toString(16));
    hex[12] = '4';
    hex[16] = (8 + chance.below(4)).toString(16);
    return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }
}
