import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Scope } from '#platform/contract/context.ts';
import { personChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { dayOf } from '#platform/time/days.ts';
import { placeOf } from '#product/accounts/rules.ts';
import type { LedgerService } from '#product/ledger/server.ts';
import type { Promotions } from '#product/site/extension-points.ts';
import { randomInt } from 'node:crypto';
import { getJoinOffer, promoUnavailable, type ProductView } from '../../contract.ts';
import {
  getSpins,
  listPromos,
  noSpins,
  promoCodeUnknown,
  promoCodeUsed,
  redeemPromoCode,
  spin,
  wheelCount,
} from '../../contract/promos.ts';
import type { BillingSettings } from '../../rules.ts';
import { marketingOf, mayGive, type Marketing } from '../../rules/product-cost.ts';
import type { ProductKind } from '../../rules/products.ts';
import {
  FREE_TOKENS_CODE,
  freeSpins,
  freeTokensCode,
  isRedeemable,
  isWheelOpen,
  JOIN_FORM,
  joinVariant,
  MAX_PRIZE,
  MAX_VAULT_SPINS,
  normalizeCode,
  prizeOf,
  promosFor,
  SPINS_PER_PURCHASE,
  WHEEL_FACES,
  wheelOdds,
  type PromoCode,
} from '../../rules/promos.ts';
import { buyerOf, changeBuyer, lockBuyer, type BuyerRow } from '../../store/people.ts';
import {
  findCode,
  findSpin,
  hasRedeemed,
  insertCode,
  insertSpin,
  lockCode,
  redeem,
} from '../../store/promos.ts';
import { giftOf, give, redemptionId } from '../callbacks/journal.ts';
import type { OrderObserver } from '../callbacks/order-processor.ts';
import type { BillerClient } from '../checkout/biller-client.ts';
import { configurationOf, type BillingDependencies } from '../dependencies.ts';
import { offeredIn, offerOf, productView, type Catalogue, type Offer } from './catalogue.ts';
import { GiftGuard } from './gift-guard.ts';

interface Parts extends BillingDependencies {
  readonly client: BillerClient;
  readonly catalogue: Catalogue;
}

/** A redeemable code, or the reason why it is not. */
type CodeFound = { readonly code: PromoCode } | {
  readonly refused: typeof promoUnavailable | typeof promoCodeUnknown | typeof promoCodeUsed;
};

/** Promotions for a guest in a country. */
const offerToGuests = async (tx: Tx, ledger: LedgerService, country: string | null): Promise<Offer> => ({
  ...(await offeredIn(tx, ledger, country)),
  hasPurchase: false,
  mayWinBack: false,
  cards: [],
  running: [],
  vaultSpins: 0,
});

/** Tokens the free-tokens code gives somebody now; 0 for none. */
async function freeTokensFor(tx: Tx, personId: number | null, marketing: Marketing): Promise<number> {
  const code = (await findCode(tx, FREE_TOKENS_CODE)) ?? { ...freeTokensCode(tx.now), uses: 0 };
  if (!isRedeemable(code, tx.now) || !mayGive(code.tokens, marketing)) return 0;
  const isUsed = personId !== null && (await hasRedeemed(tx, FREE_TOKENS_CODE, personId));
  return isUsed ? 0 : code.tokens;
}

/** A person's spins: the free one of the day, and the vault's. */
const spinsOf = (buyer: BuyerRow, now: Date): number => freeSpins(buyer.freeSpinDay, now) + buyer.vaultSpins;

/** Promotions: each is off until the operator switches it on. */
export class Promos {
  readonly #parts: Parts;
  readonly #gifts: GiftGuard;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#gifts = new GiftGuard(parts);
  }

  /** For GET /site_config. */
  readonly shown: Promotions = async (tx, region, { advertId, promoTest }) => {
    const { settings } = await configurationOf(tx);
    const hasWheel = await this.#isWheelOpen(tx, settings, region);
    const { promoOfferImages: images, switches } = settings;
    const name = [promoTest, advertId].find((item) => item !== null && Object.hasOwn(images, item)) ?? '*';
    return {
      arePromoProductsEnabled: { freeTokensProduct: switches.promos, wheelProduct: hasWheel },
      promo_offer_img: switches.promos ? (images[name] ?? null) : null,
      has_join_offer: switches.joinOffer,
    };
  };

  /** Adds vault spins for purchases, while the wheel is switched on. */
  get observer(): OrderObserver {
    return {
      changed: async (tx, { order, isNewlyPaid }) => {
        if (!isNewlyPaid || order.amountMinor === 0 || order.purpose === 'post_pay') return;
        const { settings } = await configurationOf(tx);
        if (!settings.switches.wheel) return;
        const buyer = await lockBuyer(tx, order.personId);
        const vaultSpins = Math.min(MAX_VAULT_SPINS, buyer.vaultSpins + SPINS_PER_PURCHASE);
        await changeBuyer(tx, order.personId, { vaultSpins });
        const spins = spinsOf({ ...buyer, vaultSpins }, tx.now);
        await tx.send(personChannel(order.personId), wheelCount, { spins });
      },
    };
  }

  get callHandlers(): CallHandler[] {
    return [this.#join(), this.#list(), this.#redeem(), this.#spins(), this.#spin()];
  }

  /** Promotions for a person by account, else by country. */
  async #offerTo(tx: Tx, personId: number | null, country: string | null): Promise<Offer> {
    const { accounts, ledger } = this.#parts;
    if (personId === null) return offerToGuests(tx, ledger, country);
    const person = await accounts.findById(tx, personId);
    return offerOf(tx, ledger, personId, person?.lastLoginCountry ?? null);
  }

  /** The first product of a kind, at the first biller of a method; null where there is none. */
  #product(scope: Scope, offer: Offer, wanted: ProductKind, method: 'card' | 'paypal'): ProductView | null {
    const item = offer.products.find(({ kind }) => kind === wanted);
    const [biller] = this.#parts.client.taking(scope, method);
    const isOff = method === 'paypal' && !offer.settings.switches.paypal;
    return item && biller && !isOff ? productView(item, method, biller, false) : null;
  }

  #join(): CallHandler {
    const { data, catalogue } = this.#parts;
    return handleCall(getJoinOffer)(
      async ({ join_form: joinForm, promo }, { scope, caller, region, refuse }) => {
        const { offer, now } = await data.tx(scope, async (tx) => ({
          offer: await this.#offerTo(tx, caller.personId, placeOf(region).isoCode),
          now: tx.now,
        }));
        const { switches } = offer.settings;
        if (!switches.joinOffer) return refuse(promoUnavailable);
        const variant = joinVariant({
          isMember: caller.personId !== null,
          joinForm,
          promo,
          hasPromos: switches.promos,
        });
        const cc = this.#product(scope, offer, 'pass', 'card');
        const pp = this.#product(scope, offer, 'pass', 'paypal');
        const none = { join_form: null, cc, pp, regular: null, promo: null };
        if (variant === 'existing') {
          const packs = offer.products.filter(({ kind }) => kind === 'pack');
          const regular = catalogue.listed(scope, offer, packs, { method: 'card', now });
          return { ...none, cc: null, pp: null, regular };
        }
        if (variant === 'form_4') return { ...none, join_form: JOIN_FORM };
        if (variant === 'default') return none;
        const offered = this.#product(scope, offer, 'promo', 'card');
        return { ...none, promo: offered ? { link: offered.biller_link, product: offered } : null };
      },
    );
  }

  #list(): CallHandler {
    const { data } = this.#parts;
    return handleCall(listPromos)(
      async ({ advert_id: advertId, promo }, { scope, caller: { personId }, region }) => {
        const country = placeOf(region).isoCode;
        const { offer, freeTokens } = await data.tx(scope, async (tx) => {
          const offer = await this.#offerTo(tx, personId, country);
          return { offer, freeTokens: await freeTokensFor(tx, personId, offer.marketing) };
        });
        const kinds = promosFor({
          switches: offer.settings.switches,
          hasPurchase: offer.hasPurchase,
          hasFreeTokens: freeTokens === 0,
          isWheelOpen: isWheelOpen(offer.settings, country) && mayGive(MAX_PRIZE, offer.marketing),
          advertId,
          promo,
        });
        return {
          promos: kinds.flatMap((kind) => {
            const isOffer = kind === 'special' || kind === 'offer';
            const product = isOffer ? this.#product(scope, offer, 'promo', 'card') : null;
            // No product, no offer: it is not on sale here, or the marketing budget does not cover it.
            if (isOffer && product === null) return [];
            const free = kind === 'free_tokens' ? freeTokens : (product?.free_tokens ?? 0);
            return [{ id: kind, kind, product, free_tokens: free }];
          }),
        };
      },
    );
  }

  #redeem(): CallHandler {
    const { data, ledger } = this.#parts;
    return handleCall(redeemPromoCode)(async ({ code: typed }, context) => {
      const { scope, personId, refuse } = context;
      const name = normalizeCode(typed);
      const codeFor = async (tx: Tx): Promise<CodeFound> => {
        const { settings } = await configurationOf(tx);
        if (!settings.switches.promos) return { refused: promoUnavailable };
        if (name === FREE_TOKENS_CODE) await insertCode(tx, freeTokensCode(tx.now));
        const code = await lockCode(tx, name);
        if (!code) return { refused: promoCodeUnknown };
        if (await hasRedeemed(tx, name, personId)) return { refused: promoCodeUsed };
        return isRedeemable(code, tx.now) ? { code } : { refused: promoCodeUnknown };
      };
      const first = await data.tx(scope, codeFor);
      if ('refused' in first) return refuse(first.refused);
      const stop = await this.#gifts.refusalOf(context, personId);
      if (stop) return refuse(stop.refusal, { retryAfterSeconds: stop.seconds });
      return data.tx(scope, async (tx) => {
        // Checked again under the lock of the code.
        const found = await codeFor(tx);
        if ('refused' in found) return refuse(found.refused);
        const { tokens } = found.code;
        // Post first, so that a code refused by the marketing cap is not used up.
        const gift = giftOf(redemptionId(name, personId), personId, tokens, 'promo_code');
        if (!(await give(tx, ledger, gift))) return refuse(promoUnavailable);
        await redeem(tx, name, personId);
        return { status: 1 as const, tokens };
      });
    });
  }

  #spins(): CallHandler {
    const { data } = this.#parts;
    return handleCall(getSpins)((_input, { scope, personId, region }) =>
      data.tx(scope, async (tx) => {
        const enabled = await this.#isWheelOpen(tx, (await configurationOf(tx)).settings, region);
        const spins = enabled ? spinsOf(await buyerOf(tx, personId), tx.now) : 0;
        return { enabled, spins, prizes: enabled ? wheelOdds() : [] };
      })
    );
  }

  /** Whether the wheel is open in a region, and the budget covers its largest prize. */
  async #isWheelOpen(tx: Tx, settings: BillingSettings, region: string): Promise<boolean> {
    return isWheelOpen(settings, placeOf(region).isoCode)
      && mayGive(MAX_PRIZE, marketingOf(await this.#parts.ledger.moneyRules(tx)));
  }

  #spin(): CallHandler {
    const { data, ledger } = this.#parts;
    return handleCall(spin)(async ({ vault = false }, context) => {
      const { scope, personId, region, idempotencyKey, refuse } = context;
      if (idempotencyKey === null) throw new Error('the host demands an Idempotency-Key');
      const id = ledger.operationId(personId, spin.name, idempotencyKey);
      // A spin from a purchase is already paid for.
      const isGift = await data.tx(scope, async (tx) =>
        !vault && (await findSpin(tx, id)) === null
        && freeSpins((await buyerOf(tx, personId)).freeSpinDay, tx.now) > 0
        && this.#isWheelOpen(tx, (await configurationOf(tx)).settings, region));
      const stop = isGift ? await this.#gifts.refusalOf(context, personId) : null;
      if (stop) return refuse(stop.refusal, { retryAfterSeconds: stop.seconds });
      return data.tx(scope, async (tx) => {
        const buyer = await lockBuyer(tx, personId);
        const { settings } = await configurationOf(tx);
        const known = await findSpin(tx, id);
        if (known !== null) return { status: 1 as const, prize: known, spins: spinsOf(buyer, tx.now) };
        if (!(await this.#isWheelOpen(tx, settings, region))) return refuse(promoUnavailable);
        const isFree = !vault && freeSpins(buyer.freeSpinDay, tx.now) > 0;
        if (!isFree && buyer.vaultSpins === 0) return refuse(noSpins);
        const next: BuyerRow = isFree
          ? { ...buyer, freeSpinDay: dayOf(tx.now) }
          : { ...buyer, vaultSpins: buyer.vaultSpins - 1 };
        const prize = prizeOf(randomInt(WHEEL_FACES));
        if (!(await give(tx, ledger, giftOf(id, personId, prize, 'wheel')))) return refuse(promoUnavailable);
        await insertSpin(tx, id, personId, prize);
        await changeBuyer(
          tx,
          personId,
          isFree
            ? { freeSpinDay: dayOf(tx.now) }
            : { vaultSpins: next.vaultSpins },
        );
        const spins = spinsOf(next, tx.now);
        await tx.send(personChannel(personId), wheelCount, { spins });
        return { status: 1 as const, prize, spins };
      });
    });
  }
}
