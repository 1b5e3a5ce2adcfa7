/**
 * The port to payment processors ("billers"): the operations a shop calls, and the events a biller reports.
 * Processors differ in wire format, in what they sign and in what they can do; code above this file sees none
 * of it. The shop compares every amount with the order before it enters its journal, because a callback
 * carries no authority.
 */

import type { BillerName, DeclineCode, Money } from '#platform/contract/payment.ts';

/** A way to pay, as the payer sees it. */
export type PayMethod = 'card' | 'paypal' | 'crypto' | 'voucher';

/** What a biller can do beyond a hosted page. */
export interface Abilities {
  readonly methods: readonly PayMethod[];
  /** Charges a card that was used before, without a page. */
  readonly charges: boolean;
  /** Saves a card that a browser sent to the biller's own token service. */
  readonly saves: boolean;
  /** Sells subscriptions that renew by themselves. */
  readonly renews: boolean;
  /** Can report the state of an order. */
  readonly answers: boolean;
}

/**
 * Something to be paid for. `id` is ours (a UUID), and the biller returns it with everything it reports on
 * the order.
 */
export interface Order {
  readonly id: string;
  readonly amount: Money;
  /** Renews by itself for this amount every so many days. */
  readonly renewal: { readonly amount: Money; readonly days: number } | null;
  /** One line for the biller's page, without personal text. */
  readonly title: string;
  readonly payer: Payer;
  /** Where the browser returns to. The return itself proves nothing. */
  readonly returnUrl: string;
}

export interface Payer {
  /** Opaque and stable per person and biller; never a username. */
  readonly ref: string;
  readonly email: string | null;
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
  readonly address: string | null;
}

/** The parts of a card that a biller lets us store: never its number. */
export interface CardFace {
  readonly brand: string;
  readonly first6: string | null;
  readonly last4: string;
  /** `MM/YY`. */
  readonly expiry: string | null;
}

/** A card that the biller stores, with the biller's token for it. */
export interface SavedCard {
  readonly token: string;
  readonly face: CardFace;
}

/** One thing that happened to a payment. `id` is unique at its biller for ever, however the event arrived. */
export interface PaymentEvent {
  readonly id: string;
  readonly type:
    | 'pending' // seen, but not final yet (an unconfirmed transfer)
    | 'paid' // we have the money; a voucher code paid twice at a till makes two events with two ids
    | 'declined'
    | 'expired' // can no longer be paid
    | 'refunded'
    | 'charged_back'
    | 'renewed' // a later charge of the same order
    | 'renewal_failed'
    | 'cancelled'; // no longer renews
  /** Our order, if the biller returned it; otherwise found by `subscription` or `reference`. */
  readonly orderId: string | null;
  /** The biller's id of the transaction, which its report and support know. */
  readonly reference: string;
  /** For refunds and chargebacks: the `reference` of the reversed payment, when the biller names it. */
  readonly of: string | null;
  readonly subscription: string | null;
  /** The amount that really moved; null when none did. */
  readonly amount: Money | null;
  /**
   * The card for the next charge. If its token differs from the one just charged, that one is used up: store
   * this card in its place.
   */
  readonly card: SavedCard | null;
  readonly decline: DeclineCode | null;
  /** When it happened, by the biller's clock; null when it does not say. */
  readonly at: Date | null;
}

/** A biller's request as it arrived. */
export interface RawCallback {
  readonly method: 'GET' | 'POST';
  /** The query without its `?`, undecoded. */
  readonly query: string;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Address the request came from. */
  readonly address: string;
}

export type CallbackReading =
  /** `events` is empty for a probe, or for something we do not handle. */
  | { readonly kind: 'genuine'; readonly events: readonly PaymentEvent[] }
  /**
   * Must not be believed until the biller has been asked (`Biller.find`, by order and reference): either
   * nothing is signed, or what is signed lacks the amount. `find` returns the same event ids.
   */
  | { readonly kind: 'unsigned'; readonly events: readonly PaymentEvent[] }
  | { readonly kind: 'forged'; readonly reason: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * The reply that the biller expects, once the raw callback is stored: 2xx for a readable one; an error for an
 * unreadable one, so that it is sent again (a truncated body arrives whole the next time, a secret may just
 * be changing).
 */
export interface CallbackReply {
  readonly status: 200 | 400;
  readonly contentType: string;
  readonly body: string;
}

export type ChargeOutcome =
  | { readonly kind: 'paid'; readonly event: PaymentEvent }
  | { readonly kind: 'declined'; readonly event: PaymentEvent }
  /** The person must pass a page first (3-D Secure). */
  | { readonly kind: 'page'; readonly url: string }
  /** Sent, but the outcome is unknown: `find` or a callback settles it; never charge again. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** Surely not sent: the next biller may be tried. */
  | { readonly kind: 'unreachable'; readonly reason: string };

export type PageOutcome =
  | {
    readonly kind: 'page';
    readonly url: string;
    /** When the page stops taking payment. */
    readonly until: Date | null;
  }
  | { readonly kind: 'unreachable'; readonly reason: string };

/**
 * What a card page needs to send a card from the browser straight to the biller's token service: a POST of
 * JSON with `authorization: Bearer`, `fields` and the typed `nameOnCard`, `cardNumber`, `expMonth`,
 * `expYear`, `cvv2`. The service answers 201 with `paymentTokenId`, or 400 with
 * `errors: [{propertyName, message}]`.
 */
export interface CardForm {
  /** Origins the page may talk to; all others are blocked (`connect-src`). */
  readonly origins: readonly string[];
  /** Where the browser POSTs the card. */
  readonly url: string;
  /** Short-lived, and valid only for making payment tokens. */
  readonly bearer: string;
  /** Further fields for the token service, sent unchanged. */
  readonly fields: Readonly<Record<string, string>>;
}

/** The state of an order, as the biller itself reports it. */
export type Finding =
  | { readonly kind: 'found'; readonly events: readonly PaymentEvent[] }
  /** The biller knows of no payment of this order. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unreachable'; readonly reason: string };

/** One payment processor of one operator. Methods never throw for failures of the other side. */
export interface Biller {
  readonly name: BillerName;
  readonly abilities: Abilities;
  /** The text on the payer's card statement, with the company behind it. */
  readonly descriptor: string;
  /**
   * Origins of the biller's pages that the shop may show in a frame, as agreed with the biller; absent when
   * there are none, and the browser navigates to its pages.
   */
  readonly frames?: readonly string[];
  /** A page of the biller where the order is paid. */
  readonly page: (order: Order, method: PayMethod) => Promise<PageOutcome>;
  /** Charges a saved card. Only where `abilities.charges`. */
  readonly charge: (order: Order, card: SavedCard) => Promise<ChargeOutcome>;
  /** Opens a card form for one payer. Only where `abilities.saves`. */
  readonly cardForm: (payer: Payer) => Promise<CardForm | null>;
  /**
   * The card behind a token that a browser returned, from the biller's own records; null when the payer has
   * no such card.
   */
  readonly cardOf: (token: string, payer: Payer) => Promise<SavedCard | 'unreachable' | null>;
  /** Stops a subscription. Only where `abilities.renews`. */
  readonly cancel: (subscription: string) => Promise<'cancelled' | 'unknown'>;
  /** Asks for the state of an order; with `reference` if one is known. */
  readonly find: (order: { readonly id: string; readonly reference: string | null }) => Promise<Finding>;
  /** Authenticates and decodes a callback; pure, without network access. */
  readonly read: (raw: RawCallback) => CallbackReading;
  readonly reply: (reading: CallbackReading) => CallbackReply;
}

/** What adapters need from outside: a `fetch` with a time limit, and the clock. */
export interface Outside {
  readonly fetch: typeof fetch;
  readonly now: () => Date;
}
