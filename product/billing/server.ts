import type { Slice } from '../../platform/contract/bind.ts';
import { implement } from '../../platform/contract/extension-point.ts';
import type { Tx } from '../../platform/data/data.ts';
import type { Biller, CallbackReading, RawCallback } from '../../platform/payments/biller.ts';
import { purchases } from '../accounts/extension-points.ts';
import { memberships as membershipNames } from '../ledger/extension-points.ts';
import { promotions } from '../site/extension-points.ts';
import type { Membership } from './rules.ts';
import { faultOfProducts, type CatalogueItem } from './rules/products.ts';
import { Assortment } from './server/catalogue/assortment.ts';
import { buyingHandlers } from './server/checkout/buying.ts';
import { Inbox } from './server/callbacks/callbacks.ts';
import { cardHandlers, cardKeeper } from './server/checkout/cards.ts';
import { Cashier } from './server/checkout/cashier.ts';
import { Catalogue } from './server/catalogue/catalogue.ts';
import { ADD_CODE, changesAnswer, noteChange, SELL } from './server/admin/changes.ts';
import { codeHandlers } from './server/catalogue/codes.ts';
import { firstPurchase, purchasesWith } from './server/customer/current-user.ts';
import { configure, decisionHandlers, type SettingsChange } from './server/callbacks/decisions.ts';
import { OrderDesk } from './server/admin/desk.ts';
import { Errands } from './server/errands.ts';
import { Letters } from './server/customer/letters.ts';
import { Memberships, membershipsOf } from './server/catalogue/memberships.ts';
import type { BillingDependencies } from './server/dependencies.ts';
import { Postpay } from './server/credit/postpay.ts';
import { Promos } from './server/catalogue/promos.ts';
import { ReUps } from './server/credit/re-ups.ts';
import { StaffDesk } from './server/admin/staff.ts';
import { Eligibility } from './server/customer/eligibility.ts';
import { normalizeCode, type PromoCode } from './rules/promos.ts';
import { saveProducts } from './store.ts';
import { postpayOf } from './store/people.ts';
import { insertCode } from './store/promos.ts';

export interface BillingService {
  /** Changes the settings that are named, switches one by one, with a line in the audit log. */
  readonly configure: (
    tx: Tx, settings: SettingsChange, actorId: number | null,
  ) => Promise<void>;
  /** What the operator sells from now on, in this order; throws for what cannot be sold. */
  readonly sell: (tx: Tx, products: readonly CatalogueItem[], actorId: number | null) => Promise<void>;
  /** A callback as a biller sent it: stored, authenticated, applied once. For other ways than HTTP, too. */
  readonly take: (
    scope: { readonly operatorId: number }, biller: Biller, raw: RawCallback,
  ) => Promise<CallbackReading>;
  /** Offers a promo code; a code of the same name stays as it is. */
  readonly addCode: (tx: Tx, code: Omit<PromoCode, 'uses'>, actorId: number | null) => Promise<void>;
  /** Whether somebody spends on account, and whether their card failed: then they settle first. */
  readonly postpayOf: (tx: Tx, personId: number) => Promise<{
    readonly enabled: boolean; readonly cardFailed: boolean;
  }>;
  /** The membership each of these people has now; who has none is left out. */
  readonly membershipsOf: (
    tx: Tx, personIds: readonly number[],
  ) => Promise<ReadonlyMap<number, Membership>>;
  /** Resolves when nothing waits for billers. For tests and shutdown. */
  readonly settled: () => Promise<void>;
}

export { draftOf } from './server/checkout/buying.ts';

export type BillingSlice = Slice<BillingService>;

async function sell(...[tx, products, actorId]: Parameters<BillingService['sell']>): Promise<void> {
  const fault = faultOfProducts(products);
  if (fault !== null) throw new Error(`these products cannot be sold: ${fault}`);
  await saveProducts(tx, products);
  await noteChange(tx, { action: SELL, actorId, what: null, before: {}, after: {} });
}

async function addCode(...[tx, code, actorId]: Parameters<BillingService['addCode']>): Promise<void> {
  const name = normalizeCode(code.code);
  const { tokens, startsAt, endsAt, maxUses } = code;
  if (!(await insertCode(tx, { ...code, code: name }))) return;
  await noteChange(tx, {
    action: ADD_CODE, actorId, what: name, before: {}, after: { tokens, startsAt, endsAt, maxUses },
  });
}

/** Buying: what is sold, orders, billers and their callbacks, cards, and what follows from purchases. */
export function billingSlice(deps: BillingDependencies): BillingSlice {
  const desk = new OrderDesk(deps);
  const cashier = new Cashier(deps, desk);
  const eligibility = new Eligibility(deps);
  const letters = new Letters(deps);
  const errands = new Errands(deps.onFault);
  const base = { ...deps, desk, cashier, eligibility, letters, errands };
  const catalogue = new Catalogue(base);
  const parts = { ...base, catalogue };
  const inbox = new Inbox(parts);
  const memberships = new Memberships(parts);
  const reUps = new ReUps(parts);
  const postpay = new Postpay(parts);
  const promos = new Promos(parts);
  for (const follower of [
    cardKeeper(cashier), firstPurchase, memberships.follower, reUps.follower, postpay.follower,
      promos.follower,
    letters.follower,
  ]) desk.follow(follower);
  return {
    name: 'billing',
    service: {
      configure: (tx, settings, actorId) => configure(tx, settings, { actorId }),
      sell, addCode, membershipsOf, settled: () => errands.settled(),
      take: (scope, biller, raw) => inbox.take(scope, biller, raw),
      postpayOf: async (tx, personId) => {
        const row = await postpayOf(tx, personId);
        return { enabled: row?.enabled ?? false, cardFailed: row?.cardFailed ?? false };
      },
    },
    extensions: [
      implement(purchases, purchasesWith(parts)), implement(membershipNames, membershipsOf),
      implement(promotions, promos.shown),
    ],
    callHandlers: [
      ...catalogue.answers, ...buyingHandlers(parts), ...cardHandlers(parts), ...inbox.answers,
      ...memberships.answers, ...reUps.answers, ...postpay.answers, ...promos.answers,
      ...new StaffDesk(parts).answers, ...new Assortment(deps).answers, ...decisionHandlers(deps),
      ...codeHandlers(deps), changesAnswer(deps),
    ],
    subscriptions: [reUps.hearing],
    deadlineHandlers: [...desk.due, ...inbox.due, ...memberships.due, ...postpay.due],
    stop: () => errands.settled(),
  };
}
