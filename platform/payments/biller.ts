/**
 * The port to payment processors ("billers"): what a shop asks of one, and what one reports to it. Processors
 * differ in wire format, in what they sign and in what they can do; none of it is seen above this file.
 * Amounts never go from here into a shop's journal without being compared with the order: a callback
 * carries no authority.
 */

import type { BillerName, DeclineCode, Money } from '#platform/contract/payment.ts';

/** How somebody pays, as they see it. */
export type PayMethod = 'card' | 'paypal' | 'crypto' | 'voucher';

/** What a biller can do beside a hosted page. */
export interface Abilities {
  readonly methods: readonly PayMethod[];
  /** Charges a card that was used before, without a page. */
  readonly charges: boolean;
  /** Saves a card that a browser sent to the biller's own token service. */
  readonly saves: boolean;
  /** Sells what renews by itself. */
  readonly renews: boolean;
  /** Can be asked what became of an order. */
  readonly answers: boolean;
}

/** What is to be paid. `id` is ours (a UUID) and comes back with everything the biller says of it. */
export interface Order {
  readonly id: string;
  readonly amount: Money;
  /** Renews by itself for this amount each so many days. */
  readonly renewal: { readonly amount: Money; readonly days: number } | null;
  /** One line for the biller's page, without personal text. */
  readonly title: string;
  readonly payer: Payer;
  /** Where the browser returns to; the return is never believed. */
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

/** A card as a biller lets us keep it: never its number. */
export interface CardFace {
  readonly brand: string;
  readonly first6: string | null;
  readonly last4: string;
  /** `MM/YY`. */
  readonly expiry: string | null;
}

/** The biller's name for a card it keeps. */
export interface SavedCard {
  readonly token: string;
  readonly face: CardFace;
}

/** One thing that happened to a payment. `id` is unique at its biller for ever, whatever carried it here. */
export interface PaymentEvent {
  readonly id: string;
  readonly type:
    | 'pending' // seen, and not to be relied on yet (an unconfirmed transfer)
    | 'paid' // money is ours; a code paid again at a till is paid twice, under two ids
    | 'declined'
    | 'expired' // nothing will come any more
    | 'refunded'
    | 'charged_back'
    | 'renewed' // a later charge of the same order
    | 'renewal_failed'
    | 'cancelled'; // renews no more
  /** Our order, when the biller handed it back; else found by `subscription` or `reference`. */
  readonly orderId: string | null;
  /** The biller's transaction: what its report and support know. */
  readonly reference: string;
  /** For refunds and chargebacks: the `reference` of what is taken back, when the biller names it. */
  readonly of: string | null;
  readonly subscription: string | null;
  /** What really moved; null where nothing did. */
  readonly amount: Money | null;
  /**
   * The card to charge the next time. Its token may be another than the one just charged, which is then
   * used up: keep this one in its place.
   */
  readonly card: SavedCard | null;
  readonly decline: DeclineCode | null;
  /** When it happened, by the biller's clock; null when it does not say. */
  readonly at: Date | null;
}

/** A request of a biller as it arrived. */
export interface RawCallback {
  readonly method: 'GET' | 'POST';
  /** What follows `?`, undecoded. */
  readonly query: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Address the request came from. */
  readonly address: string;
}

export type CallbackReading =
  /** `events` may be empty: a probe, or something we do not act on. */
  | { readonly kind: 'genuine'; readonly events: readonly PaymentEvent[] }
  /**
   * Nothing here may be believed before the biller was asked (`Biller.find`, by order and reference): it
   * signs nothing, or what it signed lacks the amount. What `find` answers has the same event ids.
   */
  | { readonly kind: 'unsigned'; readonly events: readonly PaymentEvent[] }
  | { readonly kind: 'forged'; readonly reason: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * The reply that the biller expects, once the raw callback is stored: 2xx for what was read; an error for
 * what
 * was not, so that it is sent again (a cut body comes whole the next time, a secret may just be changing).
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
  /** Sent, and nobody knows: settled by `find` or a callback, never by charging again. */
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
 * JSON with `authorization: Bearer`, `fields` and what was typed as `nameOnCard`, `cardNumber`, `expMonth`,
 * `expYear`, `cvv2`. Answers 201 with `paymentTokenId`, or 400 with `errors: [{propertyName, message}]`.
 */
export interface CardForm {
  /** Origins the page may talk to; everything else is shut (`connect-src`). */
  readonly origins: readonly string[];
  /** Where the browser POSTs the card. */
  readonly url: string;
  /** Short-lived, may only make payment tokens. */
  readonly bearer: string;
  /** Further fields the token service wants, as they are. */
  readonly fields: Readonly<Record<string, string>>;
}

/** What became of an order, asked of the biller itself. */
export type Finding =
  | { readonly kind: 'found'; readonly events: readonly PaymentEvent[] }
  /** The biller knows of no payment of this order. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unreachable'; readonly reason: string };

/** One payment processor of one operator. Methods never throw for what the other side does. */
export interface Biller {
  readonly name: BillerName;
  readonly abilities: Abilities;
  /** Line on the statement of a card, shown to the payer; and the company behind it. */
  readonly descriptor: string;
  /**
   * Origins of its pages that it lets a shop show in a frame, as agreed with it; none when left out: its
   * pages lead away.
   */
  readonly frames?: readonly string[];
  /** A page of the biller where the order is paid. */
  readonly page: (order: Order, method: PayMethod) => Promise<PageOutcome>;
  /** Charges a saved card. Only where `abilities.charges`. */
  readonly charge: (order: Order, card: SavedCard) => Promise<ChargeOutcome>;
  /** Opens a card form for one payer. Only where `abilities.saves`. */
  readonly cardForm: (payer: Payer) => Promise<CardForm | null>;
  /**
   * The card behind a token that a browser brought back, as the biller knows it; null for no card of this
   * payer.
   */
  readonly cardOf: (token: string, payer: Payer) => Promise<SavedCard | null>;
  /** Stops what renews. Only where `abilities.renews`. */
  readonly cancel: (subscription: string) => Promise<'cancelled' | 'unknown'>;
  /** Asks what became of an order; with `reference` where one is known. */
  readonly find: (order: { readonly id: string; readonly reference: string | null }) => Promise<Finding>;
  /** Authenticates and decodes a callback: pure, no network. */
  readonly read: (raw: RawCallback) => CallbackReading;
  readonly reply: (reading: CallbackReading) => CallbackReply;
}

/** The world outside, for adapters: a `fetch` with a time limit, and the clock. */
export interface Outside {
  readonly fetch: typeof fetch;
  readonly now: () => Date;
}
