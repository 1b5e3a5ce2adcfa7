import type { DeadlineHandler } from '#platform/contract/bind.ts';
import { personChannel } from '#platform/contract/event.ts';
import type { BillerName, DeclineCode } from '#platform/contract/payment.ts';
import type { Tx } from '#platform/data/data.ts';
import type { PaymentEvent, SavedCard } from '#platform/payments/biller.ts';
import { startOfDay } from '#platform/time/days.ts';
import { oneClickError, paymentChanged, paymentUpdate } from '../../contract.ts';
import { exceedsLimit, type OrderState } from '../../rules.ts';
import { judge, type Verdict } from '../../rules/payments/verdict.ts';
import {
  adoptEvents,
  claimEvent,
  eventsOf,
  insertEvent,
  settleEvents,
  type StoredEvent,
} from '../../store/events.ts';
import {
  centsSince,
  changeOrder,
  findOrder,
  findOrderBy,
  insertOrder,
  lockOrder,
  type Order,
  type OrderChanges,
} from '../../store/orders.ts';
import { lockBuyer } from '../../store/people.ts';
import { configurationOf, type BillingDependencies } from '../dependencies.ts';
import { childOrderId, purchaseId, reversePurchase, type Reversed } from './journal.ts';
import { outcomesOf, OVER_CAP, postPayments, wasHeld, type OrderPayment } from './posting.ts';

/** Kind of the deadline for asking a biller about an open order. */
export const ASK = 'billing.ask';
/** Kind of the deadline for retrying held payments, and how often. */
const RETRY = 'billing.overCap';
const RETRY_MS = 300_000;
/** Adopting an event can lead to adopting others; no chain is longer than this. */
const MAX_ADOPTIONS = 10;

/** The source of events: a callback, or the response to a charge that a caller waits for. */
export interface Source {
  readonly callbackId: number | null;
  readonly isAnswer: boolean;
}
const REVERSED = { refund: 'refunded', chargeback: 'charged_back' } as const;
const NO_REPORT = { card: null, isAnswer: false } as const;

/** An order that changed. */
export interface Change {
  readonly order: Order;
  readonly before: OrderState;
  readonly isNewlyPaid: boolean;
}

/** Reacts to changed orders in the same unit of work: cards, memberships, re-ups, emails. */
export interface OrderObserver {
  /** A part of a payment was reversed, and `tokens` with it; the order stays paid. */
  readonly partlyReversed?: (tx: Tx, order: Order, returned: Reversed, tokens: number) => Promise<void>;
  /** The first failed renewal since the last payment; billers retry for some days. */
  readonly renewalFailed?: (tx: Tx, root: Order, decline: DeclineCode | null) => Promise<void>;
  /** An order changed its state. */
  readonly changed?: (tx: Tx, change: Change) => Promise<void>;
  /** All events of an order were judged again; `card` paid for it. */
  readonly judged?: (tx: Tx, root: Order, verdict: Verdict, card: SavedCard | null) => Promise<void>;
}

/**
 * The only place that turns billers' events into order state, tokens and money: exactly once, for any order
 * of arrival and any repetition.
 */
export class OrderProcessor {
  readonly #deps: BillingDependencies;
  readonly #observers: OrderObserver[] = [];

  constructor(deps: BillingDependencies) {
    this.#deps = deps;
  }

  observe(observer: OrderObserver): void {
    this.#observers.push(observer);
  }

  /**
   * Applies authentic events of a biller: signed ones, and answers to our questions. Returns the outcome of
   * each by its id.
   */
  async receive(
    tx: Tx,
    biller: BillerName,
    events: readonly PaymentEvent[],
    from: Source,
  ): Promise<ReadonlyMap<string, 'applied' | 'duplicate' | 'order_unknown'>> {
    const outcomes = new Map<string, 'applied' | 'duplicate' | 'order_unknown'>();
    const roots = new Map<string, SavedCard | null>();
    // Every unit sorts events the same way, so that two units never deadlock.
    for (const event of events.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      const rootId = await this.#rootOf(tx, biller, event);
      const dated = { ...event, at: event.at ?? tx.now };
      const outcome = rootId === null ? 'order_unknown' : 'applied';
      // `waiting` marks a new event until it is judged.
      const isNew = await insertEvent(
        tx,
        biller,
        rootId,
        dated,
        from.callbackId,
        rootId === null ? 'order_unknown' : 'waiting',
      );
      const isClaimed = !isNew && rootId !== null && (await claimEvent(tx, biller, event.id, rootId));
      outcomes.set(event.id, isNew || isClaimed ? outcome : 'duplicate');
      if (rootId !== null && (isNew || isClaimed)) roots.set(rootId, event.card ?? roots.get(rootId) ?? null);
    }
    for (const [rootId, card] of [...roots].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      await this.judge(tx, rootId, {}, { card, isAnswer: from.isAnswer });
    }
    return outcomes;
  }

  /** The root order an event belongs to; null for an order of another biller. */
  async #rootOf(tx: Tx, biller: BillerName, event: PaymentEvent): Promise<string | null> {
    const named = event.orderId === null ? null : await findOrder(tx, event.orderId);
    if (named) return named.biller === biller ? (named.parentId ?? named.id) : null;
    if (event.orderId !== null) return null;
    const references = [event.reference, ...(event.of === null ? [] : [event.of])];
    return findOrderBy(tx, biller, { subscription: event.subscription, references });
  }

  /**
   * Brings an order to the state that follows from all its events. `own` is what only this site knows: that
   * nothing was sent, that a page is open, or that no payment can arrive any more.
   */
  async judge(
    tx: Tx,
    rootId: string,
    own: Pick<Partial<OrderChanges>, 'base' | 'decline'>,
    { card, isAnswer }: { readonly card: SavedCard | null; readonly isAnswer: boolean } = NO_REPORT,
  ): Promise<Order> {
    const locked = await lockOrder(tx, rootId);
    if (!locked) throw new Error(`order ${rootId} is gone`);
    if (own.base !== undefined) await changeOrder(tx, rootId, own);
    const order = { ...locked, ...own };
    const { verdict, events, subscription } = await this.#judgeFamily(tx, order);
    const { ledger } = this.#deps;
    const rows = await this.#paidOrders(tx, order, verdict);
    const missing = await postPayments(tx, ledger, {
      order,
      paying: rows,
      events,
      suspended: verdict.payments.filter(({ kind }) => kind === 'suspense'),
      overLimit: await this.#overLimit(tx, rows),
      owed: order.purpose === 'post_pay' ? (await ledger.limitsOf(tx, order.personId)).debtTokens : 0,
    });
    for (const one of rows) {
      const without = missing.get(one.row.id);
      if (without === 'all') await this.#suspend(tx, one, { subscription, isAnswer });
      else {
        // Held tokens count on the day of posting.
        const paidAt = wasHeld(one.payment, events) ? tx.now : one.payment.at;
        await this.#settle(tx, one, { subscription, isAnswer, card, paidAt, hasGift: without === undefined });
      }
    }
    if (!rows.some(({ row }) => row.id === rootId)) {
      const changes = { decline: verdict.decline, subscription };
      await this.#change(tx, { ...order, state: locked.state }, verdict.state, changes, {
        isNewlyPaid: false,
        isAnswer,
      });
    }
    const outcomes = outcomesOf(rows, events, missing);
    await noteOutcomes(tx, order.biller, events, verdict, outcomes);
    const waits = [...outcomes.values()].includes(OVER_CAP);
    if (waits) await tx.schedule({ kind: RETRY, key: rootId, at: new Date(tx.now.getTime() + RETRY_MS) });
    else if (events.some(({ outcome }) => outcome === OVER_CAP)) await tx.unschedule(RETRY, rootId);
    const [failed] = verdict.failedRenewals;
    const known = new Set(events.flatMap(({ id, outcome }) => (outcome === 'applied' ? [id] : [])));
    const isFirst = failed !== undefined && !verdict.failedRenewals.some(({ id }) => known.has(id));
    const judged = await findOrder(tx, rootId);
    if (!judged) throw new Error(`order ${rootId} is gone`);
    for (const { judged: notify } of this.#observers) await notify?.(tx, judged, verdict, card);
    for (const { renewalFailed } of isFirst ? this.#observers : []) {
      await renewalFailed?.(tx, judged, failed?.decline ?? null);
    }
    if (judged.state !== 'pending' && judged.state !== 'unknown') await tx.unschedule(ASK, rootId);
    return (await findOrder(tx, rootId)) ?? judged;
  }

  /** The orders whose payment, if it were posted now, would exceed its buyer's daily limit. */
  async #overLimit(tx: Tx, paying: readonly OrderPayment[]): Promise<ReadonlySet<string>> {
    const over = new Set<string>();
    for (const { row, payment } of paying) {
      if (row.paidAt !== null || payment.reversal !== null || row.usCents === 0) continue;
      const judged = { purpose: row.purpose, openedAt: row.createdAt, cents: row.usCents };
      if (!exceedsLimit(judged, 0, 1, tx.now)) continue;
      await lockBuyer(tx, row.personId);
      const { settings } = await configurationOf(tx);
      const others = await centsSince(tx, row.personId, startOfDay(tx.now), row.id);
      if (exceedsLimit(judged, settings.dailyLimitCents, others, tx.now)) over.add(row.id);
    }
    return over;
  }

  /** Judges all events of an order, and adopts those that turn out to belong to it. */
  async #judgeFamily(tx: Tx, order: Order): Promise<{
    verdict: Verdict;
    events: readonly StoredEvent[];
    subscription: string | null;
  }> {
    for (let round = 0; round < MAX_ADOPTIONS; round += 1) {
      const events = await eventsOf(tx, [order.id]);
      const amount = { minor: order.amountMinor, currency: order.currency };
      const verdict = judge({
        amount,
        renewal: order.renews ? amount : null,
        isRepayable: order.method === 'voucher',
        mainReference: order.reference,
        base: order.base,
        ownDecline: order.decline,
      }, events);
      const subscription = order.subscription ??
        events.find((item) => item.subscription !== null)?.subscription;
      const known = {
        subscription: subscription ?? null,
        references: verdict.payments.map(({ reference }) => reference),
      };
      if (!(await adoptEvents(tx, order.biller, order.id, known))) {
        return { verdict, events, subscription: known.subscription };
      }
    }
    throw new Error(`the events of order ${order.id} do not come to an end`);
  }

  /** Each ordered payment with its order: the root, or a child order. */
  async #paidOrders(tx: Tx, order: Order, { payments }: Verdict): Promise<OrderPayment[]> {
    const rows: OrderPayment[] = [];
    for (const payment of payments) {
      const { kind, key } = payment;
      if (kind === 'suspense') continue;
      if (kind === 'main') {
        rows.push({ row: order, payment });
        continue;
      }
      const id = childOrderId(order.id, key);
      await insertOrder(tx, {
        ...order,
        id,
        parentId: order.id,
        purpose: kind === 'renewal' ? 'renewal' : 'repaid',
        base: 'pending',
        reUpThreshold: null,
      });
      const row = await lockOrder(tx, id);
      if (row) rows.push({ row, payment });
    }
    return rows;
  }

  /** Applies a payment to its order. The payment is posted already; reversals are posted here. */
  async #settle(
    tx: Tx,
    { row, payment }: OrderPayment,
    { subscription, isAnswer, card, paidAt, hasGift }: {
      readonly subscription: string | null;
      readonly isAnswer: boolean;
      readonly card: SavedCard | null;
      readonly paidAt: Date;
      /** The free tokens were given. */
      readonly hasGift: boolean;
    },
  ): Promise<void> {
    const isNewlyPaid = row.paidAt === null;
    const paid: Partial<OrderChanges> = {
      decline: null,
      reference: row.reference ?? payment.reference,
      subscription,
      operation: row.tokens + row.amountMinor > 0 ? purchaseId(row.id) : null,
      paidAt: row.paidAt ?? paidAt,
      seller: row.seller ?? (isNewlyPaid ? await this.#deps.site.sellerIn(tx, row.siteId) : null),
      ...(isNewlyPaid && row.cardLast4 === null ? faceOf(card) : {}),
    };
    const how = { isNewlyPaid, isAnswer };
    const state = payment.reversal === null ? 'paid' : REVERSED[payment.reversal];
    const isMore = payment.backMinor > row.refundedMinor || (payment.reversal !== null && !row.refundedAt);
    const returned: Reversed | null = isMore
      ? {
        beforeMinor: row.refundedMinor,
        nowMinor: payment.backMinor,
        mode: payment.isCharged ? 'chargeback' : 'refund',
      }
      : null;
    const reversible = { ...row, ...paid, freeTokens: hasGift ? row.freeTokens : 0 };
    const tokens = returned && (await reversePurchase(tx, this.#deps.ledger, reversible, returned));
    // Refunded before the chargeback: no tokens are left to remove, but spending is blocked.
    if (returned === null && state === 'charged_back' && row.state !== state) {
      await this.#deps.ledger.block(tx, row.personId, `chargeback by ${row.biller}`, null);
    }
    const changes: Partial<OrderChanges> = {
      ...paid,
      refundedMinor: payment.backMinor,
      refundedAt: row.refundedAt ?? (payment.reversal === null ? null : tx.now),
    };
    await this.#change(tx, row, state, changes, how);
    if (returned === null || state !== 'paid') return;
    await tx.send(personChannel(row.personId), paymentUpdate, {
      order_id: row.id,
      state,
      tokens: -(tokens ?? 0),
      membership: row.membership,
      declined_reason: null,
    });
    for (const { partlyReversed: partlyBack } of this.#observers) {
      await partlyBack?.(tx, { ...row, ...changes, state }, returned, tokens ?? 0);
    }
  }

  /**
   * Holds a payment whose tokens cannot be posted yet; the order stays pending until they can. Partial
   * reversals are subtracted then; a full reversal ends the order.
   */
  async #suspend(
    tx: Tx,
    { row, payment }: OrderPayment,
    { subscription, isAnswer }: { readonly subscription: string | null; readonly isAnswer: boolean },
  ): Promise<void> {
    const { reversal, reference, backMinor } = payment;
    const state = reversal === null ? 'pending' : REVERSED[reversal];
    if (state === 'charged_back' && row.state !== state) {
      await this.#deps.ledger.block(tx, row.personId, `chargeback by ${row.biller}`, null);
    }
    const back = reversal === null ? {} : { refundedMinor: backMinor, refundedAt: row.refundedAt ?? tx.now };
    await this.#change(tx, row, state, {
      decline: null,
      reference: row.reference ?? reference,
      subscription,
      ...back,
    }, { isNewlyPaid: false, isAnswer });
  }

  /** Retries payments that wait for the marketing cap or for the next day. */
  get deadlineHandlers(): DeadlineHandler[] {
    return [{
      kind: RETRY,
      handle: async ({ operatorId, key }) => {
        await this.#deps.data.tx({ operatorId }, (tx) => this.judge(tx, key, {}));
      },
    }];
  }

  /** Stores an order's changes, then notifies its buyer, subscribers and observers. */
  async #change(
    tx: Tx,
    row: Order,
    state: OrderState,
    changes: Partial<OrderChanges>,
    { isNewlyPaid, isAnswer }: { readonly isNewlyPaid: boolean; readonly isAnswer: boolean },
  ): Promise<void> {
    await changeOrder(tx, row.id, { ...changes, state });
    if (row.state === state && !isNewlyPaid) return;
    const order: Order = { ...row, ...changes, state };
    const { id, personId, tokens, freeTokens, membership, amountMinor, currency, decline } = order;
    const given = tokens + freeTokens;
    await tx.send(personChannel(personId), paymentUpdate, {
      order_id: id,
      state,
      tokens: given,
      membership,
      declined_reason: decline,
    });
    // The caller of a charge gets the outcome in its response.
    const isLateFailure = !isAnswer && order.purpose === 'one_click' &&
      (row.state === 'unknown' || row.state === 'pending')
      && (state === 'declined' || state === 'expired');
    if (isLateFailure) {
      await tx.send(personChannel(personId), oneClickError, {
        order_id: id,
        error: state,
        declined_reason: decline,
      });
    }
    await tx.publish(paymentChanged, `person:${personId}`, {
      orderId: id,
      personId,
      state,
      internalId: order.internalId,
      tokens: given,
      amount: { minor: amountMinor, currency },
      membership,
    });
    for (const { changed } of this.#observers) await changed?.(tx, { order, before: row.state, isNewlyPaid });
  }
}

/** The card on the receipt of a payment made on a biller's page. */
const faceOf = (card: SavedCard | null): Pick<OrderChanges, 'cardBrand' | 'cardLast4'> => ({
  cardBrand: card?.face.brand ?? null,
  cardLast4: card?.face.last4 ?? null,
});

/** Stores the outcome of each event; `own` has the individual outcomes. */
async function noteOutcomes(
  tx: Tx,
  biller: BillerName,
  events: readonly StoredEvent[],
  { mismatched, waiting }: Verdict,
  own: ReadonlyMap<string, string>,
): Promise<void> {
  const odd = new Set([...mismatched, ...waiting, ...own.keys()]);
  for (const [id, outcome] of own) await settleEvents(tx, biller, [id], outcome);
  await settleEvents(tx, biller, mismatched, 'mismatched');
  await settleEvents(tx, biller, waiting, 'waiting');
  await settleEvents(tx, biller, events.flatMap(({ id }) => (odd.has(id) ? [] : [id])), 'applied');
}
