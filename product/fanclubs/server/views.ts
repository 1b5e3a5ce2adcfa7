import { personChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { FANCLUB_LEVELS } from '#product/accounts/rules/current-user.ts';
import { membershipChanged, type ClubView, type MembershipView, type TierView } from '../contract.ts';
import { DISCOUNT_PERCENT, spiesFree } from '../rules/benefits.ts';
import { GRACE_MS, levelAt, offerOf, stateOf } from '../rules/membership.ts';
import type { StoredMembership } from '../store.ts';

export function membershipView(membership: StoredMembership, now: Date): MembershipView {
  const { id, level, price, since, paidUntil, renews, nextLevel, nextPrice } = membership;
  const state = stateOf(membership, now.getTime());
  return {
    id,
    level,
    state,
    price,
    since: since.toISOString(),
    paid_until: new Date(paidUntil).toISOString(),
    renews: renews && state !== 'ended',
    next_level: nextLevel,
    next_price: nextPrice,
    grace_until: state === 'grace' ? new Date(paidUntil + GRACE_MS).toISOString() : null,
  };
}

/** The levels of an open club for one viewer, lowest first. @param isOwner nobody joins their own club */
export const tiersOf = (
  { enabled, prices, perks }: ClubView,
  membership: StoredMembership | null,
  now: number,
  isOwner: boolean,
): TierView[] => (enabled
  ? FANCLUB_LEVELS.map((level) => {
    const offer = offerOf(membership, level, prices, now);
    return {
      level,
      price: prices[level],
      perks: [...perks[level]],
      discount_percent: DISCOUNT_PERCENT[level],
      free_spy: spiesFree(level),
      charge: 'tokens' in offer && !isOwner ? offer.tokens : null,
    };
  })
  : []);

/** Sends the member's tabs their current membership of the club. */
export const sendMembership = (tx: Tx, username: string, membership: StoredMembership): Promise<void> =>
  tx.send(personChannel(membership.memberId), membershipChanged, {
    username,
    level: levelAt(membership, tx.now.getTime()),
  });
