import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Scope } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import type { Biller, PayMethod } from '#platform/payments/biller.ts';
import { nextDay, startOfDay } from '#platform/time/days.ts';
import { placeOf } from '#product/accounts/rules.ts';
import { marketingCap } from '#product/ledger/contract.ts';
import type { LedgerService } from '#product/ledger/server.ts';
import {
  getBillerNames,
  getDailyLimit,
  getPrices,
  listProducts,
  productUnknown,
  type ProductView,
} from '../../contract.ts';
import { isExpired, usCents, type BillingSettings } from '../../rules.ts';
import { isCovered, marketingOf, type Marketing } from '../../rules/product-cost.ts';
import {
  discountOf,
  inOrder,
  isHighlighted,
  isSoldIn,
  isSuggestion,
  voucherCountry,
  voucherProducts,
  type CatalogueItem,
} from '../../rules/products.ts';
import { mayWinBack } from '../../rules/promos.ts';
import { centsSince, newestOrder } from '../../store/orders.ts';
import {
  buyerOf,
  cardsOf,
  lastMembershipEnd,
  runningMemberships,
  type Card,
  type MembershipRow,
} from '../../store/people.ts';
import { sealAttribution } from '../checkout/attribution.ts';
import type { BillerClient } from '../checkout/biller-client.ts';
import { cardView } from '../checkout/cards.ts';
import type { Eligibility } from '../customer/eligibility.ts';
import { configurationOf, type BillingDependencies } from '../dependencies.ts';

/** The offer for a person. */
export interface Offer {
  readonly settings: BillingSettings;
  /** Products on sale in their country that the marketing budget covers. */
  readonly products: readonly CatalogueItem[];
  /** Products on sale in their country that the budget does not cover now. */
  readonly withheld: readonly CatalogueItem[];
  readonly marketing: Marketing;
  readonly hasPurchase: boolean;
  readonly mayWinBack: boolean;
  readonly cards: readonly Card[];
  /** Current memberships. */
  readonly running: readonly MembershipRow[];
  readonly vaultSpins: number;
}

/** Decides what an operator offers in a country; the only place that applies the marketing budget. */
export async function offeredIn(
  tx: Tx,
  ledger: LedgerService,
  country: string | null,
): Promise<Pick<Offer, 'settings' | 'products' | 'withheld' | 'marketing'>> {
  const { settings, products: all } = await configurationOf(tx);
  const marketing = marketingOf(await ledger.moneyRules(tx));
  const sold = all.filter((item) => isSoldIn(item, country));
  const products = sold.filter((item) => isCovered(item, settings.rates, marketing));
  return { settings, marketing, products, withheld: sold.filter((item) => !products.includes(item)) };
}

/**
 * The offer for a person.
 * @param country of the last log-in; null if unknown, or if products do not matter
 */
export async function offerOf(
  tx: Tx,
  ledger: LedgerService,
  personId: number,
  country: string | null,
): Promise<Offer> {
  const offered = await offeredIn(tx, ledger, country);
  const running = await runningMemberships(tx, [personId]);
  const endedAt = await lastMembershipEnd(tx, personId);
  const { firstPaidAt, vaultSpins } = await buyerOf(tx, personId);
  return {
    ...offered,
    hasPurchase: firstPaidAt !== null,
    running,
    vaultSpins,
    mayWinBack: running.length === 0 && mayWinBack(endedAt, tx.now),
    cards: await cardsOf(tx, personId),
  };
}

/** Whether a method is switched on; cards always are. */
const isOpen = ({ switches }: BillingSettings, method: PayMethod): boolean =>
  ({
    card: true,
    paypal: switches.paypal,
    crypto: switches.crypto,
    voucher: switches.vouchers,
  })[method];

const isMember = ({ membership }: CatalogueItem): boolean => membership !== null;

/** Products for a method: vouchers have fixed amounts; crypto and vouchers have no memberships. */
function soldBy(offer: Offer, method: PayMethod, country: string | null): readonly CatalogueItem[] {
  const { settings, products, marketing } = offer;
  if (!isOpen(settings, method)) return [];
  if (method === 'voucher') {
    return voucherProducts(country, (price) => usCents(price, settings.rates))
      .filter((item) => isCovered(item, settings.rates, marketing));
  }
  const sold = products.filter(({ kind, currency }) =>
    (kind === 'pack' || kind === 'membership') && usCents({ minor: 1, currency }, settings.rates) !== null
  );
  return inOrder(method === 'crypto' ? sold.filter((item) => !isMember(item)) : sold);
}

/** Promotional products this person qualifies for. */
function promotedTo({ settings, products, hasPurchase, mayWinBack: winBack }: Offer): CatalogueItem[] {
  if (!settings.switches.promos) return [];
  return products.filter(({ kind }) => (kind === 'promo' && !hasPurchase) || (kind === 'winback' && winBack));
}

/** Only the promotion under test, where this person qualifies for it. */
function underTest(promoted: readonly CatalogueItem[], test: string | undefined): readonly CatalogueItem[] {
  const tried = promoted.filter(({ internalId }) => internalId === test);
  return tried.length > 0 ? tried : promoted;
}

/** The product that a person may buy with a method; null if there is none. */
export function sellable(offer: Offer, internalId: string, method: PayMethod): CatalogueItem | null {
  if (!isOpen(offer.settings, method)) return null;
  // The free pass shows by a card or a PayPal account that the person is an adult.
  const isPassed = method === 'card' || method === 'paypal';
  const pass = isPassed ? offer.products.filter(({ kind }) => kind === 'pass') : [];
  const promoted = method === 'voucher' ? [] : promotedTo(offer);
  const sold = soldBy(offer, method, voucherCountry(internalId));
  return [...sold, ...promoted, ...pass].find((item) => item.internalId === internalId) ?? null;
}

/**
 * The promotional product that a card check may buy, as a first purchase; null if there is none. It is on the
 * check's form, so the switch for promotions of pages does not count.
 */
export const soldByCheck = (offer: Offer, internalId: string): CatalogueItem | null =>
  isOpen(offer.settings, 'card') && !offer.hasPurchase
    ? offer.products.find((item) => item.internalId === internalId && item.kind === 'promo') ?? null
    : null;

/** Why a person may not buy a product ({@link sellable}). */
export function refusalOf(
  offer: Offer,
  internalId: string,
  method: PayMethod,
): typeof productUnknown | typeof marketingCap {
  const whole: Offer = {
    ...offer,
    products: [...offer.products, ...offer.withheld],
    marketing: { ...offer.marketing, leftCents: Number.MAX_SAFE_INTEGER },
  };
  return sellable(whole, internalId, method) ? marketingCap : productUnknown;
}

/** Whether a purchase at a biller renews after its days. */
export const renewsAt = (
  { days }: Pick<CatalogueItem, 'days'>,
  { abilities: { renews } }: Pick<Biller, 'abilities'>,
): boolean => days !== null && renews;

/** A product as shown to a buyer, for a method and a biller. */
export function productView(
  item: CatalogueItem,
  method: PayMethod,
  at: Pick<Biller, 'name' | 'abilities'>,
  isOneClick: boolean,
): ProductView {
  const { internalId, tokens, freeTokens, priceMinor: minor, currency, membership, days } = item;
  const { name: biller } = at;
  const id = encodeURIComponent(internalId);
  return {
    internal_id: internalId,
    biller,
    tokens,
    amount: minor / 100,
    price: { minor, currency },
    biller_link: isOneClick
      ? `/billing/oneclick/${id}`
      : `/billing/purchase-link/${id}?method=${method}&biller=${biller}`,
    discount: discountOf(item),
    membership,
    days,
    renews: renewsAt(item, at),
    is_oneclick: isOneClick,
    free_tokens: freeTokens,
    highlighted: isHighlighted(item),
  };
}

interface Parts extends BillingDependencies {
  readonly client: BillerClient;
  readonly eligibility: Eligibility;
}

/** The product list of one person. */
export class Catalogue {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A saved card that can be charged at once: not expired, and at a biller (or `only`) that can do so. */
  oneClickCard(
    scope: { operatorId: number },
    cards: readonly Card[],
    now: Date,
    only: string | null = null,
  ): Card | null {
    const { client } = this.#parts;
    return cards.find(({ biller, expiry }) =>
      (only === null || biller === only) && !isExpired(expiry, now)
      && client.find(scope, biller)?.abilities.charges === true
    ) ?? null;
  }

  /** Products for a method, in display order. */
  listed(scope: Scope, offer: Offer, items: readonly CatalogueItem[], by: {
    readonly method: PayMethod;
    readonly preferred?: string | undefined;
    readonly now: Date;
  }): ProductView[] {
    const [biller] = this.#parts.client.taking(scope, by.method, by.preferred);
    if (!biller) return [];
    // The preferred biller applies to cards too: a card at another biller is not charged instead.
    const only = biller.name === by.preferred ? biller.name : null;
    const card = by.method === 'card' ? this.oneClickCard(scope, offer.cards, by.now, only) : null;
    const holder = card && this.#parts.client.find(scope, card.biller);
    return items.map((item) => {
      const isOneClick = holder !== null && item.oneClick;
      return productView(item, by.method, isOneClick ? holder : biller, isOneClick);
    });
  }

  get callHandlers(): CallHandler[] {
    return [this.#list(), this.#prices(), this.#limit(), this.#names()];
  }

  /** Products for people who sign up; promotions depend on the person. */
  #prices(): CallHandler {
    const { client, data, ledger } = this.#parts;
    return handleCall(getPrices)(async (_input, { scope, region }) => {
      if (client.taking(scope, 'card', undefined).length === 0) return { prices: [] };
      const { settings, products } = await data.tx(
        scope,
        (tx) => offeredIn(tx, ledger, placeOf(region).isoCode),
      );
      const packs = inOrder(
        products.filter(({ kind, currency }) =>
          kind === 'pack' && usCents({ minor: 1, currency }, settings.rates) !== null
        ),
      );
      return {
        prices: packs.map(({ tokens, freeTokens, priceMinor: minor, currency }) => ({
          tokens,
          free_tokens: freeTokens,
          price: { minor, currency },
        })),
      };
    });
  }

  #list(): CallHandler {
    const { client, data, ledger, eligibility, isTest, secret } = this.#parts;
    return handleCall(listProducts)(async (input, { scope, personId, consent, refuse }) => {
      const buyer = await eligibility.of(scope, personId);
      if ('refusal' in buyer) return refuse(buyer.refusal);
      const { offer, remaining, newest, now } = await data.tx(scope, async (tx) => {
        const found = await offerOf(tx, ledger, personId, buyer.person.lastLoginCountry);
        return {
          offer: found,
          remaining: await eligibility.remaining(tx, personId, found.settings),
          newest: await newestOrder(tx, personId),
          now: tx.now,
        };
      });
      const country = input.cashtocode_country_code?.toUpperCase() ?? buyer.person.lastLoginCountry;
      const group = (method: PayMethod, items = soldBy(offer, method, country)): ProductView[] =>
        this.listed(scope, offer, items, { method, preferred: input.biller_pref, now });
      const wanted = (method: PayMethod): ProductView | null => {
        const item = input.wanted === undefined ? null : sellable(offer, input.wanted, method);
        return (item && group(method, [item])[0]) ?? null;
      };
      const credit = group('card');
      return {
        products: { credit, paypal: group('paypal'), crypto: group('crypto'), voucher: group('voucher') },
        promo_products: { default: group('card', underTest(promotedTo(offer), input.custom_promo_test)) },
        wanted: {
          credit: wanted('card'),
          paypal: wanted('paypal'),
          crypto: wanted('crypto'),
          voucher: wanted('voucher'),
        },
        declined_reason: newest?.state === 'declined' ? (newest.decline ?? 'NDECLINED') : null,
        daily_purchase_remaining: remaining,
        currency: 'USD',
        cards: offer.cards.map((card) => cardView(card, now)),
        suggestions: credit.filter(isSuggestion),
        is_test: isTest,
        billers: client.taking(scope, 'card').map(({ name }) => name),
        saves_cards: client.taking(scope, 'card', input.biller_pref)[0]?.abilities.charges ?? false,
        trace: sealAttribution(secret, { operatorId: scope.operatorId, personId, now }, {
          ...input,
          advert_id: consent.marketing ? input.advert_id : undefined,
        }),
      };
    });
  }

  #limit(): CallHandler {
    const { data } = this.#parts;
    return handleCall(getDailyLimit)((_input, { scope, personId }) =>
      data.tx(scope, async (tx) => {
        const { settings: { dailyLimitCents: limit } } = await configurationOf(tx);
        const resetsAt = nextDay(tx.now);
        const spent = await centsSince(tx, personId, startOfDay(tx.now));
        const usd = (minor: number): { minor: number; currency: string } => ({ minor, currency: 'USD' });
        return {
          limit: usd(limit),
          spent: usd(spent),
          remaining: usd(Math.max(0, limit - spent)),
          resets_at: resetsAt.toISOString(),
        };
      })
    );
  }

  #names(): CallHandler {
    const { billersOf, data } = this.#parts;
    return handleCall(getBillerNames)(async (_input, { scope }) => {
      const { settings } = await data.tx(scope, configurationOf);
      const descriptors = billersOf(scope.operatorId).map(({ descriptor }) => descriptor);
      return {
        descriptor: descriptors[0] ?? '',
        companies: [...new Set([...settings.companies, ...descriptors])],
      };
    });
  }
}

/** The offer for a person whose membership ended recently. */
export const winbackOf = (
  { products, settings, mayWinBack: winBack }: Offer,
): CatalogueItem | null => (settings.switches.promos && winBack
  ? (products.find(({ kind }) => kind === 'winback') ?? null)
  : null);
