import { handleCall, type CallHandler, type DeadlineHandler } from '../../../../platform/contract/bind.ts';
import type { CallContext } from '../../../../platform/contract/context.ts';
import type { BillerName } from '../../../../platform/contract/payment.ts';
import { withoutCardNumbers } from '../../../../platform/http/pipeline/card-numbers.ts';
import type {
  Biller, CallbackReading, PaymentEvent, RawCallback,
} from '../../../../platform/payments/biller.ts';
import { hearBiller, hearBillerByQuery } from '../../contract.ts';
import { ASK_PAUSE_MS, UNCONFIRMED_AFTER_MS, UNREAD_AFTER_MS } from '../../rules/payments/verdict.ts';
import { closeCallback, findCallback, insertCallback } from '../../store/events.ts';
import { findOrder, findOrderBy } from '../../store/orders.ts';
import type { Cashier } from '../checkout/cashier.ts';
import { ASK, type OrderDesk } from '../admin/desk.ts';
import type { Errands } from '../errands.ts';
import type { BillingDependencies } from '../dependencies.ts';
import { withoutPersons } from '../customer/personal.ts';

/** Kind of the deadline at which a stored callback is read again that nobody finished reading. */
const REREAD = 'billing.reread';
/** Kind of the deadline of a question that callbacks made, and that was put off. */
const ASK_AGAIN = 'billing.askAgain';
/** Headers that say nothing of what a biller means, and might say something of others. */
const DROPPED_HEADERS = new Set(['cookie', 'authorization', 'x-forwarded-for', 'forwarded']);

const PLAIN: Readonly<Record<string, string>> = { 'content-type': 'text/plain' };

type Outcome =
  'applied' | 'nothing_new' | 'forged' | 'unreadable' | 'unconfirmed' | 'order_unknown' | 'deferred';
interface Dependencies extends BillingDependencies {
  readonly desk: OrderDesk;
  readonly cashier: Cashier;
  readonly errands: Errands;
}

/** The inbox: what billers report is stored first, authenticated then, applied once, and answered last. */
export class Inbox {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Takes one callback in; what became of it. Rejects when it is stored and could not be applied: no 2xx. */
  async take(scope: { operatorId: number }, biller: Biller, raw: RawCallback): Promise<CallbackReading> {
    const { data } = this.#deps;
    const id = await data.tx(scope, async (tx) => {
      const headers = Object.entries(raw.headers).filter(([name]) => !DROPPED_HEADERS.has(name))
        .map(([name, value]) => [name, withoutCardNumbers(value)]);
      const stored = await insertCallback(tx, {
        biller: biller.name, method: raw.method, query: withoutCardNumbers(raw.query),
        headers: Object.fromEntries(headers) as Record<string, string>, body: withoutCardNumbers(raw.body),
        address: raw.address,
      });
      await tx.schedule({
        kind: REREAD, key: String(stored), at: new Date(tx.now.getTime() + UNREAD_AFTER_MS),
      });
      return stored;
    });
    const reading = biller.read(raw);
    await this.#apply(scope, biller, id, reading);
    return reading;
  }

  /** Reads what was stored and not finished: the process died, or the books could not be entered. */
  async reread(scope: { operatorId: number }, id: number): Promise<void> {
    const stored = await this.#deps.data.tx(scope, (tx) => findCallback(tx, id));
    const biller = stored && this.#deps.cashier.find(scope, stored.biller);
    if (!stored || !biller || stored.outcome !== 'unread') return;
    // Whatever becomes of this try, there is another.
    await this.#deps.data.tx(scope, (tx) => tx.schedule({
      kind: REREAD, key: String(id), at: new Date(tx.now.getTime() + UNCONFIRMED_AFTER_MS),
    }));
    const { method, query, headers, body, address } = stored;
    const raw: RawCallback = { method: method === 'GET' ? 'GET' : 'POST', query, headers, body, address };
    await this.#apply(scope, biller, id, biller.read(raw));
  }

  async #apply(
    scope: { operatorId: number }, biller: Biller, id: number, reading: CallbackReading,
  ): Promise<void> {
    const { data, desk } = this.#deps;
    const close = async (outcome: Outcome): Promise<void> => {
      await data.tx(scope, async (tx) => {
        await closeCallback(tx, id, outcome);
        await tx.unschedule(REREAD, String(id));
      });
    };
    if (reading.kind === 'forged' || reading.kind === 'unreadable') return close(reading.kind);
    if (reading.kind === 'unsigned') {
      const outcome = await this.#confirm(scope, biller, id, reading.events);
      if (outcome !== null) return close(outcome);
      // The biller did not answer: the callback stays unread, and is read again.
      return data.tx(scope, (tx) => tx.schedule({
        kind: REREAD, key: String(id), at: new Date(tx.now.getTime() + UNCONFIRMED_AFTER_MS),
      }));
    }
    return data.tx(scope, async (tx) => {
      const heard = await desk.hear(tx, biller.name, reading.events, { callbackId: id, isAnswer: false });
      const outcomes = [...heard.values()];
      const best = outcomes.includes('applied') ? 'applied'
        : outcomes.includes('order_unknown') ? 'order_unknown' : 'nothing_new';
      await closeCallback(tx, id, best);
      await tx.unschedule(REREAD, String(id));
    });
  }

  /**
   * Whoever signs nothing is believed in nothing: what a callback says only tells which order to ask about.
   * Null when the biller could not be asked.
   */
  async #confirm(
    scope: { operatorId: number }, biller: Biller, callbackId: number, events: readonly PaymentEvent[],
  ): Promise<Outcome | null> {
    const { data, cashier } = this.#deps;
    const ids = await data.tx(scope, async (tx) => {
      const found = new Map<string, string>();
      for (const { orderId, subscription, reference, of } of events) {
        const named = orderId === null ? null : await findOrder(tx, orderId);
        const own = named?.biller === biller.name ? (named.parentId ?? named.id) : null;
        const references = [reference, ...(of === null ? [] : [of])];
        const known = named ? null : await findOrderBy(tx, biller.name, { subscription, references });
        const id = own ?? known;
        if (id !== null) found.set(id, reference);
      }
      return [...found];
    });
    if (events.length === 0) return 'nothing_new';
    if (ids.length === 0) return 'order_unknown';
    let outcome: Outcome = 'applied';
    for (const [id, reference] of ids) {
      if (await this.#isJustAsked(scope, biller.name, id)) {
        outcome = 'deferred';
        continue;
      }
      const finding = await cashier.ask(scope, id, false, { callbackId, reference });
      if (finding === 'unreachable') return null;
      if (finding !== 'found') outcome = 'unconfirmed';
    }
    return outcome;
  }

  /** An order that was asked about a moment ago is asked about again later, not once per callback. */
  #isJustAsked(scope: { operatorId: number }, biller: BillerName, orderId: string): Promise<boolean> {
    return this.#deps.data.tx(scope, async (tx) => {
      const order = await findOrder(tx, orderId);
      const askedMs = order?.biller === biller ? (order.askedAt?.getTime() ?? 0) : 0;
      if (tx.now.getTime() - askedMs >= ASK_PAUSE_MS) return false;
      const at = new Date(tx.now.getTime() + ASK_PAUSE_MS);
      await tx.schedule({ kind: ASK_AGAIN, key: orderId, at });
      return true;
    });
  }

  get due(): DeadlineHandler[] {
    return [
      {
        kind: REREAD,
        handle: async ({ operatorId, key }) =>
          this.#deps.errands.run(() => this.reread({ operatorId }, Number(key))),
      },
      {
        kind: ASK,
        handle: async ({ operatorId, key }) =>
          this.#deps.errands.run(() => this.#deps.cashier.ask({ operatorId }, key, true)),
      },
      {
        kind: ASK_AGAIN,
        handle: async ({ operatorId, key }) =>
          this.#deps.errands.run(() => this.#deps.cashier.ask({ operatorId }, key, false)),
      },
    ];
  }

  get answers(): CallHandler[] {
    const reply = async (name: string, context: CallContext, method: 'GET' | 'POST', body: string) => {
      const { scope, raw: { query, headers }, address } = context;
      const biller = this.#deps.cashier.find(scope, name);
      if (!biller) return { status: 404, headers: PLAIN, body: 'unknown' };
      const reading = await this.take(scope, biller, { method, query, headers, body, address });
      const { status, contentType, body: said } = biller.reply(reading);
      return { status, headers: { ...PLAIN, 'content-type': contentType }, body: said };
    };
    return [
      handleCall(hearBiller)(({ biller, body }, context) => reply(biller, context, 'POST', body)),
      handleCall(hearBillerByQuery)(({ biller }, context) => reply(biller, context, 'GET', '')),
    ];
  }
}

/** A callback as staff see it: nothing of the person. */
export const shownBody = ({ query, body }: { query: string; body: string }): string =>
  withoutPersons([query, body].filter((part) => part !== '').join('\n'));
