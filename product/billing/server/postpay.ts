import { handleCall, type CallHandler, type DeadlineHandler } from '#platform/contract/bind.ts';
import type { OutputOf } from '#platform/contract/call.ts';
import type { Scope } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import type { Person } from '#product/accounts/server.ts';
import { billerUnavailable, cardUnknown } from '../contract.ts';
import {
  getPostpay,
  postpayUnavailable,
  redirectPostpayDecline,
  setPostpay,
  settlePostpay,
} from '../contract/credit.ts';
import { usCents } from '../rules.ts';
import { creditLimitOf, debtCents, mayPostpay, nextCharge } from '../rules/credit.ts';
import { wholeProduct, type CatalogueItem } from '../rules/products.ts';
import { findOrder, habitsOf, hasOpenOrder, type NewOrder, type Order } from '../store/orders.ts';
import { lockBuyer, postpayOf, savePostpay, type Card, type PostpayRow } from '../store/people.ts';
import { settlementOrderId } from './callbacks/journal.ts';
import type { OrderObserver, OrderProcessor } from './callbacks/order-processor.ts';
import { offerOf, type Catalogue, type Offer } from './catalogue/catalogue.ts';
import type { BillerClient } from './checkout/biller-client.ts';
import { beginCharge, draftOf, paidAnswer } from './checkout/buying.ts';
import { begin, sendUnattended, type PendingCharge } from './checkout/charging.ts';
import type { Eligibility } from './customer/eligibility.ts';
import type { Emails } from './customer/emails.ts';
import { configurationOf, type BillingDependencies } from './dependencies.ts';
import type { Jobs } from './jobs.ts';

/** Kind of the deadline for the daily charge of post-pay. */
const CHARGE = 'billing.postpayCharge';
/** Redirects a declined charge to the page that settles it. */
const SETTLE: Readonly<Record<string, string>> = { location: '/account/tokens?postpay=declined' };

interface Parts extends BillingDependencies {
  readonly processor: OrderProcessor;
  readonly client: BillerClient;
  readonly catalogue: Catalogue;
  readonly eligibility: Eligibility;
  readonly jobs: Jobs;
  readonly emails: Emails;
}

const OFF: PostpayRow = { enabled: false, cardFailed: false, cardId: null, nextChargeAt: null };

/** A debt as a product: its tokens at the plain rate. */
const debtItem = (tokens: number): CatalogueItem =>
  wholeProduct({
    internalId: 'postpay',
    kind: 'pack',
    tokens,
    freeTokens: 0,
    priceMinor: debtCents(tokens),
    currency: 'USD',
    membership: null,
    days: null,
    oneClick: false,
  });

/** Post-pay: a credit limit in the ledger, charged once a day to a saved card. */
export class Postpay {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Sets the credit limit from the current settings; the debt remains. */
  async #setCreditLimit(tx: Tx, personId: number, row: PostpayRow): Promise<void> {
    const { settings } = await configurationOf(tx);
    await savePostpay(tx, personId, row);
    await this.#parts.ledger.setCredit(tx, personId, creditLimitOf(row, settings.postpayTokens));
    if (row.nextChargeAt) {
      await tx.schedule({ kind: CHARGE, key: String(personId), at: row.nextChargeAt });
    }
    await this.#parts.accounts.sendSettings(tx, personId);
  }

  /** Stops spending on credit; the debt remains, and is charged as before. */
  async turnOff(tx: Tx, personId: number): Promise<void> {
    await lockBuyer(tx, personId);
    const row = await postpayOf(tx, personId);
    if (row?.enabled) await this.#setCreditLimit(tx, personId, { ...row, enabled: false });
  }

  #isOffered({ settings, hasPurchase, cards }: Offer): boolean {
    return mayPostpay({ isSwitchedOn: settings.switches.postpay, hasPurchase, hasCard: cards.length > 0 });
  }

  async #view(tx: Tx, personId: number): Promise<OutputOf<typeof getPostpay>> {
    const row = (await postpayOf(tx, personId)) ?? OFF;
    const { ledger } = this.#parts;
    const offer = await offerOf(tx, ledger, personId, null);
    const { debtTokens: owed } = await ledger.limitsOf(tx, personId);
    return {
      offered: this.#isOffered(offer),
      enabled: row.enabled,
      limit: offer.settings.postpayTokens,
      owed,
      price: { minor: debtCents(owed), currency: 'USD' },
      next_charge_at: row.enabled || owed > 0 ? (row.nextChargeAt?.toISOString() ?? null) : null,
      card_failed: row.cardFailed,
    };
  }

  /** An order that settles the whole debt with one of the person's cards. */
  async #draft(tx: Tx, scope: Scope, person: Person, order: {
    readonly id: string;
    readonly owed: number;
    readonly card: Card;
    readonly locale: string;
    readonly parameters: readonly unknown[];
  }): Promise<{ readonly draft: NewOrder; readonly biller: PendingCharge['biller'] } | null> {
    const biller = this.#parts.client.find(scope, order.card.biller);
    if (!biller?.abilities.charges) return null;
    const { settings } = await configurationOf(tx);
    const draft = draftOf(debtItem(order.owed), {
      ...order,
      person,
      scope,
      purpose: 'post_pay',
      biller,
      method: 'card',
      centsOf: (price) => usCents(price, settings.rates),
    });
    return { draft, biller };
  }

  get deadlineHandlers(): DeadlineHandler[] {
    return [{
      kind: CHARGE,
      handle: async ({ operatorId, key, at }) => {
        const personId = Number(key);
        const { data } = this.#parts;
        const { siteId, locale } = await data.tx({ operatorId }, (tx) => habitsOf(tx, personId));
        const scope = { operatorId, siteId };
        const begun = await data.tx(scope, (tx) => this.#chargeDebt(tx, scope, { personId, at, locale }));
        if (begun) this.#parts.jobs.run(() => sendUnattended(this.#parts, scope, begun));
      },
    }];
  }

  /** The daily charge; null without a debt, or without a card to charge. */
  async #chargeDebt(tx: Tx, scope: Scope, { personId, at, locale }: {
    readonly personId: number;
    readonly at: Date;
    readonly locale: string;
  }): Promise<PendingCharge | null> {
    const { accounts, catalogue, client, ledger } = this.#parts;
    await lockBuyer(tx, personId);
    const row = await postpayOf(tx, personId);
    const person = await accounts.findById(tx, personId);
    if (!row || !person) return null;
    const { debtTokens: owed, blocked } = await ledger.limitsOf(tx, personId);
    const next = row.enabled ? nextCharge(tx.now) : null;
    // A debt from a chargeback is not post-pay spending, so it is never charged automatically.
    if (owed === 0 || blocked?.cause === 'chargeback' || (await hasOpenOrder(tx, personId, 'post_pay'))) {
      await this.#setCreditLimit(tx, personId, { ...row, nextChargeAt: next });
      return null;
    }
    const { cards } = await offerOf(tx, ledger, personId, null);
    const card = cards.find(({ id }) => id === row.cardId) ?? catalogue.oneClickCard(scope, cards, tx.now);
    const settling = card && (await this.#draft(tx, scope, person, {
      id: settlementOrderId(personId, at),
      owed,
      card,
      locale,
      parameters: [owed],
    }));
    await this.#setCreditLimit(tx, personId, {
      ...row,
      nextChargeAt: nextCharge(tx.now),
      cardFailed: row.cardFailed || !settling,
    });
    return settling ? begin(tx, client, settling.draft, settling.biller, card) : null;
  }

  get observer(): OrderObserver {
    return {
      changed: async (tx, { order, isNewlyPaid }) => {
        if (order.purpose !== 'post_pay') return;
        const row = (await postpayOf(tx, order.personId)) ?? OFF;
        if (isNewlyPaid) await this.#setCreditLimit(tx, order.personId, { ...row, cardFailed: false });
        const isFailed = order.state === 'declined' || order.state === 'expired';
        if (!isFailed) return;
        await this.#setCreditLimit(tx, order.personId, { ...row, cardFailed: true });
        const link = await this.#linkIn(tx, order);
        await this.#parts.emails.send(tx, 'postpayFailed', order, () => ({ link }));
      },
    };
  }

  /** Where the email about a declined charge leads: to the redirect, at the site of the order. */
  async #linkIn(tx: Tx, { siteId }: Order): Promise<string> {
    const { apiBase, site } = this.#parts;
    return new URL(apiBase + redirectPostpayDecline.path, await site.addressIn(tx, siteId)).href;
  }

  get callHandlers(): CallHandler[] {
    const { data } = this.#parts;
    return [
      handleCall(getPostpay)(
        (_input, { scope, personId }) => data.tx(scope, (tx) => this.#view(tx, personId)),
      ),
      this.#set(),
      this.#settle(),
      handleCall(redirectPostpayDecline)(async () => (
        { status: 302 as const, headers: SETTLE, body: '' }
      )),
    ];
  }

  #set(): CallHandler {
    const { data, ledger, eligibility, catalogue } = this.#parts;
    return handleCall(setPostpay)(async ({ enabled, cardId }, { scope, personId, refuse }) => {
      const buyer = await eligibility.of(scope, personId);
      if ('refusal' in buyer && enabled) return refuse(buyer.refusal);
      return data.tx(scope, async (tx) => {
        await lockBuyer(tx, personId);
        const row = (await postpayOf(tx, personId)) ?? OFF;
        if (!enabled) {
          await this.#setCreditLimit(tx, personId, { ...row, enabled: false });
          return this.#view(tx, personId);
        }
        const offer = await offerOf(tx, ledger, personId, null);
        if (!this.#isOffered(offer)) return refuse(postpayUnavailable);
        const card = cardId === undefined
          ? catalogue.oneClickCard(scope, offer.cards, tx.now)
          : (offer.cards.find(({ id }) => id === cardId) ?? null);
        if (!card) return refuse(cardUnknown);
        await this.#setCreditLimit(tx, personId, {
          ...row,
          enabled: true,
          cardId: card.id,
          nextChargeAt: row.nextChargeAt ?? nextCharge(tx.now),
        });
        return this.#view(tx, personId);
      });
    });
  }

  #settle(): CallHandler {
    const { accounts, data, ledger, client, catalogue } = this.#parts;
    return handleCall(settlePostpay)(
      async ({ cardId }, { scope, personId, idempotencyKey, locale, address, origin, refuse }) => {
        if (idempotencyKey === null) throw new Error('the host demands an Idempotency-Key');
        const id = ledger.operationId(personId, settlePostpay.name, idempotencyKey);
        const begun = await data.tx(scope, async (tx) => {
          await lockBuyer(tx, personId);
          const known = await findOrder(tx, id);
          if (known && known.state !== 'created') return { known };
          const { debtTokens } = await ledger.limitsOf(tx, personId);
          const owed = known?.tokens ?? debtTokens;
          if (owed === 0 || (await hasOpenOrder(tx, personId, 'post_pay'))) return refuse(postpayUnavailable);
          const { cards } = await offerOf(tx, ledger, personId, null);
          const card = cardId === undefined
            ? catalogue.oneClickCard(scope, cards, tx.now)
            : (cards.find((item) => item.id === cardId) ?? null);
          const person = await accounts.findById(tx, personId);
          if (!card || !person) return refuse(cardUnknown);
          const settling = await this.#draft(tx, scope, person, {
            id,
            owed,
            card,
            locale,
            parameters: [card.id],
          });
          if (!settling) return refuse(billerUnavailable);
          const charge = await beginCharge(tx, settling.draft);
          if (charge === 'mismatch') return refuse(postpayUnavailable);
          await client.watch(tx, settling.biller, charge.order);
          return { order: charge.order, biller: settling.biller, card };
        });
        if ('known' in begun && begun.known) return paidAnswer(begun.known, null);
        if (!('order' in begun)) return begun;
        const charged = await client.charge(scope, begun.order, begun.biller, begun.card, {
          address,
          origin,
        });
        if (charged.kind === 'unreachable') return refuse(billerUnavailable);
        return paidAnswer(charged.order, charged.kind === 'page' ? charged.url : null);
      },
    );
  }
}
