import { handleCall, type CallHandler, type DeadlineHandler } from '#platform/contract/bind.ts';
import type { HandlerContext } from '#platform/contract/context.ts';
import type { BillerName } from '#platform/contract/payment.ts';
import { hostRefusals } from '#platform/contract/refusal.ts';
import type { Tx } from '#platform/data/data.ts';
import type { Biller, CallbackReading, PaymentEvent, RawCallback } from '#platform/payments/biller.ts';
import { withoutCardNumbers } from '#platform/text/card-numbers.ts';
import { unstorablePaths } from '#platform/text/stored-text.ts';
import { receiveCallback, receiveCallbackByQuery } from '../../contract/callbacks.ts';
import { ASK_PAUSE_MS, UNCONFIRMED_AFTER_MS, UNREAD_AFTER_MS } from '../../rules/payments/verdict.ts';
import { closeCallback, findCallback, insertCallback, type StoredCallback } from '../../store/events.ts';
import { findOrder, findOrderBy } from '../../store/orders.ts';
import { retained, takeRetained } from '../../store/unauthenticated.ts';
import type { BillerClient } from '../checkout/biller-client.ts';
import type { BillingDependencies } from '../dependencies.ts';
import type { Jobs } from '../jobs.ts';
import { ASK, type OrderProcessor } from './order-processor.ts';
import { redacted } from './redaction.ts';
import { Unauthenticated } from './unauthenticated.ts';

/** Kind of the deadline for reading a stored callback again that was not finished. */
const REREAD = 'billing.reread';
/** Kind of the deadline for asking a biller after a pause, because of a callback. */
const ASK_AGAIN = 'billing.askAgain';
/** Headers that are not stored: billers need none of them, and they may be personal. */
const DROPPED_HEADERS = new Set(['cookie', 'authorization', 'x-forwarded-for', 'forwarded']);

const PLAIN: Readonly<Record<string, string>> = { 'content-type': 'text/plain' };

type Outcome =
  | 'applied'
  | 'nothing_new'
  | 'forged'
  | 'unreadable'
  | 'unconfirmed'
  | 'order_unknown'
  | 'deferred';
type StorableCallback = Omit<StoredCallback, 'id' | 'at' | 'outcome'>;
type CallbackContext = HandlerContext<typeof hostRefusals.notFound>;
interface Dependencies extends BillingDependencies {
  readonly processor: OrderProcessor;
  readonly client: BillerClient;
  readonly jobs: Jobs;
}

const isAuthentic = ({ kind }: CallbackReading): boolean => kind === 'genuine' || kind === 'unsigned';

const rawOf = ({ method, query, headers, body, address }: Omit<StorableCallback, 'biller'>): RawCallback => ({
  method: method === 'GET' ? 'GET' : 'POST',
  query,
  headers,
  body,
  address,
});

/** Parsed JSON; null for anything else. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Reads a callback. It is unreadable if its decoded text has characters that the database cannot store (NUL
 * as `%00`, in JSON or in XML): the fields that the biller's adapter reads could not be stored either.
 */
function readingOf(biller: Biller, raw: RawCallback): CallbackReading {
  const fields = [raw.query, raw.body].map((text) => [...new URLSearchParams(text)]);
  const isStorable = unstorablePaths([fields, raw.body, jsonOf(raw.body)]).length === 0
    && !/&#(?:0+|x0+);/iu.test(raw.body);
  return isStorable ? biller.read(raw) : { kind: 'unreadable', reason: 'it holds a NUL' };
}

/** The part of a callback that may be stored: no card numbers, no personal headers. */
function storable(biller: Biller, raw: RawCallback): StorableCallback {
  const headers = Object.entries(raw.headers).filter(([name]) => !DROPPED_HEADERS.has(name))
    .map(([name, value]) => [name, withoutCardNumbers(value)]);
  return {
    biller: biller.name,
    method: raw.method,
    query: withoutCardNumbers(raw.query),
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: withoutCardNumbers(raw.body),
    address: raw.address,
  };
}

async function store(tx: Tx, callback: StorableCallback): Promise<number> {
  const id = await insertCallback(tx, callback);
  await tx.schedule({ kind: REREAD, key: String(id), at: new Date(tx.now.getTime() + UNREAD_AFTER_MS) });
  return id;
}

/**
 * Callbacks of billers: authenticated (without requests or writes), then stored, applied once, and answered.
 * Callbacks that cannot be authenticated fill no table (`unauthenticated.ts`).
 */
export class Inbox {
  readonly #deps: Dependencies;
  readonly #unauthenticated: Unauthenticated;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#unauthenticated = new Unauthenticated(deps);
  }

  /** Receives one callback. Rejects when it is stored but could not be applied: the biller gets no 2xx. */
  async receive(scope: { operatorId: number }, biller: Biller, raw: RawCallback): Promise<CallbackReading> {
    const reading = readingOf(biller, raw);
    const callback = storable(biller, raw);
    if (reading.kind === 'forged' || reading.kind === 'unreadable') {
      await this.#unauthenticated.receive(scope, reading.kind, callback);
      return reading;
    }
    const id = await this.#deps.data.tx(scope, (tx) => store(tx, callback));
    await this.#apply(scope, biller, id, reading);
    return reading;
  }

  /** Reads unauthenticated callbacks again: the site may have restarted with new keys of a biller. */
  async recover(): Promise<void> {
    const { data, client, site, jobs } = this.#deps;
    for (const operatorId of await site.operators()) {
      const scope = { operatorId };
      for (const callback of await data.tx(scope, retained)) {
        const biller = client.find(scope, callback.biller);
        const reading = biller && readingOf(biller, rawOf(callback));
        if (!biller || !reading || !isAuthentic(reading)) continue;
        const { id: _id, ...stored } = callback;
        const id = await data.tx(
          scope,
          async (tx) => (await takeRetained(tx, callback.id) ? store(tx, stored) : null),
        );
        if (id !== null) jobs.run(() => this.#apply(scope, biller, id, reading));
      }
    }
  }

  /** Reads a stored callback again, after a crash or when its payment could not be posted. */
  async reread(scope: { operatorId: number }, id: number): Promise<void> {
    const stored = await this.#deps.data.tx(scope, (tx) => findCallback(tx, id));
    const biller = stored && this.#deps.client.find(scope, stored.biller);
    if (!stored || !biller || stored.outcome !== 'unread') return;
    // Schedule the next attempt first, in case this one fails too.
    await this.#deps.data.tx(scope, (tx) =>
      tx.schedule({
        kind: REREAD,
        key: String(id),
        at: new Date(tx.now.getTime() + UNCONFIRMED_AFTER_MS),
      }));
    await this.#apply(scope, biller, id, readingOf(biller, rawOf(stored)));
  }

  async #apply(
    scope: { operatorId: number },
    biller: Biller,
    id: number,
    reading: CallbackReading,
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
      // The biller did not respond, so the callback stays unread and is read again.
      return data.tx(scope, (tx) =>
        tx.schedule({
          kind: REREAD,
          key: String(id),
          at: new Date(tx.now.getTime() + UNCONFIRMED_AFTER_MS),
        }));
    }
    return data.tx(scope, async (tx) => {
      const source = { callbackId: id, isAnswer: false };
      const received = await processor.receive(tx, biller.name, reading.events, source);
      const outcomes = [...received.values()];
      const best = outcomes.includes('applied')
        ? 'applied'
        : outcomes.includes('order_unknown')
        ? 'order_unknown'
        : 'nothing_new';
      await closeCallback(tx, id, best);
      await tx.unschedule(REREAD, String(id));
    });
  }

  /**
   * Handles an unsigned callback: it is only used to know which orders to ask the biller about. Null if the
   * biller could not be asked.
   */
  async #confirm(
    scope: { operatorId: number },
    biller: Biller,
    callbackId: number,
    events: readonly PaymentEvent[],
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

  /** Whether the biller was asked about an order just now; if so, schedules another inquiry for later. */
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
      ...this.#unauthenticated.deadlineHandlers,
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
