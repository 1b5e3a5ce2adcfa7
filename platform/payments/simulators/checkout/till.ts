import type { BillerName, DeclineCode, Money } from '#platform/contract/payment.ts';
import type { Clock } from '#platform/data/clock.ts';
import { randomId } from '#platform/data/ids.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import type { PaymentEvent, PayMethod } from '../../biller.ts';
import { Bounded } from '../bounded.ts';
import { FaultScript } from '../faults.ts';
import { behaviourOf, isCardNumber, type TestCard } from './test-cards.ts';

/** Limits for a demo of a month; older entries are dropped. */
const MAX_CHECKOUTS = 20_000;
const MAX_CARDS = 20_000;
const MAX_PAYMENTS = 400_000;
/** The delay of a late reversal. */
const REVERSAL_MS = 72 * HOUR_MS;

/** A payment page that a payer was sent to. */
export interface Checkout {
  readonly id: string;
  readonly orderId: string;
  readonly amount: Money;
  readonly renewal: { readonly amount: Money; readonly days: number } | null;
  readonly title: string;
  readonly payerRef: string;
  readonly returnUrl: string;
  readonly method: PayMethod;
}

/** A saved card; its number is dropped after it was read once. */
export interface SavedCard {
  readonly token: string;
  readonly payerRef: string;
  readonly brand: string;
  readonly first6: string;
  readonly last4: string;
  /** `MM/YY`. */
  readonly expiry: string;
  readonly decline: DeclineCode | null;
  readonly renewalDecline: DeclineCode | null;
  /** Charges left; null for no limit. */
  readonly usesLeft: number | null;
}

export interface Payment {
  /** The biller's number of this movement. */
  readonly reference: string;
  readonly orderId: string;
  readonly kind: 'sale' | 'renewal' | 'refund' | 'chargeback' | 'cancellation';
  /** The movement that this one reverses. */
  readonly of: string | null;
  readonly amount: Money;
  readonly at: Date;
  readonly state: 'pending' | 'approved' | 'declined' | 'expired';
  readonly decline: DeclineCode | null;
  readonly card: SavedCard | null;
  /** The number of the subscription. */
  readonly subscription: string | null;
  readonly method: PayMethod;
  readonly checkoutId: string | null;
  /** Sold on a page, and not by charging a saved card. */
  readonly onPage: boolean;
}

/** An event, which a callback reports. */
export interface SimulatorEvent {
  readonly type: PaymentEvent['type'];
  readonly payment: Payment;
}

export interface Sale {
  readonly orderId: string;
  readonly amount: Money;
  readonly renewal: Checkout['renewal'];
  readonly method: PayMethod;
  readonly checkoutId: string | null;
}

interface Subscription {
  readonly id: string;
  readonly orderId: string;
  readonly amount: Money;
  readonly card: SavedCard | null;
  readonly isCancelled: boolean;
}

/** How a simulator numbers its sales. */
export type Numbering = (sequence: number, startedAt: Date) => string;

export interface TillOptions {
  readonly name: BillerName;
  readonly clock: Clock;
  readonly numbering: Numbering;
  /** How this processor takes payments back; none for cash, and for transfers the shop makes itself. */
  readonly reverses: readonly ('refund' | 'chargeback')[];
  readonly notify: (event: SimulatorEvent) => void;
}

/** The records of one simulated processor: pages, cards and payments, all in memory and limited. */
export class Till {
  readonly script = new FaultScript();
  readonly name: BillerName;
  readonly #clock: Clock;
  readonly #number: Numbering;
  readonly #startedAt: Date;
  readonly #reverses: TillOptions['reverses'];
  readonly #notify: (event: SimulatorEvent) => void;
  readonly #checkouts = new Bounded<Checkout>(MAX_CHECKOUTS);
  readonly #cards = new Bounded<SavedCard>(MAX_CARDS);
  readonly #payments = new Bounded<Payment>(MAX_PAYMENTS);
  readonly #ofOrder = new Bounded<readonly string[]>(MAX_PAYMENTS);
  readonly #subscriptions = new Bounded<Subscription>(MAX_CHECKOUTS);
  /** All events in order of time, so that a report of one day need not read the whole year. */
  #diary: { readonly reference: string; readonly atMs: number }[] = [];
  #sequence = 0;

  constructor(options: TillOptions) {
    this.name = options.name;
    this.#clock = options.clock;
    this.#number = options.numbering;
    this.#reverses = options.reverses;
    this.#startedAt = options.clock.now();
    this.#notify = options.notify;
  }

  now(): Date {
    return this.#clock.now();
  }

  open(checkout: Omit<Checkout, 'id'>): Checkout {
    const opened = { ...checkout, id: randomId() };
    this.#checkouts.set(opened.id, opened);
    return opened;
  }

  checkout(id: string): Checkout | undefined {
    return this.#checkouts.get(id);
  }

  /** Examines a card; null for an invalid number. Only its first six and last four digits are stored. */
  keep(number: string, expiry: string, payerRef: string, uses: number | null): SavedCard | null {
    if (!isCardNumber(number)) return null;
    return this.#hold(behaviourOf(number), { number, expiry, payerRef, uses });
  }

  #hold(
    behaviour: TestCard,
    card: {
      readonly number: string;
      readonly expiry: string;
      readonly payerRef: string;
      readonly uses: number | null;
    },
  ): SavedCard {
    const saved: SavedCard = {
      token: randomId(),
      payerRef: card.payerRef,
      brand: behaviour.brand,
      first6: card.number.slice(0, 6),
      last4: card.number.slice(-4),
      expiry: card.expiry,
      decline: behaviour.decline,
      renewalDecline: behaviour.renewalDecline,
      usesLeft: card.uses,
    };
    this.#cards.set(saved.token, saved);
    return saved;
  }

  card(token: string): SavedCard | undefined {
    return this.#cards.get(token);
  }

  /** The same card under a new token that replaces the old one, as CCBill issues with each charge. */
  renewToken(card: SavedCard): SavedCard {
    const fresh = { ...card, token: randomId() };
    this.#cards.set(fresh.token, fresh);
    return fresh;
  }

  useUp(card: SavedCard): void {
    if (card.usesLeft !== null) this.#cards.set(card.token, { ...card, usesLeft: card.usesLeft - 1 });
  }

  /** Reserves a number for a future sale. */
  reserve(): string {
    return this.#next();
  }

  /** Charges a card for a sale: one payment, approved or declined. */
  sell(
    sale: Sale,
    card: SavedCard | null,
    decline: DeclineCode | null = card?.decline ?? null,
    reference: string = this.#next(),
  ): Payment {
    const payment: Payment = {
      reference,
      orderId: sale.orderId,
      kind: 'sale',
      of: null,
      at: this.now(),
      card,
      decline,
      amount: sale.checkoutId !== null && decline === null ? this.#distorted(sale.amount) : sale.amount,
      state: decline === null ? 'approved' : 'declined',
      method: sale.method,
      checkoutId: sale.checkoutId,
      subscription: sale.renewal && decline === null ? reference : null,
      onPage: sale.checkoutId !== null,
    };
    this.#record(payment);
    if (sale.renewal && decline === null) {
      this.#subscriptions.set(reference, {
        id: reference,
        orderId: sale.orderId,
        amount: sale.renewal.amount,
        card,
        isCancelled: false,
      });
    }
    this.#notify({ type: decline === null ? 'paid' : 'declined', payment });
    if (decline === null) this.#later(reference);
    return payment;
  }

  /** Records a payment that is seen but not final: a transfer without confirmations, an unpaid code. */
  expectTransfer(sale: Sale): Payment {
    const payment: Payment = {
      reference: this.#next(),
      orderId: sale.orderId,
      kind: 'sale',
      of: null,
      at: this.now(),
      card: null,
      decline: null,
      amount: sale.amount,
      state: 'pending',
      method: sale.method,
      checkoutId: sale.checkoutId,
      subscription: null,
      onPage: true,
    };
    this.#record(payment);
    this.#notify({ type: 'pending', payment });
    return payment;
  }

  /** Ends a pending payment: paid with the amount that really arrived, declined, or expired. */
  conclude(reference: string, outcome: 'paid' | 'declined' | 'expired', came?: Money): Payment | null {
    const pending = this.#payments.get(reference);
    if (pending?.state !== 'pending') return null;
    const state = { paid: 'approved', declined: 'declined', expired: 'expired' } as const;
    const payment: Payment = {
      ...pending,
      at: this.now(),
      state: state[outcome],
      decline: outcome === 'declined' ? 'NDECLINED' : null,
      amount: outcome === 'paid' ? this.#distorted(came ?? pending.amount) : pending.amount,
    };
    this.#record(payment);
    this.#notify({ type: outcome, payment });
    if (outcome === 'paid') this.#later(reference);
    return payment;
  }

  refund(reference: string, amount?: Money): Payment | null {
    return this.#takeBack(reference, 'refund', amount);
  }

  chargeback(reference: string): Payment | null {
    return this.#takeBack(reference, 'chargeback');
  }

  #takeBack(reference: string, kind: 'refund' | 'chargeback', amount?: Money): Payment | null {
    const sale = this.#reverses.includes(kind) ? this.#payments.get(reference) : undefined;
    if (!sale || sale.state !== 'approved' || (sale.kind !== 'sale' && sale.kind !== 'renewal')) return null;
    if (this.ofOrder(sale.orderId).some((item) => item.of === reference)) return null;
    const payment: Payment = {
      ...sale,
      reference: this.#next(),
      kind,
      of: reference,
      amount: amount ?? sale.amount,
      at: this.now(),
      checkoutId: null,
    };
    this.#record(payment);
    this.#notify({ type: kind === 'refund' ? 'refunded' : 'charged_back', payment });
    return payment;
  }

  /** Charges a subscription again. */
  renew(id: string): Payment | null {
    const subscription = this.#subscriptions.get(id);
    if (!subscription || subscription.isCancelled) return null;
    const { card, amount, orderId } = subscription;
    const decline = card?.renewalDecline ?? null;
    const payment: Payment = {
      reference: this.#next(),
      orderId,
      kind: 'renewal',
      of: null,
      amount,
      at: this.now(),
      card,
      decline,
      state: decline === null ? 'approved' : 'declined',
      subscription: id,
      method: 'card',
      checkoutId: null,
      onPage: false,
    };
    this.#record(payment);
    this.#notify({ type: decline === null ? 'renewed' : 'renewal_failed', payment });
    return payment;
  }

  cancel(id: string): boolean {
    const subscription = this.#subscriptions.get(id);
    const sale = this.#payments.get(id);
    if (!subscription || !sale) return false;
    if (subscription.isCancelled) return true;
    this.#subscriptions.set(id, { ...subscription, isCancelled: true });
    const payment: Payment = {
      ...sale,
      reference: this.#next(),
      kind: 'cancellation',
      at: this.now(),
      checkoutId: null,
    };
    this.#record(payment);
    this.#notify({ type: 'cancelled', payment });
    return true;
  }

  payment(reference: string): Payment | undefined {
    return this.#payments.get(reference);
  }

  /** All events of an order, oldest first. */
  ofOrder(orderId: string): Payment[] {
    return (this.#ofOrder.get(orderId) ?? []).flatMap((reference) => this.#payments.get(reference) ?? []);
  }

  payments(): Payment[] {
    return this.#payments.values();
  }

  /** Events from `start` on, oldest first. */
  since(start: Date): Payment[] {
    const found = new Map<string, Payment>();
    for (let at = this.#diary.length - 1; at >= 0; at -= 1) {
      const entry = this.#diary[at];
      if (!entry || entry.atMs < start.getTime()) break;
      const payment = found.has(entry.reference) ? undefined : this.#payments.get(entry.reference);
      if (payment) found.set(entry.reference, payment);
    }
    return [...found.values()].reverse();
  }

  #next(): string {
    this.#sequence += 1;
    return this.#number(this.#sequence, this.#startedAt);
  }

  #record(payment: Payment): void {
    const known = this.#ofOrder.get(payment.orderId) ?? [];
    if (!known.includes(payment.reference)) this.#ofOrder.set(payment.orderId, [...known, payment.reference]);
    this.#payments.set(payment.reference, payment);
    this.#diary.push({ reference: payment.reference, atMs: payment.at.getTime() });
    if (this.#diary.length > 2 * MAX_PAYMENTS) this.#diary = this.#diary.slice(-MAX_PAYMENTS);
  }

  /** The wrong price of a faulty page: one unit less, or the same number in another currency. */
  #distorted(amount: Money): Money {
    const fault = this.script.take('sale');
    if (fault === 'wrong_amount') return { ...amount, minor: Math.max(1, amount.minor - 1) };
    if (fault === 'wrong_currency') return { ...amount, currency: amount.currency === 'USD' ? 'EUR' : 'USD' };
    return amount;
  }

  #later(reference: string): void {
    const fault = this.script.take('after');
    if (fault === null) return;
    this.#clock.after('late reversal', REVERSAL_MS, () => {
      if (fault === 'chargeback') this.chargeback(reference);
      else this.refund(reference);
    });
  }
}
