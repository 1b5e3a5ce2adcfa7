import { dayOf } from '#platform/time/days.ts';
import { DAY_MS } from '#platform/time/units.ts';
import type { BillingSettings } from '../rules.ts';

/** Variants of the join offer (spec 2); the call's output determines which one is shown. */
export type JoinVariant = 'form_4' | 'existing' | 'promo' | 'default';

/** The join form that creates an account first. */
export const JOIN_FORM = '4';

/**
 * The variant of the join offer. Members see packs, a form in the address takes effect, a promo needs the
 * operator's switch, and everybody else gets the default.
 */
export function joinVariant(asked: {
  readonly isMember: boolean;
  readonly joinForm: string | undefined;
  readonly promo: string | undefined;
  readonly hasPromos: boolean;
}): JoinVariant {
  if (asked.isMember) return 'existing';
  if (asked.joinForm === JOIN_FORM) return 'form_4';
  return asked.promo !== undefined && asked.promo !== '' && asked.hasPromos ? 'promo' : 'default';
}

/** Advert ids and promo values that together show the special offer (spec 1 §9). */
export const SPECIAL_ADVERTS: readonly string[] = ['xv300wo', 'xv300fco'];
const SPECIAL_PROMOS = ['nwh', 'dgs', 'spl'];
export const isSpecialOffer = (advertId: string | undefined, promo: string | undefined): boolean =>
  SPECIAL_ADVERTS.includes(advertId ?? '') && SPECIAL_PROMOS.includes(promo ?? '');

/**
 * The default code for free tokens (spec 1 §8). An operator can replace it with a code of the same name
 * (readings.md, Rates and promos).
 */
export const FREE_TOKENS_CODE = 'FREE_TOKENS';
const FREE_TOKENS = 100;

export type PromoKind = 'special' | 'offer' | 'free_tokens' | 'wheel';

/** Promotions shown to somebody; offers are for a first purchase. */
export function promosFor(who: {
  readonly switches: BillingSettings['switches'];
  readonly hasPurchase: boolean;
  /** The person redeemed the free tokens, or the code has ended. */
  readonly hasFreeTokens: boolean;
  readonly isWheelOpen: boolean;
  readonly advertId: string | undefined;
  readonly promo: string | undefined;
}): PromoKind[] {
  const kinds: PromoKind[] = [];
  if (who.switches.promos && !who.hasPurchase) {
    kinds.push(isSpecialOffer(who.advertId, who.promo) ? 'special' : 'offer');
  }
  if (who.switches.promos && !who.hasFreeTokens) kinds.push('free_tokens');
  if (who.isWheelOpen) kinds.push('wheel');
  return kinds;
}

/** Ignores case and surrounding space. */
export const normalizeCode = (code: string): string => code.trim().toUpperCase();

export interface PromoCode {
  readonly code: string;
  readonly tokens: number;
  readonly startsAt: Date;
  readonly endsAt: Date | null;
  /** Total redemptions allowed; null for unlimited. */
  readonly maxUses: number | null;
  readonly uses: number;
}

/** The default code, until the operator replaces or stops it. */
export const freeTokensCode = (now: Date): Omit<PromoCode, 'uses'> => ({
  code: FREE_TOKENS_CODE,
  tokens: FREE_TOKENS,
  startsAt: now,
  endsAt: null,
  maxUses: null,
});

/** Whether somebody who has not used a code can redeem it. */
export const isRedeemable = (code: PromoCode, now: Date): boolean =>
  now >= code.startsAt && (code.endsAt === null || now < code.endsAt)
  && (code.maxUses === null || code.uses < code.maxUses);

/** Prizes of the promo wheel, in tokens, and the number of faces of each. */
export const WHEEL: readonly { readonly tokens: number; readonly faces: number }[] = [
  { tokens: 2, faces: 50 },
  { tokens: 5, faces: 30 },
  { tokens: 10, faces: 14 },
  { tokens: 25, faces: 5 },
  { tokens: 100, faces: 1 },
];
export const WHEEL_FACES = WHEEL.reduce((sum, { faces }) => sum + faces, 0);
/** The largest prize. The wheel is closed while the budget does not cover it: its odds would be false. */
export const MAX_PRIZE = Math.max(...WHEEL.map(({ tokens }) => tokens));

/** The odds of each prize, as fractions of 1. */
export const wheelOdds = (): { tokens: number; odds: number }[] =>
  WHEEL.map(({ tokens, faces }) => ({ tokens, odds: faces / WHEEL_FACES }));

/** The prize of a face, 0 to {@link WHEEL_FACES} − 1. */
export function prizeOf(face: number): number {
  if (!Number.isInteger(face) || face < 0 || face >= WHEEL_FACES) throw new RangeError(`no face ${face}`);
  let left = face;
  for (const { tokens, faces } of WHEEL) {
    if (left < faces) return tokens;
    left -= faces;
  }
  throw new RangeError(`no face ${face}`);
}

/** Whether the wheel is open: switched on, and allowed in the person's country. */
export const isWheelOpen = (settings: BillingSettings, country: string | null): boolean =>
  settings.switches.wheel && (country === null || !settings.wheelBlockedCountries.includes(country));

/** Vault spins per purchase, and the most the vault holds. */
export const SPINS_PER_PURCHASE = 1;
export const MAX_VAULT_SPINS = 20;
/** One free spin per UTC day. */
export const freeSpins = (
  lastFreeDay: string | null,
  now: Date,
): number => (lastFreeDay === dayOf(now) ? 0 : 1);

/** How long after its end a membership is offered at a lower price. */
const WINBACK_MS = 90 * DAY_MS;
export const mayWinBack = (endedAt: Date | null, now: Date): boolean =>
  endedAt !== null && endedAt <= now && now.getTime() - endedAt.getTime() <= WINBACK_MS;
