import {
  handleCall, subscribe, type CallHandler, type Subscription,
} from '../../../../platform/contract/bind.ts';
import type { OutputOf } from '../../../../platform/contract/call.ts';
import { personChannel } from '../../../../platform/contract/event.ts';
import type { Tx } from '../../../../platform/data/data.ts';
import { startOfDay } from '../../../../platform/time/days.ts';
import { balanceChanged } from '../../../ledger/contract.ts';
import {
  cardUnknown, getAutoReUp, productUnknown, reUpUpdate, setAutoReUp,
} from '../../contract.ts';
import { isExpired, usCents, type ReUpError } from '../../rules.ts';
import {
  DEFAULT_REUP_PER_DAY, DEFAULT_REUP_THRESHOLD, isAsConfirmed, MAX_REUP_FAILURES, reUpErrorOf,
  reUpNow,
} from '../../rules/credit.ts';
import { countReUps, habitsOf, type Order } from '../../store/orders.ts';
import { lockBuyer, lockReUp, noteReUp, reUpOf, saveReUp, type ReUpRow } from '../../store/people.ts';
import { childOrderId } from '../callbacks/books.ts';
import { draftOf } from '../checkout/buying.ts';
import { offerOf, sellable } from '../catalogue/catalogue.ts';
import type { Cashier } from '../checkout/cashier.ts';
import { begin, sendUnattended, type Begun } from '../checkout/charging.ts';
import type { Follower, OrderDesk } from '../admin/desk.ts';
import type { Errands } from '../errands.ts';
import type { Letters } from '../customer/letters.ts';
import { idOf, type BillingDependencies } from '../dependencies.ts';
import type { Eligibility } from '../customer/eligibility.ts';

interface Parts extends BillingDependencies {
  readonly desk: OrderDesk;
  readonly cashier: Cashier;
  readonly eligibility: Eligibility;
  readonly errands: Errands;
  readonly letters: Letters;
}

const viewOf = (row: ReUpRow | null): OutputOf<typeof getAutoReUp> => ({
  enabled: row?.enabled ?? false, threshold: row?.threshold ?? DEFAULT_REUP_THRESHOLD,
  internal_id: row?.internalId ?? null, cardId: row?.cardId ?? null,
  per_day: row?.perDay ?? DEFAULT_REUP_PER_DAY,
});

/** States in which nobody knows yet how a charge ends. */
const isOpen = ({ state }: Order): boolean => state === 'created' || state === 'pending'
  || state === 'unknown';

/** Filling a falling balance up with a saved card: off unless the person confirmed it. */
export class ReUps {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get hearing(): Subscription {
    // Of those who have it on: a trigger on their rows names them.
    return subscribe(balanceChanged, 'billing.reUp', { byInterest: true })(
      async ({ id, operatorId, payload: { changes } }) => {
        for (const change of changes) await this.#fallen(operatorId, id, change);
      });
  }

  /** A balance changed; `factId` makes the order the same however often this is heard. */
  async #fallen(operatorId: number, factId: string, change: {
    readonly personId: number; readonly tokens: number; readonly change: number;
  }): Promise<void> {
    const { data, eligibility, errands } = this.#parts;
    if (change.change >= 0) return;
    const { personId } = change;
    const habits = await data.tx({ operatorId }, async (tx) =>
      ((await reUpOf(tx, personId))?.enabled ? habitsOf(tx, personId) : null));
    if (!habits) return;
    const scope = { operatorId, siteId: habits.siteId };
    const buyer = await eligibility.of(scope, personId);
    if ('refusal' in buyer) return;
    const begun = await data.tx(scope, async (tx): Promise<Begun | null> => {
      await lockBuyer(tx, personId);
      const reUp = await lockReUp(tx, personId);
      if (!reUp) return null;
      const today = startOfDay(tx.now);
      const decision = reUpNow(reUp, change, await countReUps(tx, personId, today));
      if (decision === 'limit') await this.#limited(tx, reUp, change);
      if (decision !== 'charge') return null;
      const order = await this.#draft(tx, {
        scope, person: buyer.person, locale: habits.locale, reUp, factId, change,
      });
      if (order) await noteReUp(tx, personId, { inFlight: order.order.id });
      return order;
    });
    if (begun) errands.run(() => sendUnattended(this.#parts, scope, begun));
  }

  /** Only the spending that crosses the threshold is told that there are no re-ups left today. */
  async #limited(tx: Tx, { threshold }: ReUpRow, change: {
    readonly personId: number; readonly tokens: number; readonly change: number;
  }): Promise<void> {
    if (change.tokens - change.change < threshold) return;
    await tx.send(personChannel(change.personId), reUpUpdate, { success: false, tokens: 0, error: 'limit' });
  }

  async #draft(tx: Tx, { scope, person, locale, reUp, factId, change }: {
    readonly scope: { operatorId: number; siteId: number }; readonly locale: string;
    readonly person: Parameters<typeof draftOf>[1]['person'];
    readonly reUp: ReUpRow; readonly factId: string;
    readonly change: { readonly personId: number; readonly tokens: number; readonly change: number };
  }): Promise<Begun | null> {
    const { cashier, ledger, eligibility, letters } = this.#parts;
    const offer = await offerOf(tx, ledger, person.id, person.lastLoginCountry);
    const item = sellable(offer, reUp.internalId, 'card');
    const card = offer.cards.find(({ id }) => id === reUp.cardId);
    const biller = card && !isExpired(card.expiry, tx.now) ? cashier.find(scope, card.biller) : null;
    if (!item?.oneClick || !card || !biller?.abilities.charges) {
      const { failures } = await this.#fail(tx, person.id, reUp, 'declined');
      // Said once: the next tries find the same.
      if (failures === 1) await letters.sayReUpImpossible(tx, person.id);
      return null;
    }
    if (!isAsConfirmed(reUp.confirmed, item)) {
      await this.#end(tx, person.id, 'declined');
      await letters.sayReUpImpossible(tx, person.id);
      return null;
    }
    const draft = draftOf(item, {
      id: childOrderId(factId, `re-up ${person.id}`), person, scope, purpose: 're_up', biller, method: 'card',
      card, locale, parameters: [],
      centsOf: (price) => usCents(price, offer.settings.rates),
    });
    if (draft.usCents > (await eligibility.remaining(tx, person.id, offer.settings))) {
      await this.#limited(tx, reUp, change);
      return null;
    }
    return begin(tx, cashier, draft, biller, card);
  }

  /** One more failure; the third turns re-ups off. */
  async #fail(
    tx: Tx, personId: number, reUp: ReUpRow, error: ReUpError,
  ): Promise<{ readonly failures: number; readonly enabled: boolean }> {
    const failures = reUp.failures + 1;
    const enabled = failures < MAX_REUP_FAILURES;
    await noteReUp(tx, personId, { inFlight: null, failures, enabled });
    await tx.send(personChannel(personId), reUpUpdate, { success: false, tokens: 0, error });
    return { failures, enabled };
  }

  /** Ends re-ups of somebody: what would be charged is not what they confirmed. */
  async #end(tx: Tx, personId: number, error: ReUpError): Promise<void> {
    await noteReUp(tx, personId, { inFlight: null, enabled: false });
    await tx.send(personChannel(personId), reUpUpdate, { success: false, tokens: 0, error });
  }

  get follower(): Follower {
    return {
      changed: async (tx, { order, isNewlyPaid }) => {
        const { personId, reUpThreshold: threshold, internalId, cardId, tokens, currency } = order;
        if (isNewlyPaid && threshold !== null && cardId !== null) {
          await saveReUp(tx, personId, {
            enabled: true, threshold, internalId, cardId, perDay: DEFAULT_REUP_PER_DAY,
            confirmed: { tokens, priceMinor: order.amountMinor, currency },
          });
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
        success: true, tokens: tokens + freeTokens, error: null,
      });
      return;
    }
    if (reUp.inFlight !== order.id) return;
    const { letters } = this.#parts;
    const { failures, enabled } = await this.#fail(tx, personId, reUp, reUpErrorOf(order.decline));
    // The first of a row and the last are told by mail; those between would only repeat it.
    if (!enabled) await letters.send(tx, 'reUpOff', order);
    else if (failures === 1) {
      await letters.send(tx, 'reUpFailed', order, { threshold: reUp.threshold, tries: MAX_REUP_FAILURES });
    }
  }

  get answers(): CallHandler[] {
    const { data, ledger, eligibility } = this.#parts;
    return [
      handleCall(getAutoReUp)(async (_input, { scope, caller }) =>
        viewOf(await data.tx(scope, (tx) => reUpOf(tx, idOf(caller))))),
      handleCall(setAutoReUp)(async (input, { scope, caller, refuse }) => {
        const personId = idOf(caller);
        const buyer = await eligibility.of(scope, personId);
        // Whoever may not buy may still turn buying off.
        if ('refusal' in buyer && input.enabled) return refuse(buyer.refusal);
        return data.tx(scope, async (tx) => {
          const country = 'person' in buyer ? buyer.person.lastLoginCountry : null;
          const offer = await offerOf(tx, ledger, personId, country);
          const item = sellable(offer, input.internal_id, 'card');
          // What is no longer sold can still be turned off.
          if (input.enabled && !item?.oneClick) return refuse(productUnknown);
          if (!offer.cards.some(({ id }) => id === input.cardId)) return refuse(cardUnknown);
          await saveReUp(tx, personId, {
            enabled: input.enabled, threshold: input.threshold, internalId: input.internal_id,
            cardId: input.cardId, perDay: input.per_day, confirmed: item,
          });
          return viewOf(await reUpOf(tx, personId));
        });
      }),
    ];
  }
}
