import { handleCall, subscribe, type CallHandler, type Subscription } from '#platform/contract/bind.ts';
import type { OutputOf } from '#platform/contract/call.ts';
import { personChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { startOfDay } from '#platform/time/days.ts';
import { balanceChanged } from '#product/ledger/contract.ts';
import { cardUnknown, offerChanged, productUnknown } from '../contract.ts';
import { getAutoReUp, reUpUpdate, setAutoReUp } from '../contract/credit.ts';
import { isExpired, usCents, type ReUpError } from '../rules.ts';
import {
  DEFAULT_REUP_PER_DAY,
  DEFAULT_REUP_THRESHOLD,
  isAsConfirmed,
  MAX_REUP_FAILURES,
  reUpErrorOf,
  reUpNow,
} from '../rules/credit.ts';
import { isSameOffer, termsOf } from '../rules/products.ts';
import { countReUps, habitsOf, type Order } from '../store/orders.ts';
import { lockBuyer, lockReUp, noteReUp, reUpOf, saveReUp, type ReUpRow } from '../store/people.ts';
import { childOrderId } from './callbacks/journal.ts';
import type { OrderObserver, OrderProcessor } from './callbacks/order-processor.ts';
import { offerOf, sellable } from './catalogue/catalogue.ts';
import type { BillerClient } from './checkout/biller-client.ts';
import { draftOf, offerRefusal } from './checkout/buying.ts';
import { begin, sendUnattended, type PendingCharge } from './checkout/charging.ts';
import type { Eligibility } from './customer/eligibility.ts';
import type { Emails } from './customer/emails.ts';
import type { BillingDependencies } from './dependencies.ts';
import type { Jobs } from './jobs.ts';

interface Parts extends BillingDependencies {
  readonly processor: OrderProcessor;
  readonly client: BillerClient;
  readonly eligibility: Eligibility;
  readonly jobs: Jobs;
  readonly emails: Emails;
}

const viewOf = (row: ReUpRow | null): OutputOf<typeof getAutoReUp> => ({
  enabled: row?.enabled ?? false,
  threshold: row?.threshold ?? DEFAULT_REUP_THRESHOLD,
  internal_id: row?.internalId ?? null,
  cardId: row?.cardId ?? null,
  per_day: row?.perDay ?? DEFAULT_REUP_PER_DAY,
});

/** Whether the outcome of an order is open. */
const isOpen = ({ state }: Order): boolean =>
  state === 'created' || state === 'pending'
  || state === 'unknown';

/** Auto re-up: buys tokens with a saved card when the balance falls. Off until the person confirms it. */
export class ReUps {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get subscription(): Subscription {
    // Receives changes only for people who have it on: a trigger on `billing.re_ups` stores their interest.
    return subscribe(balanceChanged, 'billing.reUp', { byInterest: true })(
      async ({ id, operatorId, payload: { changes } }) => {
        for (const change of changes) await this.#balanceFell(operatorId, id, change);
      },
    );
  }

  /** Handles a changed balance; `factId` makes the order's id the same for every delivery. */
  async #balanceFell(operatorId: number, factId: string, change: {
    readonly personId: number;
    readonly tokens: number;
    readonly change: number;
  }): Promise<void> {
    const { data, eligibility, jobs } = this.#parts;
    if (change.change >= 0) return;
    const { personId } = change;
    const habits = await data.tx(
      { operatorId },
      async (tx) => ((await reUpOf(tx, personId))?.enabled ? habitsOf(tx, personId) : null),
    );
    if (!habits) return;
    const scope = { operatorId, siteId: habits.siteId };
    const buyer = await eligibility.of(scope, personId);
    if ('refusal' in buyer) return;
    const begun = await data.tx(scope, async (tx): Promise<PendingCharge | null> => {
      await lockBuyer(tx, personId);
      const reUp = await lockReUp(tx, personId);
      if (!reUp) return null;
      const today = startOfDay(tx.now);
      const decision = reUpNow(reUp, change, await countReUps(tx, personId, today));
      if (decision === 'limit') await this.#limited(tx, reUp, change);
      if (decision !== 'charge') return null;
      const order = await this.#draft(tx, {
        scope,
        person: buyer.person,
        locale: habits.locale,
        reUp,
        factId,
        change,
      });
      if (order) await noteReUp(tx, personId, { inFlight: order.order.id });
      return order;
    });
    if (begun) jobs.run(() => sendUnattended(this.#parts, scope, begun));
  }

  /** Notifies that today's re-ups are used up, only when spending crosses the threshold. */
  async #limited(tx: Tx, { threshold }: ReUpRow, change: {
    readonly personId: number;
    readonly tokens: number;
    readonly change: number;
  }): Promise<void> {
    if (change.tokens - change.change < threshold) return;
    await tx.send(personChannel(change.personId), reUpUpdate, {
      success: false,
      tokens: 0,
      error: 'limit',
      order_id: null,
    });
  }

  async #draft(tx: Tx, { scope, person, locale, reUp, factId, change }: {
    readonly scope: { operatorId: number; siteId: number };
    readonly locale: string;
    readonly person: Parameters<typeof draftOf>[1]['person'];
    readonly reUp: ReUpRow;
    readonly factId: string;
    readonly change: { readonly personId: number; readonly tokens: number; readonly change: number };
  }): Promise<PendingCharge | null> {
    const { client, ledger, eligibility, emails } = this.#parts;
    const offer = await offerOf(tx, ledger, person.id, person.lastLoginCountry);
    const item = sellable(offer, reUp.internalId, 'card');
    const card = offer.cards.find(({ id }) => id === reUp.cardId);
    const biller = card && !isExpired(card.expiry, tx.now) ? client.find(scope, card.biller) : null;
    if (!item?.oneClick || !card || !biller?.abilities.charges) {
      const { failures } = await this.#fail(tx, person.id, reUp, 'declined');
      // Sent once: the next attempts fail for the same reason.
      if (failures === 1) await emails.sendReUpImpossible(tx, person.id);
      return null;
    }
    if (!isAsConfirmed(reUp.confirmed, item)) {
      await this.#end(tx, person.id, 'declined');
      await emails.sendReUpImpossible(tx, person.id);
      return null;
    }
    const draft = draftOf(item, {
      id: childOrderId(factId, `re-up ${person.id}`),
      person,
      scope,
      purpose: 're_up',
      biller,
      method: 'card',
      card,
      locale,
      parameters: [],
      centsOf: (price) => usCents(price, offer.settings.rates),
    });
    if (draft.usCents > (await eligibility.remaining(tx, person.id, offer.settings))) {
      await this.#limited(tx, reUp, change);
      return null;
    }
    return begin(tx, client, draft, biller, card);
  }

  /**
   * Counts a failure; the third in a row turns re-ups off.
   * @param orderId the failed order; null if none was created
   */
  async #fail(
    tx: Tx,
    personId: number,
    reUp: ReUpRow,
    error: ReUpError,
    orderId: string | null = null,
  ): Promise<{ readonly failures: number; readonly enabled: boolean }> {
    const failures = reUp.failures + 1;
    const enabled = failures < MAX_REUP_FAILURES;
    await noteReUp(tx, personId, { inFlight: null, failures, enabled });
    if (!enabled) await this.#parts.accounts.sendSettings(tx, personId);
    await tx.send(personChannel(personId), reUpUpdate, {
      success: false,
      tokens: 0,
      error,
      order_id: orderId,
    });
    return { failures, enabled };
  }

  /** Turns re-ups off, because the charge would differ from what the person confirmed. */
  async #end(tx: Tx, personId: number, error: ReUpError): Promise<void> {
    await noteReUp(tx, personId, { inFlight: null, enabled: false });
    await this.#parts.accounts.sendSettings(tx, personId);
    await tx.send(personChannel(personId), reUpUpdate, { success: false, tokens: 0, error, order_id: null });
  }

  get observer(): OrderObserver {
    return {
      changed: async (tx, { order, isNewlyPaid }) => {
        const { personId, reUpThreshold: threshold, internalId, cardId, tokens, currency } = order;
        if (isNewlyPaid && threshold !== null && cardId !== null) {
          await saveReUp(tx, personId, {
            enabled: true,
            threshold,
            internalId,
            cardId,
            perDay: DEFAULT_REUP_PER_DAY,
            confirmed: { tokens, priceMinor: order.amountMinor, currency },
          });
          await this.#parts.accounts.sendSettings(tx, personId);
        }
        if (order.purpose === 're_up') await this.#ended(tx, order, isNewlyPaid);
      },
    };
  }

  async #ended(tx: Tx, order: Order, isNewlyPaid: boolean): Promise<void> {
    const { personId, tokens, freeTokens } = order;
    const reUp = await lockReUp(tx, personId);
    if (!reUp || isOpen(order)) return;
    if (isNewlyPaid) {
      await noteReUp(tx, personId, { inFlight: null, failures: 0 });
      await tx.send(personChannel(personId), reUpUpdate, {
        success: true,
        tokens: tokens + freeTokens,
        error: null,
        order_id: order.id,
      });
      return;
    }
    if (reUp.inFlight !== order.id) return;
    const { emails } = this.#parts;
    const { failures, enabled } = await this.#fail(
      tx,
      personId,
      reUp,
      reUpErrorOf(order.decline),
      order.id,
    );
    // One email for the first failure in a row and one for the last; others would repeat it.
    if (!enabled) await emails.send(tx, 'reUpOff', order);
    else if (failures === 1) {
      await emails.send(tx, 'reUpFailed', order, () => ({
        threshold: reUp.threshold,
        tries: MAX_REUP_FAILURES,
      }));
    }
  }

  get callHandlers(): CallHandler[] {
    const { data, ledger, eligibility, accounts } = this.#parts;
    return [
      handleCall(getAutoReUp)(async (_input, { scope, personId }) =>
        viewOf(await data.tx(scope, (tx) => reUpOf(tx, personId)))
      ),
      handleCall(setAutoReUp)(async (input, { scope, personId, locale, refuse }) => {
        const buyer = await eligibility.of(scope, personId);
        // Somebody who may not buy can still turn it off.
        if ('refusal' in buyer && input.enabled) return refuse(buyer.refusal);
        return data.tx(scope, async (tx) => {
          const country = 'person' in buyer ? buyer.person.lastLoginCountry : null;
          const offer = await offerOf(tx, ledger, personId, country);
          const item = sellable(offer, input.internal_id, 'card');
          // A re-up of a retired product can still be turned off.
          if (input.enabled && !item?.oneClick) return refuse(productUnknown);
          if (!offer.cards.some(({ id }) => id === input.cardId)) return refuse(cardUnknown);
          if (input.enabled && item) {
            const now = termsOf(item);
            if (!input.shown || !isSameOffer(now, input.shown)) {
              return refuse(offerChanged, offerRefusal(now, locale));
            }
          }
          await saveReUp(tx, personId, {
            enabled: input.enabled,
            threshold: input.threshold,
            internalId: input.internal_id,
            cardId: input.cardId,
            perDay: input.per_day,
            confirmed: item,
          });
          await accounts.sendSettings(tx, personId);
          return viewOf(await reUpOf(tx, personId));
        });
      }),
    ];
  }
}
