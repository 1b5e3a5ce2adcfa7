import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { OutputOf } from '#platform/contract/call.ts';
import type { Scope } from '#platform/contract/context.ts';
import { hostRefusals } from '#platform/contract/refusal.ts';
import type { Tx } from '#platform/data/data.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import type { Biller, PayMethod } from '#platform/payments/biller.ts';
import { formatMoney } from '#platform/text/money.ts';
import type { Person } from '#product/accounts/server.ts';
import { createHash } from 'node:crypto';
import {
  billerUnavailable,
  buyAtOnce,
  cardUnknown,
  dailyPurchaseLimit,
  getPurchaseLink,
  offerChanged,
  productUnknown,
} from '../../contract.ts';
import { getVerificationLink } from '../../contract/cards.ts';
import { getOrder, listOrders, orderUnknown } from '../../contract/orders.ts';
import { ORDERS_PAGE, usCents } from '../../rules.ts';
import { DEFAULT_REUP_THRESHOLD } from '../../rules/credit.ts';
import { verifyReturn } from '../../rules/payments/card-check.ts';
import {
  isSameOffer,
  termsOf,
  voucherCountry,
  type CatalogueItem,
  type OfferTerms,
} from '../../rules/products.ts';
import {
  changeOrder,
  findOrder,
  insertOrder,
  listOrders as pageOf,
  type Attribution,
  type NewOrder,
  type Order,
} from '../../store/orders.ts';
import { lockBuyer, type Card } from '../../store/people.ts';
import { offerOf, refusalOf, renewsAt, sellable, type Catalogue } from '../catalogue/catalogue.ts';
import type { Eligibility } from '../customer/eligibility.ts';
import type { BillingDependencies } from '../dependencies.ts';
import { orderView } from '../views.ts';
import { NO_ATTRIBUTION, readAttribution } from './attribution.ts';
import type { BillerClient } from './biller-client.ts';

export interface BuyingParts extends BillingDependencies {
  readonly client: BillerClient;
  readonly eligibility: Eligibility;
  readonly catalogue: Catalogue;
}

/** Differs between orders for different things; `parameters` is what the buyer chose. */
export const parameterHashOf = (
  personId: number,
  internalId: string,
  purpose: NewOrder['purpose'],
  parameters: readonly unknown[],
): string =>
  createHash('sha256').update(JSON.stringify([personId, internalId, purpose, ...parameters])).digest('hex');

/** A new order for a product. */
export function draftOf(item: CatalogueItem, order: {
  readonly id: string;
  readonly person: Person;
  readonly scope: Scope;
  readonly purpose: NewOrder['purpose'];
  readonly biller: Biller;
  readonly method: PayMethod;
  readonly card: Card | null;
  readonly locale: string;
  readonly centsOf: (price: { minor: number; currency: string }) => number | null;
  readonly reUpThreshold?: number | null;
  readonly parameters: readonly unknown[];
  /** Absent where the person is not present. */
  readonly attribution?: Attribution;
  readonly network?: string | null;
  /** The buyer asked to save the card. */
  readonly keepCard?: boolean;
}): NewOrder {
  const { id, person, scope, purpose, biller, method, card, locale } = order;
  const cents = order.centsOf({ minor: item.priceMinor, currency: item.currency });
  if (cents === null) throw new Error(`there is no rate for ${item.currency}`);
  return {
    id,
    personId: person.id,
    siteId: scope.siteId,
    parentId: null,
    purpose,
    parameterHash: parameterHashOf(person.id, item.internalId, purpose, order.parameters),
    internalId: item.internalId,
    tokens: item.tokens,
    freeTokens: item.freeTokens,
    membership: item.membership,
    membershipDays: item.days,
    amountMinor: item.priceMinor,
    currency: item.currency,
    usCents: cents,
    biller: biller.name,
    descriptor: biller.descriptor,
    method,
    renews: renewsAt(item, biller),
    cardId: card?.id ?? null,
    cardBrand: card?.brand ?? null,
    cardLast4: card?.last4 ?? null,
    locale,
    reUpThreshold: order.reUpThreshold ?? null,
    base: card === null ? 'created' : 'unknown',
    keepCard: order.keepCard ?? false,
    network: order.network ?? null,
    ...(order.attribution ?? NO_ATTRIBUTION),
  };
}

/** Stores an order before its charge; an order with the same id is returned with its state. */
export async function beginCharge(tx: Tx, draft: NewOrder): Promise<
  { readonly order: Order; readonly mayCharge: boolean } | 'mismatch'
> {
  const isNew = await insertOrder(tx, draft);
  const order = await findOrder(tx, draft.id);
  if (!order) throw new Error('an order just written cannot be read');
  if (order.parameterHash !== draft.parameterHash) return 'mismatch';
  if (isNew) return { order, mayCharge: true };
  // It was certainly not sent before, so sending it now is safe.
  if (order.state !== 'created') return { order, mayCharge: false };
  await changeOrder(tx, order.id, { base: 'unknown', state: 'unknown' });
  return { order: { ...order, base: 'unknown', state: 'unknown' }, mayCharge: true };
}

/** The terms an order was made for. */
const orderedOffer = (
  order: Pick<
    NewOrder,
    'amountMinor' | 'currency' | 'tokens' | 'freeTokens' | 'membershipDays'
  >,
): OfferTerms => ({
  price: { minor: order.amountMinor, currency: order.currency },
  tokens: order.tokens,
  free_tokens: order.freeTokens,
  days: order.membershipDays,
});

/** The refusal if the offer differs from what the page showed. */
export const offerRefusal = (offer: OfferTerms, locale: string) => ({
  values: { price: formatMoney(offer.price, locale) },
  extra: { offer },
});

/** The output of a payment attempt. */
export const paidAnswer = (order: Order, link: string | null): OutputOf<typeof buyAtOnce> => ({
  status: order.state === 'paid',
  link,
  error: order.state === 'paid' || link !== null ? null : order.state,
  declined_reason: order.state === 'declined' ? (order.decline ?? 'NDECLINED') : null,
  order_id: order.id,
  state: order.state,
  tokens: order.tokens + order.freeTokens,
});

/** Buying: at once with a saved card, or on a biller's page. */
export function buyingHandlers(parts: BuyingParts): CallHandler[] {
  return [atOnce(parts), link(parts), verification(parts), ...reading(parts)];
}

function atOnce({ data, ledger, client, eligibility, catalogue, notices, secret }: BuyingParts): CallHandler {
  return handleCall(buyAtOnce)(async (input, context) => {
    const { scope, personId, consent, idempotencyKey, locale, address, origin, refuse } = context;
    if (idempotencyKey === null) throw new Error('the host demands an Idempotency-Key');
    const buyer = await eligibility.of(scope, personId);
    if ('refusal' in buyer) return refuse(buyer.refusal);
    const reUp = input.autoReUpsSettings;
    const begun = await data.tx(scope, async (tx) => {
      await lockBuyer(tx, personId);
      const offer = await offerOf(tx, ledger, personId, buyer.person.lastLoginCountry);
      const item = sellable(offer, input.internal_id, 'card');
      if (!item) return refuse(refusalOf(offer, input.internal_id, 'card'));
      if (!item.oneClick) return refuse(productUnknown);
      const card = input.cardId === undefined
        ? catalogue.oneClickCard(scope, offer.cards, tx.now)
        : (offer.cards.find(({ id }) => id === input.cardId) ?? null);
      if (!card) return refuse(cardUnknown);
      const biller = client.find(scope, card.biller);
      if (!biller?.abilities.charges) return refuse(billerUnavailable);
      const draft = draftOf(item, {
        id: ledger.operationId(personId, buyAtOnce.name, idempotencyKey),
        person: buyer.person,
        scope,
        purpose: 'one_click',
        biller,
        method: 'card',
        card,
        locale,
        centsOf: (price) => usCents(price, offer.settings.rates),
        reUpThreshold: reUp?.enabled ? (reUp.threshold ?? DEFAULT_REUP_THRESHOLD) : null,
        parameters: [input.cardId ?? null, reUp ?? null],
        network: notices.networkOf(scope, address),
        attribution: readAttribution(secret, { personId, now: tx.now, consent }, input.trace),
      });
      const known = await findOrder(tx, draft.id);
      // An order that may have been charged returns its outcome, whatever the page shows now.
      const isSent = known !== null && known.state !== 'created';
      if (!isSent && input.shown && !isSameOffer(orderedOffer(known ?? draft), input.shown)) {
        return refuse(offerChanged, offerRefusal(termsOf(item), locale));
      }
      const isOver = draft.usCents > (await eligibility.remaining(tx, personId, offer.settings));
      if (!known && isOver) return refuse(dailyPurchaseLimit);
      const charge = await beginCharge(tx, draft);
      if (charge === 'mismatch') return refuse(hostRefusals.keyReused);
      if (charge.mayCharge) await client.watch(tx, biller, charge.order);
      return { ...charge, biller, card };
    });
    if (!('order' in begun)) return begun;
    const { order, mayCharge, biller, card } = begun;
    if (!mayCharge) return paidAnswer(order, null);
    const charged = await client.charge(scope, order, biller, card, { address, origin });
    if (charged.kind === 'page') return paidAnswer(charged.order, charged.url);
    if (charged.kind !== 'unreachable') return paidAnswer(charged.order, null);
    // No other biller has the card, so the next one opens its page and charges nothing by itself.
    const others = client.taking(scope, 'card').filter(({ name }) => name !== biller.name);
    const opened = await client.open(scope, order, others, 'card', { address, origin });
    const now = await data.tx(scope, (tx) => findOrder(tx, order.id));
    return opened && now ? paidAnswer(now, opened.url) : refuse(billerUnavailable);
  });
}

function link({ data, ledger, client, eligibility, notices, secret }: BuyingParts): CallHandler {
  return handleCall(getPurchaseLink)(async (input, context) => {
    const { internal_id: internalId, method = 'card', biller, back, frame = false } = input;
    const { scope, personId, consent, locale, address, origin, refuse } = context;
    const buyer = await eligibility.of(scope, personId);
    if ('refusal' in buyer) return refuse(buyer.refusal);
    const billers = client.taking(scope, method, biller);
    const begun = await data.tx(scope, async (tx) => {
      await lockBuyer(tx, personId);
      const offer = await offerOf(tx, ledger, personId, buyer.person.lastLoginCountry);
      const item = sellable(offer, internalId, method);
      if (!item) return refuse(refusalOf(offer, internalId, method));
      const [first] = billers;
      if (!first) return refuse(billerUnavailable);
      const draft = draftOf(item, {
        id: uuidV4(),
        person: buyer.person,
        scope,
        purpose: 'page',
        biller: first,
        method,
        card: null,
        // No product saves a card by itself, because saved cards can be charged.
        locale,
        keepCard: input.keep_card ?? false,
        centsOf: (price) => usCents(price, offer.settings.rates),
        parameters: [],
        network: notices.networkOf(scope, address),
        attribution: readAttribution(secret, { personId, now: tx.now, consent }, input.trace),
      });
      const isOver = draft.usCents > (await eligibility.remaining(tx, personId, offer.settings));
      if (isOver) return refuse(dailyPurchaseLimit);
      await insertOrder(tx, draft);
      const order = await findOrder(tx, draft.id);
      if (!order) throw new Error('an order just written cannot be read');
      return { order, framed: frame ? offer.settings.framedBillers : [] };
    });
    if (!('order' in begun)) return begun;
    const opened = await client.open(scope, begun.order, billers, method, {
      address,
      origin,
      back,
      country: voucherCountry(internalId),
      framed: begun.framed,
    });
    if (!opened) return refuse(billerUnavailable);
    return { purchase_link: opened.url, order_id: begun.order.id, in_frame: opened.inFrame };
  });
}

/** Opens a card check: an order of the free pass. */
function verification({ data, ledger, accounts, client, notices }: BuyingParts): CallHandler {
  return handleCall(getVerificationLink)(async (
    { keep_card: keepCard = false },
    { scope, personId, locale, address, origin, refuse },
  ) => {
    const billers = client.taking(scope, 'card');
    const [first] = billers;
    if (!first) return refuse(billerUnavailable);
    const order = await data.tx(scope, async (tx) => {
      const person = await accounts.findById(tx, personId);
      if (!person) throw new Error(`person ${personId} has a session and no account`);
      const { settings, products } = await offerOf(tx, ledger, personId, person.lastLoginCountry);
      const item = products.find(({ kind }) => kind === 'pass');
      if (!item) return null;
      const draft = draftOf(item, {
        id: uuidV4(),
        person,
        scope,
        purpose: 'page',
        biller: first,
        method: 'card',
        card: null,
        locale,
        centsOf: (price) => usCents(price, settings.rates),
        parameters: [],
        keepCard,
        network: notices.networkOf(scope, address),
      });
      await insertOrder(tx, draft);
      return findOrder(tx, draft.id);
    });
    const back = verifyReturn(new URL(origin).hostname);
    const opened = order && (await client.open(scope, order, billers, 'card', { address, origin, back }));
    return opened ? { biller_link: opened.url } : refuse(billerUnavailable);
  });
}

function reading({ data, site, text }: BuyingParts): CallHandler[] {
  return [
    handleCall(listOrders)(({ before, limit = ORDERS_PAGE }, { scope, personId, locale }) =>
      data.tx(scope, async (tx) => {
        const beforeNr = /^\d{1,15}$/u.test(before ?? '') ? Number(before) : null;
        // One more than the limit shows whether there is another page.
        const found = await pageOf(tx, personId, beforeNr, limit + 1);
        const page = found.slice(0, limit);
        const next = found.length > limit ? String(page.at(-1)?.nr ?? '') : null;
        return { orders: page.map((order) => orderView(order, text, locale)), next };
      })
    ),
    handleCall(getOrder)(({ id }, { scope, personId, locale, refuse }) =>
      data.tx(scope, async (tx) => {
        const order = await findOrder(tx, id);
        // Another person's order looks the same as one that does not exist.
        if (order?.personId !== personId) return refuse(orderUnknown);
        // Orders paid before sellers were stored show the current seller.
        const seller = order.seller ?? (order.paidAt && (await site.sellerIn(tx, order.siteId)));
        return { order: orderView({ ...order, seller }, text, locale) };
      })
    ),
  ];
}
