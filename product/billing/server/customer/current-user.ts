import type { Purchases } from '../../../accounts/extension-points.ts';
import { winbackOf, offerOf } from '../catalogue/catalogue.ts';
import type { OrderObserver } from '../callbacks/order-processor.ts';
import { highest } from '../catalogue/memberships.ts';
import type { BillingDependencies } from '../dependencies.ts';
import { isPurchaseBlocked } from './eligibility.ts';
import { changeBuyer, lockBuyer, postpayOf } from '../../store/people.ts';

/** The fields of GET /user/current about purchases. */
export const purchasesWith = (
  { accounts, ledger, site }: BillingDependencies,
): Purchases => async (tx, personId) => {
  const lastLoginCountry = (await accounts.findById(tx, personId))?.lastLoginCountry ?? null;
  const offer = await offerOf(tx, ledger, personId, lastLoginCountry);
  const membership = highest(offer.running);
  const winback = winbackOf(offer);
  const today = offer.products.find(({ internalId }) =>
    internalId === `membership_${membership?.membership}`);
  const isCheaper = membership?.renews === true && today !== undefined
    && today.currency === membership.currency && membership.priceMinor < today.priceMinor;
  return {
    user: {
      membership: membership?.membership ?? null,
      vault_wheel: { spins: offer.vaultSpins },
      lastLoginCountryPurchaseBlocked: isPurchaseBlocked(
        offer.settings, await site.settingsIn(tx), { lastLoginCountry },
      ),
    },
    purchases: {
      has_cc: offer.cards.length > 0, has_purchase: offer.hasPurchase,
      premium_winback_offer: winback && {
        internal_id: winback.internalId, membership: winback.membership ?? '',
        price: { minor: winback.priceMinor, currency: winback.currency },
      },
      // Members keep the price they joined at.
      premium_grandfathered_offer: isCheaper ? {
        internal_id: today.internalId, membership: membership.membership,
        price: { minor: membership.priceMinor, currency: membership.currency },
      } : null,
      postpay: (await postpayOf(tx, personId))?.enabled ?? false,
    },
  };
};

/** Records the first purchase, which ends offers for first purchases. */
export const firstPurchase: OrderObserver = {
  changed: async (tx, { order, isNewlyPaid }) => {
    if (!isNewlyPaid || order.amountMinor === 0) return;
    const buyer = await lockBuyer(tx, order.personId);
    if (buyer.firstPaidAt === null) await changeBuyer(tx, order.personId, { firstPaidAt: tx.now });
  },
};
