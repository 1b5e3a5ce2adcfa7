import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { InputOf } from '#platform/contract/call.ts';
import type { Tx } from '#platform/data/data.ts';
import { productUnknown } from '../../contract.ts';
import {
  catalogueFull,
  changeProduct,
  costNotAccepted,
  createProduct,
  currencyUnknown,
  listManagedProducts,
  orderProducts,
  priceBelowPayout,
  productChanged,
  productInvalid,
  productTaken,
  retireProduct,
  type ManagedProductView,
} from '../../contract/operator.ts';
import type { BillingSettings } from '../../rules.ts';
import { costOf, inGivenOrder, isArbitrage } from '../../rules/product-cost.ts';
import { errorOfProduct, errorOfProducts, MAX_PRODUCTS, type CatalogueItem } from '../../rules/products.ts';
import { lockSettings, saveProducts } from '../../store.ts';
import { noteChange, type Change } from '../admin/changes.ts';
import { configurationOf, type BillingDependencies } from '../dependencies.ts';

/** The rates that decide whether a product can be sold, and what it costs. */
interface Market {
  readonly rates: BillingSettings['rates'];
  /** Payout of a token, in US cents. */
  readonly payoutCents: number;
}

function viewOf(item: CatalogueItem, { rates, payoutCents }: Market): ManagedProductView {
  const cost = costOf(item, rates, payoutCents);
  return {
    internal_id: item.internalId,
    kind: item.kind,
    tokens: item.tokens,
    free_tokens: item.freeTokens,
    price: { minor: item.priceMinor, currency: item.currency },
    membership: item.membership,
    days: item.days,
    one_click: item.oneClick,
    countries: [...item.countries],
    retired: item.retired,
    revision: item.revision,
    cash_cents: cost.cashCents,
    payout_cents: cost.payoutCents,
    marketing_cents: cost.marketingCents,
    below_payout: isArbitrage(item, cost),
  };
}

/** Why an operator may not sell a product, now or at all; null if they may. */
function refusalOf(
  item: CatalogueItem,
  { rates, payoutCents }: Market,
  acceptedCents: number,
): typeof productInvalid | typeof currencyUnknown | typeof priceBelowPayout | typeof costNotAccepted | null {
  if (errorOfProduct(item) !== null) return productInvalid;
  const cost = costOf(item, rates, payoutCents);
  if (cost.cashCents === null) return currencyUnknown;
  if (isArbitrage(item, cost)) return priceBelowPayout;
  return cost.marketingCents > acceptedCents ? costNotAccepted : null;
}

/** The parts of a product that an admin can change. */
const changed = (input: Omit<InputOf<typeof changeProduct>, 'internal_id' | 'revision'>) => ({
  tokens: input.tokens,
  freeTokens: input.free_tokens,
  priceMinor: input.price_minor,
  currency: input.currency,
  days: input.days,
  oneClick: input.one_click,
  countries: [...new Set(input.countries)].toSorted(),
});

/** A product as in the audit log. */
const audited = ({ internalId: _id, revision: _revision, ...rest }: CatalogueItem): Change['before'] => rest;

/** Adds a product after those on sale and before the retired ones. */
const placed = (
  others: readonly CatalogueItem[],
  item: CatalogueItem,
): CatalogueItem[] => [
  ...others.filter(({ retired }) => !retired),
  item,
  ...others.filter(({ retired }) => retired),
];

/** An operator's products. None is ever deleted, and orders retain the terms they were made with. */
export class ManagedProducts {
  readonly #deps: BillingDependencies;

  constructor(deps: BillingDependencies) {
    this.#deps = deps;
  }

  get callHandlers(): CallHandler[] {
    return [this.#list(), this.#create(), this.#change(), this.#retire(), this.#order()];
  }

  /** Locks and reads all products and their rates. */
  async #locked(tx: Tx): Promise<{ readonly all: readonly CatalogueItem[]; readonly market: Market }> {
    await lockSettings(tx);
    return this.#read(tx);
  }

  async #read(tx: Tx) {
    const { settings, allProducts: all } = await configurationOf(tx);
    const rules = await this.#deps.ledger.moneyRules(tx);
    return { all, rules, market: { rates: settings.rates, payoutCents: rules.payoutCents } };
  }

  /** Saves the products and the change; false if the catalogue would be invalid. */
  async #save(tx: Tx, all: readonly CatalogueItem[], change: Change): Promise<boolean> {
    if (errorOfProducts(all) !== null) return false;
    await saveProducts(tx, all);
    await noteChange(tx, change);
    return true;
  }

  #list(): CallHandler {
    const { data } = this.#deps;
    return handleCall(listManagedProducts)(({ retired = false, after }, { scope }) =>
      data.tx(scope, async (tx) => {
        const { all, rules, market } = await this.#read(tx);
        const listed = all.filter((item) => item.retired === retired);
        const from = after === undefined ? 0 : listed.findIndex(({ internalId }) => internalId === after) + 1;
        const page = listed.slice(from, from + MAX_PRODUCTS);
        const isMore = listed.length > from + MAX_PRODUCTS;
        return {
          products: page.map((item) => viewOf(item, market)),
          next: isMore ? (page.at(-1)?.internalId ?? null) : null,
          rates: Object.entries(market.rates).map(([currency, cents]) => ({ currency, cents })),
          token_payout_cents: rules.payoutCents,
          marketing_cap_cents: rules.marketingCapCents,
          marketing_booked_cents: rules.marketingBookedCents,
        };
      })
    );
  }

  #create(): CallHandler {
    const { data } = this.#deps;
    return handleCall(createProduct)((input, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        const { all, market } = await this.#locked(tx);
        const { internal_id: internalId, kind, membership, reason } = input;
        if (all.some((item) => item.internalId === internalId)) return refuse(productTaken);
        const item: CatalogueItem = {
          internalId,
          kind,
          membership,
          ...changed(input),
          retired: false,
          revision: 1,
        };
        const refused = refusalOf(item, market, input.accepted_cost_cents ?? 0);
        if (refused) return refuse(refused);
        const saved = await this.#save(tx, placed(all, item), {
          action: createProduct.name,
          actorId: personId,
          reason,
          what: internalId,
          before: {},
          after: audited(item),
        });
        return saved ? { product: viewOf(item, market) } : refuse(catalogueFull);
      })
    );
  }

  #change(): CallHandler {
    const { data } = this.#deps;
    return handleCall(changeProduct)((input, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        const { all, market } = await this.#locked(tx);
        const before = all.find(({ internalId }) => internalId === input.internal_id);
        if (!before) return refuse(productUnknown);
        if (before.revision !== input.revision) return refuse(productChanged);
        const item = { ...before, ...changed(input), revision: before.revision + 1 };
        const refused = refusalOf(item, market, input.accepted_cost_cents ?? 0);
        if (refused) return refuse(refused);
        const saved = await this.#save(tx, all.map((entry) => (entry === before ? item : entry)), {
          action: changeProduct.name,
          actorId: personId,
          reason: input.reason,
          what: item.internalId,
          before: audited(before),
          after: audited(item),
        });
        if (!saved) throw new Error(`the change of ${item.internalId} was checked and cannot be saved`);
        return { product: viewOf(item, market) };
      })
    );
  }

  #retire(): CallHandler {
    const { data } = this.#deps;
    return handleCall(retireProduct)((input, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        const { all, market } = await this.#locked(tx);
        const before = all.find(({ internalId }) => internalId === input.internal_id);
        if (!before) return refuse(productUnknown);
        if (before.revision !== input.revision) return refuse(productChanged);
        const { retired, reason } = input;
        const item = { ...before, retired, revision: before.revision + 1 };
        const cost = costOf(item, market.rates, market.payoutCents);
        // Rates and payouts may have changed since it was retired.
        if (!retired && cost.cashCents === null) return refuse(currencyUnknown);
        if (!retired && isArbitrage(item, cost)) return refuse(priceBelowPayout);
        const saved = await this.#save(tx, placed(all.filter((entry) => entry !== before), item), {
          action: retireProduct.name,
          actorId: personId,
          reason,
          what: item.internalId,
          before: { retired: before.retired },
          after: { retired },
        });
        return saved ? { product: viewOf(item, market) } : refuse(catalogueFull);
      })
    );
  }

  #order(): CallHandler {
    const { data } = this.#deps;
    return handleCall(orderProducts)(({ internal_ids: ids, reason }, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        const { all } = await this.#locked(tx);
        const ordered = inGivenOrder(all, ids);
        if (!ordered) return refuse(productChanged);
        const idsOf = (items: readonly CatalogueItem[]): string[] =>
          items.filter(({ retired }) => !retired).map(({ internalId }) => internalId);
        await this.#save(tx, ordered, {
          action: orderProducts.name,
          actorId: personId,
          reason,
          what: null,
          before: { order: idsOf(all) },
          after: { order: idsOf(ordered) },
        });
        return { status: 1 as const };
      })
    );
  }
}
