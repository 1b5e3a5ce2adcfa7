import { MINUTE_MS } from '#platform/time/units.ts';
import type { Query } from './payments/payment-return.ts';
import { FREE_TOKENS_CODE, isSpecialOffer, JOIN_FORM, SPECIAL_ADVERTS } from './promos.ts';

/** Query parameters of the page's address for the money screens (spec 1 §2). */
export interface MoneyQuery {
  readonly advertId: string | null;
  /** `prg`, else `promo`: the promotion that brought somebody here. */
  readonly promo: string | null;
  readonly joinForm: string | null;
  readonly joinFormDisabled: boolean;
  /** `av`, as in the call `billing/product_av`: verify a card. */
  readonly verify: boolean;
  readonly crypto: boolean;
  readonly tokenForm: boolean;
  readonly voucherCountry: string | null;
  readonly promoTest: string | null;
  readonly freeTokens: boolean;
}

/** Longest value, as in the calls that send it. */
const MAX_VALUE_LENGTH = 64;
const short = (
  value: string | null,
): string | null => (value !== null && value !== '' && value.length <= MAX_VALUE_LENGTH ? value : null);
/** `?crypto`, `?crypto=1` and `?crypto=true` are on; `?crypto=0` is off. */
const isAsked = (value: string | null): boolean => value !== null && !/^(?:0|false|no)$/iu.test(value);

export function moneyQuery(query: Query): MoneyQuery {
  const country = query.get('cashtocode_country_code');
  return {
    advertId: short(query.get('advert_id') ?? query.get('id')),
    promo: short(query.get('prg') ?? query.get('promo')),
    joinForm: short(query.get('join_form')),
    joinFormDisabled: isAsked(query.get('_disabled_join_form')),
    verify: isAsked(query.get('av')),
    crypto: isAsked(query.get('crypto')),
    tokenForm: isAsked(query.get('token_form')),
    voucherCountry: country !== null && /^[a-z]{2}$/iu.test(country) ? country.toUpperCase() : null,
    promoTest: short(query.get('custom_promo_test')),
    freeTokens: isAsked(query.get('free_tokens')),
  };
}

/** Facts about a page's viewer that decide which dialogs open automatically. */
export interface Visitor {
  readonly member: boolean;
  readonly model: boolean;
  readonly hasPurchase: boolean;
  readonly path: string;
}

/** Routes where no money dialog opens automatically. */
const QUIET_ROUTES = ['/affiliates', '/free-register/connect', '/models/signup'] as const;
/** Routes of forms, which a dialog would interrupt. */
const FORM_ROUTES = ['/account', '/login', '/register', '/admin', '/verify', '/join', '/go-live'] as const;

const isBelow = (path: string, routes: readonly string[]): boolean =>
  routes.some((route) => path === route || path.startsWith(`${route}/`));

/** Whether the post-pay modal opens automatically (spec 1 §4, Post-pay modal): once per browser. */
export const showsPostpay = (who: {
  readonly member: boolean;
  readonly postpay: boolean;
  readonly path: string;
  readonly seen: boolean;
  readonly ageRequired: boolean;
}): boolean => who.member && who.postpay && !who.seen && !who.ageRequired && !isBelow(who.path, QUIET_ROUTES);

/** The token-form prompt opens at every third visit (spec 1 §9). */
const TOKEN_FORM_EVERY = 3;

/**
 * Whether the token form opens automatically.
 * @param visits number of visits of this browser, including this one
 */
export const showsTokenForm = (who: Visitor, visits: number): boolean =>
  who.member && !who.model && !who.hasPurchase && visits > 0 && visits % TOKEN_FORM_EVERY === 0
  && !isBelow(who.path, QUIET_ROUTES) && !isBelow(who.path, FORM_ROUTES);

/**
 * Whether the promo offer opens: the special offer for anybody with its parameters, another promo for
 * members; never for performers, for people with an earlier purchase, or over a form.
 */
export function showsPromoOffer(who: Visitor, query: Pick<MoneyQuery, 'advertId' | 'promo'>): boolean {
  if (who.model || who.hasPurchase) return false;
  if (isBelow(who.path, QUIET_ROUTES) || isBelow(who.path, FORM_ROUTES)) return false;
  return isSpecialOffer(query.advertId ?? undefined, query.promo ?? undefined) || (who.member
    && query.promo !== null);
}

const PROMO_RESHOW_MS = MINUTE_MS;

/** Milliseconds until a closed promo offer is shown again; null for never. */
export const promoReshowMs = (
  who: Pick<Visitor, 'hasPurchase'>,
  query: Pick<MoneyQuery, 'advertId'>,
  shown: number,
):
  | number
  | null => (SPECIAL_ADVERTS.includes(query.advertId ?? '') && !who.hasPurchase && shown < 2
    ? PROMO_RESHOW_MS
    : null);

/** The step after an automatic re-up (spec 1 §8, Auto re-up). */
export function reUpStep(
  update: { readonly success: boolean; readonly error: string | null },
): 'done' | 'declined' | 'support' | 'failed' {
  if (update.success) return 'done';
  if (update.error === 'verification_required') return 'declined';
  return update.error === 'contact_support' ? 'support' : 'failed';
}

/** Initial value of the promo code field (spec 1 §5). */
export const firstPromoCode = (promo: string | null): string => promo ?? FREE_TOKENS_CODE;

/** Which of its four variants the join offer shows (spec 2 §2.5), from the call's output. */
export function joinView(offer: {
  readonly join_form: string | null;
  readonly regular: readonly unknown[] | null;
  readonly promo: unknown;
}): 'account' | 'welcome_back' | 'promo' | 'free' {
  if (offer.regular !== null && offer.regular.length > 0) return 'welcome_back';
  if (offer.join_form === JOIN_FORM) return 'account';
  return offer.promo === null ? 'free' : 'promo';
}
