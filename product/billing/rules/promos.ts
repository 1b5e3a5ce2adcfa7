import { DAY_MS } from '../../../platform/time/units.ts';
import { dayOf } from '../../../platform/time/days.ts';
import type { BillingSettings } from '../rules.ts';

/** Which of the four variants the join offer has (spec 2): it follows from the answer. */
export type JoinVariant = 'form_4' | 'existing' | 'promo' | 'default';

/** The join form that asks for an account first. */
export const JOIN_FORM = '4';

/**
 * The variant of the join offer: members see what they can buy; a form asked for by address is shown; a promo
 * needs the operator's switch; everybody else gets the default.
 */
export function joinVariant(asked: {
  readonly isMember: boolean; readonly joinForm: string | undefined; readonly promo: string | undefined;
  readonly hasPromos: boolean;
}): JoinVariant {
  if (asked.isMember) return 'existing';
  if (asked.joinForm === JOIN_FORM) return 'form_4';
  return asked.promo !== undefined && asked.promo !== '' && asked.hasPromos ? 'promo' : 'default';
}

/** Advert ids and promo values that together bring the special offer (spec 1 §9). */
export const SPECIAL_ADVERTS: readonly string[] = ['xv300wo', 'xv300fco'];
const SPECIAL_PROMOS = ['nwh', 'dgs', 'spl'];
export const isSpecialOffer = (advertId: string | undefined, promo: string | undefined): boolean =>
  SPECIAL_ADVERTS.includes(advertId ?? '') && SPECIAL_PROMOS.includes(promo ?? '');

/**
 * The code of this name gives so many free tokens, and the congratulation speaks of them (spec 1 §8), unless
 * the operator makes a code of that name that gives others (readings.md, Rates and promos).
 */
export const FREE_TOKENS_CODE = 'FREE_TOKENS';
const FREE_TOKENS = 100;

export type PromoKind = 'special' | 'offer' | 'free_tokens' | 'wheel';

/** Running promotions for somebody: none where the operator runs none; offers are for a first purchase. */
export function promosFor(who: {
  readonly switches: BillingSettings['switches']; readonly hasPurchase: boolean;
  /** They had them, or there are none any more. */
  readonly hasFreeTokens: boolean; readonly isWheelOpen: boolean;
  readonly advertId: string | undefined; readonly promo: string | undefined;
}): PromoKind[] {
  const kinds: PromoKind[] = [];
  if (who.switches.promos && !who.hasPurchase) {
    kinds.push(isSpecialOffer(who.advertId, who.promo) ? 'special' : 'offer');
  }
  if (who.switches.promos && !who.hasFreeTokens) kinds.push('free_tokens');
  if (who.isWheelOpen) kinds.push('wheel');
  return kinds;
}

/** Codes are the same in any case, and without what copying adds. */
export const normalizeCode = (code: string): string => code.trim().toUpperCase();

export interface PromoCode {
  readonly code: string;
  readonly tokens: number;
  readonly startsAt: Date;
  readonly endsAt: Date | null;
  /** Redemptions in all; null for no end. */
  readonly maxUses: number | null;
  readonly uses: number;
}

/** The code of free tokens until the operator makes its own of that name, or stops it. */
export const freeTokensCode = (now: Date): Omit<PromoCode, 'uses'> =>
  ({ code: FREE_TOKENS_CODE, tokens: FREE_TOKENS, startsAt: now, endsAt: null, maxUses: null });

/** Whether a code can be redeemed at an instant by somebody who has not done so. */
export const isRedeemable = (code: PromoCode, now: Date): boolean =>
  now >= code.startsAt && (code.endsAt === null || now < code.endsAt)
  && (code.maxUses === null || code.uses < code.maxUses);

/** Prizes of the promo wheel, in tokens, and how many of the faces show each. All of them are given. */
export const WHEEL: readonly { readonly tokens: number; readonly faces: number }[] = [
  { tokens: 2, faces: 50 }, { tokens: 5, faces: 30 }, { tokens: 10, faces: 14 }, { tokens: 25, faces: 5 },
  { tokens: 100, faces: 1 },
];
export const WHEEL_FACES = WHEEL.reduce((sum, { faces }) => sum + faces, 0);
/** The largest of them. While it could not be given, the wheel stands still: its odds would not be true. */
export const MAX_PRIZE = Math.max(...WHEEL.map(({ tokens }) => tokens));

/** The odds as they are shown: of 1, for each prize. */
export const wheelOdds = (): { tokens: number; odds: number }[] =>
  WHEEL.map(({ tokens, faces }) => ({ tokens, odds: faces / WHEEL_FACES }));

/** The prize of a face, 0 to {@link WHEEL_FACES} − 1, drawn by chance. */
export function prizeOf(face: number): number {
  if (!Number.isInteger(face) || face < 0 || face >= WHEEL_FACES) throw new RangeError(`no face ${face}`);
  let left = face;
  for (const { tokens, faces } of WHEEL) {
    if (left < faces) return tokens;
    left -= faces;
  }
  throw new RangeError(`no face ${face}`);
}

/** Whether the wheel turns for somebody: the operator's switch, and their country does not forbid it. */
export const isWheelOpen = (settings: BillingSettings, country: string | null): boolean =>
  settings.switches.wheel && (country === null || !settings.wheelBlockedCountries.includes(country));

/** Spins a purchase puts into the vault, and the most that wait there. */
export const SPINS_PER_PURCHASE = 1;
export const MAX_VAULT_SPINS = 20;
/** One spin a day (UTC) is free. */
export const freeSpins =
  (lastFreeDay: string | null, now: Date): number => (lastFreeDay === dayOf(now) ? 0 : 1);

/** How long after its end a membership can be won back at the lower price. */
const WINBACK_MS = 90 * DAY_MS;
export const mayWinBack = (endedAt: Date | null, now: Date): boolean =>
  endedAt !== null && endedAt <= now && now.getTime() - endedAt.getTime() <= WINBACK_MS;
