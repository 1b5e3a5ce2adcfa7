import { handleCall, type CallHandler, type DeadlineHandler } from '../../../../platform/contract/bind.ts';
import type { HandlerContext } from '../../../../platform/contract/context.ts';
import type { BillerName } from '../../../../platform/contract/payment.ts';
import { hostRefusals } from '../../../../platform/contract/refusal.ts';
import { withoutCardNumbers } from '../../../../platform/http/pipeline/card-numbers.ts';
import type {
  Biller, CallbackReading, PaymentEvent, RawCallback,
} from '../../../../platform/payments/biller.ts';
import { receiveCallback, receiveCallbackByQuery } from '../../contract.ts';
import { ASK_PAUSE_MS, UNCONFIRMED_AFTER_MS, UNREAD_AFTER_MS } from '../../rules/payments/verdict.ts';
import { closeCallback, findCallback, insertCallback } from '../../store/events.ts';
import { findOrder, findOrderBy } from '../../store/orders.ts';
import type { BillerClient } from '../checkout/biller-client.ts';
import { ASK, type OrderProcessor } from './order-processor.ts';
import type { Jobs } from '../jobs.ts';
import type { BillingDependencies } from '../dependencies.ts';
import { redacted } from './redaction.ts';

/** Kind of the deadline for reading a stored callback again that was not finished. */
const REREAD = 'billing.reread';
/** Kind of the deadline for asking a biller because of a callback, after a pause. */
const ASK_AGAIN = 'billing.askAgain';
/** Headers that are not stored: billers need none of them, and they may be personal. */
const DROPPED_HEADERS = new Set(['cookie', 'authorization', 'x-forwarded-for', 'forwarded']);

const PLAIN: Readonly<Record<string, string>> = { 'content-type': 'text/plain' };

type Outcome =
  'applied' | 'nothing_new' | 'forged' | 'unreadable' | 'unconfirmed' | 'order_unknown' | 'deferred';
type CallbackContext = HandlerContext<typeof hostRefusals.notFound>;
interface Dependencies extends BillingDependencies {
  readonly processor: OrderProcessor;
  readonly client: BillerClient;
  readonly jobs: Jobs;
}

/** Callbacks of billers: stored, then authenticated, then applied once, then answered. */
export class Inbox {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Receives one callback. Rejects when it is stored but could not be applied: the biller gets no 2xx. */
  async receive(scope: { operatorId: number }, biller: Biller, raw: RawCallback): Promise<CallbackReading> {
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

  /** Reads a stored callback again: the process died, or its payment could not be posted. */
  async reread(scope: { operatorId: number }, id: number): Promise<void> {
    const stored = await this.#deps.data.tx(scope, (tx) => findCallback(tx, id));
    const biller = stored && this.#deps.client.find(scope, stored.biller);
    if (!stored || !biller || stored.outcome !== 'unread') return;
    // If this attempt fails too, there is another.
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
    const { data, processor } = this.#deps;
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
      // The biller did not respond: the callback stays unread, and is read again.
      return data.tx(scope, (tx) => tx.schedule({
        kind: REREAD, key: String(id), at: new Date(tx.now.getTime() + UNCONFIRMED_AFTER_MS),
      }));
    }
    return data.tx(scope, async (tx) => {
      const source = { callbackId: id, isAnswer: false };
      const received = await processor.receive(tx, biller.name, reading.events, source);
      const outcomes = [...received.values()];
      const best = outcomes.includes('applied') ? 'applied'
        : outcomes.includes('order_unknown') ? 'order_unknown' : 'nothing_new';
      await closeCallback(tx, id, best);
      await tx.unschedule(REREAD, String(id));
    });
  }

  /**
   * Handles an unsigned callback: it only names the orders to ask the biller about. Null when the biller
   * could not be asked.
   */
  async #confirm(
    scope: { operatorId: number }, biller: Biller, callbackId: number, events: readonly PaymentEvent[],
  ): Promise<Outcome | null> {
    const { data, client } = this.#deps;
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
      const finding = await client.ask(scope, id, false, { callbackId, reference });
      if (finding === 'unreachable') return null;
      if (finding !== 'found') outcome = 'unconfirmed';
    }
    return outcome;
  }

  /** Whether the biller was just asked about an order; if so, schedules another question for later. */
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

  get deadlineHandlers(): DeadlineHandler[] {
    return [
      {
        kind: REREAD,
        handle: async ({ operatorId, key }) =>
          this.#deps.jobs.run(() => this.reread({ operatorId }, Number(key))),
      },
      {
        kind: ASK,
        handle: async ({ operatorId, key }) =>
          this.#deps.jobs.run(() => this.#deps.client.ask({ operatorId }, key, true)),
      },
      {
        kind: ASK_AGAIN,
        handle: async ({ operatorId, key }) =>
          this.#deps.jobs.run(() => this.#deps.client.ask({ operatorId }, key, false)),
      },
    ];
  }

  get callHandlers(): CallHandler[] {
    const reply = async (name: string, context: CallbackContext, method: 'GET' | 'POST', body: string) => {
      const { scope, raw: { query, headers }, address, refuse } = context;
      const biller = this.#deps.client.find(scope, name);
      if (!biller) return refuse(hostRefusals.notFound);
      const reading = await this.receive(scope, biller, { method, query, headers, body, address });
      const { status, contentType, body: said } = biller.reply(reading);
      return { status, headers: { ...PLAIN, 'content-type': contentType }, body: said };
    };
    return [
      handleCall(receiveCallback)(({ biller, body }, context) => reply(biller, context, 'POST', body)),
      handleCall(receiveCallbackByQuery)(({ biller }, context) => reply(biller, context, 'GET', '')),
    ];
  }
}

/** A callback's text as admins see it, without personal data. */
export const shownBody = ({ query, body }: { query: string; body: string }): string =>
  redacted([query, body].filter((part) => part !== '').join('\n'));
