import type { Tx } from '#platform/data/data.ts';
import type { Purchases, SettingsPart } from '#product/accounts/extension-points.ts';
import { lastPaymentOf } from '../../store/orders.ts';
import { changeBuyer, disableReUp, lockBuyer, postpayOf, reUpOf } from '../../store/people.ts';
import type { OrderObserver } from '../callbacks/order-processor.ts';
import { offerOf, winbackOf } from '../catalogue/catalogue.ts';
import { highest } from '../catalogue/memberships.ts';
import type { BillingDependencies } from '../dependencies.ts';
import { isPurchaseBlocked } from './eligibility.ts';

/** The fields of GET /user/current about purchases. */
export const purchasesWith = (
  { accounts, ledger, site }: BillingDependencies,
): Purchases =>
async (tx, personId) => {
  const lastLoginCountry = (await accounts.findById(tx, personId))?.lastLoginCountry ?? null;
  const offer = await offerOf(tx, ledger, personId, lastLoginCountry);
  const membership = highest(offer.running);
  const winback = winbackOf(offer);
  const today = offer.products.find(({ internalId }) =>
    internalId === `membership_${membership?.membership}`
  );
  const isCheaper = membership?.renews === true && today !== undefined
    && today.currency === membership.currency && membership.priceMinor < today.priceMinor;
  return {
    user: {
      membership: membership?.membership ?? null,
      vault_wheel: { spins: offer.vaultSpins },
      lastLoginCountryPurchaseBlocked: isPurchaseBlocked(
        offer.settings,
        await site.settingsIn(tx),
        { lastLoginCountry },
      ),
    },
    purchases: {
      has_cc: offer.cards.length > 0,
      has_purchase: offer.hasPurchase,
      premium_winback_offer: winback && {
        internal_id: winback.internalId,
        membership: winback.membership ?? '',
        price: { minor: winback.priceMinor, currency: winback.currency },
      },
      // Members keep the price at which they joined, while it is lower than the current one.
      premium_grandfathered_offer: isCheaper
        ? {
          internal_id: today.internalId,
          membership: membership.membership,
          price: { minor: membership.priceMinor, currency: membership.currency },
        }
        : null,
      lastPayment: offer.hasPurchase ? await lastPayment(tx, personId) : null,
    },
  };
};

async function lastPayment(tx: Tx, personId: number) {
  const last = await lastPaymentOf(tx, personId);
  return last && {
    at: last.at.toISOString(),
    amount: { minor: last.amountMinor, currency: last.currency },
  };
}

/** Post-pay and re-ups as settings. They are turned on elsewhere, where a card and a price are confirmed. */
export const paymentSettings: SettingsPart = {
  keys: ['postpay', 'auto_re_ups'],
  read: async (tx, { id }) => {
    const reUp = await reUpOf(tx, id);
    return {
      postpay: (await postpayOf(tx, id))?.enabled ?? false,
      ...(reUp === null ? {} : {
        auto_re_ups: {
          enabled: reUp.enabled,
          disabled_by_user: reUp.disabledByUser,
          threshold: reUp.threshold,
          internal_id: reUp.internalId,
        },
      }),
    };
  },
  // Nothing to turn off if they were never turned on.
  check: async (tx, { id }) => ((await reUpOf(tx, id)) === null ? 'setting_refused' : null),
  write: (tx, { id }) => disableReUp(tx, id),
};

/** Records the first purchase, which ends offers for first purchases. */
export const firstPurchase: OrderObserver = {
  changed: async (tx, { order, isNewlyPaid }) => {
    if (!isNewlyPaid || order.amountMinor === 0) return;
    const buyer = await lockBuyer(tx, order.personId);
    if (buyer.firstPaidAt === null) await changeBuyer(tx, order.personId, { firstPaidAt: tx.now });
  },
};
