import type { PersonContext } from '#platform/contract/context.ts';
import type { BillerName } from '#platform/contract/payment.ts';
import type { Tx } from '#platform/data/data.ts';
import type { Biller, CardForm, SavedCard } from '#platform/payments/biller.ts';
import { billerUnavailable, dailyPurchaseLimit } from '../../contract.ts';
import { usCents } from '../../rules.ts';
import { termsOf, type OfferTerms } from '../../rules/products.ts';
import { findOrder, type Order } from '../../store/orders.ts';
import { lockBuyer } from '../../store/people.ts';
import { offerOf, refusalOf, soldByCheck } from '../catalogue/catalogue.ts';
import { NO_ATTRIBUTION } from './attribution.ts';
import { beginCharge, draftOf, parameterHashOf, type BuyingParts } from './buying.ts';

/** A purchase by a card that was just checked. It is the same for the same `operation` and key. */
export interface CardPurchase {
  /** Name of the call that buys, which keeps its keys apart from those of other calls. */
  readonly operation: string;
  readonly key: string;
  readonly internalId: string;
  readonly token: string;
}

/** How a purchase by card stands. `reason` is the code of a decline or of a refusal. */
export interface CardPurchaseState {
  readonly state: 'paid' | 'pending' | 'unknown' | 'declined' | 'refused';
  readonly orderId: string | null;
  readonly tokens: number;
  readonly reason: string | null;
  /** The biller's page where it continues. */
  readonly link: string | null;
}

/** Cards at one processor: its form, the card behind a token, and a purchase with it. */
export interface CardChecks {
  /** Whether the operator has an account at the processor, and it saves cards from a form. */
  readonly isOffered: (scope: { readonly operatorId: number }, biller: BillerName) => boolean;
  /** The form for a person's card; null when the processor does not answer. */
  readonly formOf: (context: PersonContext, biller: BillerName) => Promise<CardForm | null>;
  /** The card behind a token of this person's form, by the processor's own records; null for none. */
  readonly cardOf: (
    context: PersonContext,
    biller: BillerName,
    token: string,
  ) => Promise<SavedCard | 'unreachable' | null>;
  /** The terms of a promotional product that a person may buy with a check; null where they may not. */
  readonly termsOf: (context: PersonContext, internalId: string) => Promise<OfferTerms | null>;
  /**
   * A purchase that may have been charged already; null for one that surely was not, and `mismatch` where
   * its key was used for something else.
   */
  readonly purchaseOf: (
    tx: Tx,
    personId: number,
    purchase: CardPurchase,
  ) => Promise<CardPurchaseState | 'mismatch' | null>;
  /** Buys a promotional product once, within the limits of every other purchase; saves no card. */
  readonly buy: (
    context: PersonContext,
    biller: BillerName,
    card: SavedCard,
    purchase: CardPurchase,
  ) => Promise<CardPurchaseState | 'mismatch'>;
}

const PURPOSE = 'one_click';
const NONE = { orderId: null, tokens: 0, reason: null, link: null } as const;
const refused = ({ code }: { readonly code: string }): CardPurchaseState => ({
  ...NONE,
  state: 'refused',
  reason: code,
});

function stateOf(order: Order, link: string | null = null): CardPurchaseState {
  const { id: orderId, state } = order;
  if (order.paidAt !== null) {
    return { ...NONE, state: 'paid', orderId, tokens: order.tokens + order.freeTokens };
  }
  if (state === 'declined' || state === 'expired') {
    return { ...NONE, state: 'declined', orderId, reason: order.decline ?? 'NDECLINED' };
  }
  return { ...NONE, state: state === 'unknown' ? 'unknown' : 'pending', orderId, link };
}

const isMismatch = (
  { parameterHash }: Order,
  personId: number,
  { internalId, token }: CardPurchase,
): boolean => parameterHash !== parameterHashOf(personId, internalId, PURPOSE, [token]);

/** Card checks over the operator's billers. */
export function cardChecksWith(parts: BuyingParts): CardChecks {
  const { data, accounts, client, ledger } = parts;
  const payerOf = async ({ scope, personId, address }: PersonContext, { name }: Biller) => {
    const person = await data.read(scope, (tx) => accounts.findById(tx, personId));
    if (!person) throw new Error(`person ${personId} has a session and no account`);
    return client.payerOf(scope, person, name, address);
  };
  const idOf = (personId: number, { operation, key }: CardPurchase): string =>
    ledger.operationId(personId, operation, key);
  const savingBiller = (scope: { readonly operatorId: number }, name: BillerName): Biller | null => {
    const biller = client.find(scope, name);
    return biller?.abilities.saves === true && biller.abilities.charges ? biller : null;
  };
  return {
    isOffered: (scope, name) => savingBiller(scope, name) !== null,
    formOf: async (context, name) => {
      const biller = savingBiller(context.scope, name);
      return biller && biller.cardForm(await payerOf(context, biller));
    },
    cardOf: async (context, name, token) => {
      const biller = savingBiller(context.scope, name);
      return biller ? biller.cardOf(token, await payerOf(context, biller)) : 'unreachable';
    },
    termsOf: async ({ scope, personId }, internalId) => {
      const buyer = await parts.eligibility.of(scope, personId);
      if ('refusal' in buyer) return null;
      const item = await data.tx(
        scope,
        async (tx) =>
          soldByCheck(await offerOf(tx, ledger, personId, buyer.person.lastLoginCountry), internalId),
      );
      return item && termsOf(item);
    },
    purchaseOf: async (tx, personId, purchase) => {
      const order = await findOrder(tx, idOf(personId, purchase));
      if (!order) return null;
      if (isMismatch(order, personId, purchase)) return 'mismatch';
      return order.state === 'created' ? null : stateOf(order);
    },
    buy: (context, name, card, purchase) => {
      const biller = savingBiller(context.scope, name);
      return biller
        ? buy(parts, context, biller, card, { ...purchase, id: idOf(context.personId, purchase) })
        : Promise.resolve(refused(billerUnavailable));
    },
  };
}

async function buy(
  { data, ledger, client, eligibility, notices }: BuyingParts,
  { scope, personId, address, origin, locale }: PersonContext,
  biller: Biller,
  { token, face }: SavedCard,
  purchase: CardPurchase & { readonly id: string },
): Promise<CardPurchaseState | 'mismatch'> {
  const buyer = await eligibility.of(scope, personId);
  if ('refusal' in buyer) return refused(buyer.refusal);
  const card = { ...face, id: 0, personId, biller: biller.name, token, isDefault: false };
  const begun = await data.tx(scope, async (tx) => {
    await lockBuyer(tx, personId);
    const known = await findOrder(tx, purchase.id);
    if (known && isMismatch(known, personId, purchase)) return 'mismatch';
    if (known && known.state !== 'created') return stateOf(known);
    const offer = await offerOf(tx, ledger, personId, buyer.person.lastLoginCountry);
    const item = soldByCheck(offer, purchase.internalId);
    if (!item) return refused(refusalOf(offer, purchase.internalId, 'card'));
    const draft = {
      ...draftOf(item, {
        id: purchase.id,
        person: buyer.person,
        scope,
        purpose: PURPOSE,
        biller,
        method: 'card',
        card,
        locale,
        centsOf: (price) => usCents(price, offer.settings.rates),
        parameters: [purchase.token],
        network: notices.networkOf(scope, address),
        attribution: NO_ATTRIBUTION,
      }),
      // The card is not saved.
      cardId: null,
    };
    const isOver = draft.usCents > (await eligibility.remaining(tx, personId, offer.settings));
    if (!known && isOver) return refused(dailyPurchaseLimit);
    const charge = await beginCharge(tx, draft);
    if (charge === 'mismatch') return charge;
    if (!charge.mayCharge) return stateOf(charge.order);
    await client.watch(tx, biller, charge.order);
    return charge.order;
  });
  if (begun === 'mismatch' || !('internalId' in begun)) return begun;
  const charged = await client.charge(scope, begun, biller, card, { address, origin });
  if (charged.kind === 'unreachable') return refused(billerUnavailable);
  return stateOf(charged.order, charged.kind === 'page' ? charged.url : null);
}
