import type { BillerName, Money } from '#platform/contract/payment.ts';
import { VirtualClock } from '#platform/data/clock.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import assert from 'node:assert/strict';
import type { Biller, CallbackReading, Order, PaymentEvent, RawCallback } from './biller.ts';
import { billersFor } from './billers.ts';
import { outsideWithin } from './outside.ts';
import { cardNumberFor } from './simulators/checkout/test-cards.ts';
import type { Till } from './simulators/checkout/till.ts';
import type { Fault } from './simulators/faults.ts';
import { openSimulators, type Simulators } from './simulators/open.ts';

/** Properties of a biller besides its abilities. */
export interface Traits {
  /** Whether a page can decline. */
  readonly declines: boolean;
  readonly refunds: boolean;
  readonly chargebacks: boolean;
  /** Whether callbacks are signed; if not, they are only a reason to ask. */
  readonly signs: boolean;
  /** An amount that this biller accepts. */
  readonly amount: Money;
}

/** Longer than any simulator takes to answer; a hanging test is aborted after this. */
const LIMIT_MS = 20_000;

/** One biller against its simulator, and a shop that believes only authenticated data. */
export class BillerWorld {
  readonly clock: VirtualClock;
  readonly biller: Biller;
  readonly traits: Traits;
  readonly till: Till;
  readonly readings: CallbackReading[] = [];
  readonly raws: RawCallback[] = [];
  readonly #simulators: Simulators;
  readonly #believed = new Map<string, PaymentEvent>();
  #isDown = false;

  private constructor(clock: VirtualClock, simulators: Simulators, name: BillerName, traits: Traits) {
    this.clock = clock;
    this.#simulators = simulators;
    this.traits = traits;
    this.till = simulators.till(name);
    const outside = outsideWithin(LIMIT_MS, this.clock);
    const send: typeof fetch = async (input, init) => {
      if (this.#isDown) throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
      return outside.fetch(input, init);
    };
    const billers = billersFor(simulators.accounts, { ...outside, fetch: send });
    const biller = billers.find((item) => item.name === name);
    assert.ok(biller, `a biller called ${name}`);
    this.biller = biller;
  }

  static async open(name: BillerName, traits: Traits): Promise<BillerWorld> {
    const clock = new VirtualClock();
    let shop: BillerWorld | null = null;
    const simulators = await openSimulators({
      port: 0,
      host: '127.0.0.1',
      clock,
      callback: (biller) => `http://shop.example/callbacks/${biller}`,
      fetch: async (input, init) => {
        assert.ok(shop);
        return shop.receives(new Request(input, init));
      },
    });
    shop = new BillerWorld(clock, simulators, name, traits);
    return shop;
  }

  close(): Promise<void> {
    return this.#simulators.close();
  }

  /** The shop's address for callbacks. */
  async receives(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const raw: RawCallback = {
      method: request.method === 'GET' ? 'GET' : 'POST',
      query: url.search.slice(1),
      body: await request.text(),
      headers: Object.fromEntries(request.headers),
      address: '127.0.0.1',
    };
    this.raws.push(raw);
    const reply = await this.take(raw);
    return new Response(reply.body, { status: reply.status });
  }

  /** Reads a callback and believes it, or asks the biller where it must. */
  async take(raw: RawCallback): Promise<ReturnType<Biller['reply']>> {
    const reading = this.biller.read(raw);
    this.readings.push(reading);
    if (reading.kind === 'genuine') this.believe(reading.events);
    if (reading.kind === 'unsigned') {
      for (const event of reading.events) await this.ask(event.orderId ?? '', event.reference);
    }
    return this.biller.reply(reading);
  }

  believe(events: readonly PaymentEvent[]): void {
    for (const event of events) if (!this.#believed.has(event.id)) this.#believed.set(event.id, event);
  }

  async ask(id: string, reference: string | null): Promise<void> {
    const finding = await this.biller.find({ id, reference });
    if (finding.kind === 'found') this.believe(finding.events);
  }

  /** Believed events of one type for an order. */
  believed(order: Order, type: PaymentEvent['type']): PaymentEvent[] {
    return [...this.#believed.values()].filter((event) => event.orderId === order.id && event.type === type);
  }

  get believedInAll(): number {
    return this.#believed.size;
  }

  arm(fault: Fault, times = 1): void {
    this.#simulators.arm(this.biller.name, fault, times);
  }

  fall(): void {
    this.#isDown = true;
  }

  settle(): Promise<void> {
    return this.#simulators.settle();
  }

  /** Advances the time, and runs everything that falls due. */
  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.settle();
  }

  order(change: Partial<Order> = {}): Order {
    return {
      id: uuidV4(),
      amount: this.traits.amount,
      renewal: null,
      title: 'A hundred of something',
      payer: { ref: 'payer-1', email: 'buyer@example.com', country: 'DE', address: '192.0.2.7' },
      returnUrl: 'http://shop.example/return?order=1',
      ...change,
    };
  }

  monthly(): Order {
    return this.order({ renewal: { amount: this.traits.amount, days: 30 } });
  }

  /** Opens the page of an order as a payer and pays; returns where the browser ends up. */
  async pay(order: Order, press: Readonly<Record<string, string>> = this.paying()): Promise<string> {
    const page = await this.biller.page(order, this.biller.abilities.methods[0] ?? 'card');
    assert.equal(page.kind, 'page');
    return this.presses(page.kind === 'page' ? page.url : '', press);
  }

  async presses(url: string, press: Readonly<Record<string, string>>): Promise<string> {
    const shown = await fetch(url);
    assert.equal(shown.status, 200, await shown.clone().text());
    assert.match(await shown.text(), /Test payment page: no money moves/);
    const pressed = await fetch(shown.url, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(press),
    });
    await pressed.arrayBuffer();
    await this.settle();
    return pressed.headers.get('location') ?? '';
  }

  /** What the payer types or clicks to pay. */
  paying(number = cardNumberFor(null)): Readonly<Record<string, string>> {
    return { action: 'pay', number, expiry: '12/29', cvv: '123' };
  }

  /** The one payment of an order in the biller's records. */
  sale(order: Order): { readonly reference: string; readonly subscription: string | null } {
    const sale = this.till.ofOrder(order.id).find((one) => one.kind === 'sale' && one.state === 'approved');
    assert.ok(sale, 'a sale');
    return sale;
  }
}
