import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Tx } from '#platform/data/data.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { startOfDay } from '#platform/time/days.ts';
import type { z } from 'zod';
import { billerUnavailable } from '../../contract.ts';
import { orderUnknown } from '../../contract/orders.ts';
import {
  askBillerAgain,
  findPayments,
  getBillingAlarms,
  notRefundable,
  refundPayment,
  type PaymentView,
} from '../../contract/payments.ts';
import { ALARMS_LISTED, PAYMENTS_PAGE } from '../../rules.ts';
import { UNKNOWN_ALARM_MS } from '../../rules/payments/verdict.ts';
import { callbacksOf, countCallbacks, countStrays, eventsOf } from '../../store/events.ts';
import {
  findOrder,
  findOrders,
  lockOrder,
  ordersWith,
  peopleBehind,
  unknownOrders,
  type Order,
} from '../../store/orders.ts';
import { refusedOn } from '../../store/unauthenticated.ts';
import { shownBody } from '../callbacks/callbacks.ts';
import type { OrderProcessor } from '../callbacks/order-processor.ts';
import { OVER_CAP } from '../callbacks/posting.ts';
import type { BillerClient } from '../checkout/biller-client.ts';
import type { BillingDependencies } from '../dependencies.ts';
import { orderView } from '../views.ts';

type Payment = z.infer<typeof PaymentView>;

const known = (
  digests: readonly (string | null)[],
): string[] => [...new Set(digests.filter((digest) => digest !== null))];

/** A digest with the number of people who share it; null for none. */
const sharedBy = (
  id: string | null,
  people: ReadonlyMap<string, number>,
): Payment['trace']['device'] => (id === null ? null : { id, people: people.get(id) ?? 1 });

interface Parts extends BillingDependencies {
  readonly client: BillerClient;
  readonly processor: OrderProcessor;
}

/** Payments for admins: search with billers' events and callbacks, alarms, asking a biller again. */
export class AdminPayments {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Orders with their events and callbacks; a renewal's events belong to its root order. */
  async #payments(tx: Tx, orders: readonly Order[], locale: string): Promise<Payment[]> {
    const { accounts, text } = this.#parts;
    const people = await accounts.findMany(tx, [...new Set(orders.map(({ personId }) => personId))]);
    const roots = [...new Set(orders.map(({ id, parentId }) => parentId ?? id))];
    const events = await eventsOf(tx, roots);
    const callbacks = await callbacksOf(tx, roots);
    const devices = await peopleBehind(tx, 'device', known(orders.map(({ device }) => device)));
    const reports = await peopleBehind(tx, 'blackbox', known(orders.map(({ blackbox }) => blackbox)));
    return orders.map((order) => {
      const root = order.parentId ?? order.id;
      return {
        ...orderView(order, text, locale),
        person_id: order.personId,
        username: people.get(order.personId)?.username ?? '',
        operation: order.operation,
        began_with: order.parentId,
        asked: order.asked,
        asked_at: order.askedAt?.toISOString() ?? null,
        trace: {
          advert_id: order.advertId,
          device: sharedBy(order.device, devices),
          blackbox: sharedBy(order.blackbox, reports),
        },
        events: events.filter(({ orderId }) => orderId === root)
          .map(({ id, type, reference, amount, at, outcome }) => ({
            id,
            type,
            reference,
            amount,
            at: at.toISOString(),
            outcome,
          })),
        callbacks: callbacks.filter(({ orderId }) => orderId === root)
          .map(({ id, at, method, outcome, query, body }) => ({
            id,
            at: at.toISOString(),
            method,
            outcome,
            body: shownBody({ query, body }),
          })),
      };
    });
  }

  get callHandlers(): CallHandler[] {
    return [this.#find(), this.#alarms(), this.#refund(), this.#askAgain()];
  }

  #find(): CallHandler {
    const { data, accounts } = this.#parts;
    return handleCall(findPayments)(({ reference, order, username, before }, { scope, locale }) =>
      data.tx(scope, async (tx) => {
        const person = username === undefined
          ? null
          : await accounts.findForStaff(tx, normalizeUsername(username));
        if (username !== undefined && !person) return { payments: [], next: null };
        const beforeNr = /^\d{1,15}$/u.test(before ?? '') ? Number(before) : undefined;
        const found = await findOrders(
          tx,
          { reference, order, personId: person?.id, before: beforeNr },
          PAYMENTS_PAGE + 1,
        );
        const page = found.slice(0, PAYMENTS_PAGE);
        const next = found.length > PAYMENTS_PAGE ? String(page.at(-1)?.nr ?? '') : null;
        return { payments: await this.#payments(tx, page, locale), next };
      })
    );
  }

  #alarms(): CallHandler {
    const { data, text } = this.#parts;
    return handleCall(getBillingAlarms)((_input, { scope, locale }) =>
      data.tx(scope, async (tx) => {
        const today = startOfDay(tx.now);
        const unknown = await unknownOrders(tx, new Date(tx.now.getTime() - UNKNOWN_ALARM_MS), ALARMS_LISTED);
        const mismatched = await ordersWith(tx, 'mismatched', ALARMS_LISTED);
        const overCap = await ordersWith(tx, OVER_CAP, ALARMS_LISTED);
        return {
          unknown: unknown.map((order) => orderView(order, text, locale)),
          mismatched: await this.#payments(tx, mismatched, locale),
          over_cap: await this.#payments(tx, overCap, locale),
          forged_today: await refusedOn(tx, 'forged', today),
          unread: (await countCallbacks(tx, 'unread', new Date(0))) + (await countStrays(tx))
            + (await refusedOn(tx, 'unreadable', today)),
        };
      })
    );
  }

  /** Records a refund that staff made at the biller, by the same rules as one that the biller reports. */
  #refund(): CallHandler {
    const { data, processor } = this.#parts;
    return handleCall(refundPayment)(({ id, reason }, { scope, caller, locale, refuse }) =>
      data.tx(scope, async (tx) => {
        // Locks the root first, like judging does.
        const found = await findOrder(tx, id);
        if (found) await lockOrder(tx, found.parentId ?? found.id);
        const order = found && await findOrder(tx, id);
        if (!order) return refuse(orderUnknown);
        if (order.state !== 'paid' || order.amountMinor === 0) return refuse(notRefundable);
        await processor.receive(tx, order.biller, [{
          // One id per order, so that pressing twice refunds once.
          id: `refund by staff ${order.id}`,
          type: 'refunded',
          orderId: order.parentId ?? order.id,
          reference: `refund by staff ${order.id}`,
          of: order.reference,
          subscription: null,
          amount: { minor: order.amountMinor, currency: order.currency },
          card: null,
          decline: null,
          at: tx.now,
        }], { callbackId: null, isAnswer: false });
        await tx.audit({
          action: refundPayment.name,
          actorId: caller.personId,
          subject: `order:${id}`,
          reason,
          detail: { minor: order.amountMinor - order.refundedMinor, currency: order.currency },
        });
        const now = await findOrder(tx, id);
        // A payment with a charged-back part counts as charged back.
        if (!now || now.state === 'paid') throw new Error(`order ${id} did not take its refund`);
        const [payment] = await this.#payments(tx, [now], locale);
        return payment ? { payment } : refuse(orderUnknown);
      })
    );
  }

  #askAgain(): CallHandler {
    const { data, client, processor } = this.#parts;
    return handleCall(askBillerAgain)(async ({ id }, { scope, caller, locale, refuse }) => {
      const order = await data.tx(scope, (tx) => findOrder(tx, id));
      if (!order) return refuse(orderUnknown);
      const root = order.parentId ?? order.id;
      // The payment may be waiting for the marketing cap instead of the biller.
      await data.tx(scope, (tx) => processor.judge(tx, root, {}));
      const finding = await client.ask(scope, root, false);
      if (finding === 'unreachable' || finding === 'unable') return refuse(billerUnavailable);
      return data.tx(scope, async (tx) => {
        await tx.audit({
          action: 'billing.askAgain',
          actorId: caller.personId,
          subject: `order:${id}`,
          detail: { finding },
        });
        const now = await findOrder(tx, id);
        const [payment] = await this.#payments(tx, now ? [now] : [], locale);
        return payment ? { payment } : refuse(orderUnknown);
      });
    });
  }
}
