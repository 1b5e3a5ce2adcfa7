import { FANCLUB_LEVELS, type FanclubLevel } from '#product/accounts/rules/current-user.ts';

/** A person's level in a club; null for people in none. */
export type LevelOrNone = FanclubLevel | null;

/** Whether a level includes another one: legend ⊇ insider ⊇ supporter (spec 1 §5). */
export const hasLevel = (own: LevelOrNone, wanted: FanclubLevel): boolean =>
  own !== null && FANCLUB_LEVELS.indexOf(own) >= FANCLUB_LEVELS.indexOf(wanted);

/** From this level on, spying on a private show is free (spec 3 §9). */
const FREE_SPY_FROM: FanclubLevel = 'insider';
export const spiesFree = (own: LevelOrNone): boolean => hasLevel(own, FREE_SPY_FROM);

/** Discount on media and shows, in whole percent (spec 1 §9). */
export const DISCOUNT_PERCENT = { supporter: 0, insider: 10, legend: 25 } as const satisfies Record<
  FanclubLevel,
  number
>;

/** A price for somebody of this level, rounded down. */
export function discounted(tokens: number, own: LevelOrNone): number {
  const percent = own === null ? 0 : DISCOUNT_PERCENT[own];
  return Math.floor((tokens * (100 - percent)) / 100);
}
