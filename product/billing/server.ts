import { subscribe, type Slice } from '#platform/contract/bind.ts';
import { implement, type Extensions } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import type { Biller, CallbackReading, RawCallback } from '#platform/payments/biller.ts';
import { becamePerformer } from '#product/accounts/contract/performing.ts';
import {
  closingPart,
  personalData,
  purchases,
  settingsPart,
  userPart,
} from '#product/accounts/extension-points.ts';
import type { Membership } from '#product/accounts/rules/current-user.ts';
import { memberships as membershipNames } from '#product/ledger/extension-points.ts';
import { promotions } from '#product/site/extension-points.ts';
import * as extensionPoints from './extension-points.ts';
import { RECENT_PURCHASES_MS } from './rules.ts';
import { errorOfProducts, type CatalogueItem } from './rules/products.ts';
import { normalizeCode, type PromoCode } from './rules/promos.ts';
import { ADD_CODE, changesHandler, noteChange, SELL } from './server/admin/changes.ts';
import { AdminPayments } from './server/admin/payments.ts';
import { configure, settingsHandlers, type SettingsChange } from './server/admin/settings.ts';
import { Inbox } from './server/callbacks/callbacks.ts';
import { OrderProcessor } from './server/callbacks/order-processor.ts';
import { Catalogue } from './server/catalogue/catalogue.ts';
import { codeHandlers } from './server/catalogue/codes.ts';
import { ManagedProducts } from './server/catalogue/managed-products.ts';
import { Memberships, membershipsOf } from './server/catalogue/memberships.ts';
import { Promos } from './server/catalogue/promos.ts';
import { heldPart, SignUpGifts } from './server/catalogue/sign-up-gifts.ts';
import { BillerClient } from './server/checkout/biller-client.ts';
import { buyingHandlers } from './server/checkout/buying.ts';
import { cardChecksWith, type CardChecks } from './server/checkout/card-checks.ts';
import { cardHandlers, cardSaver } from './server/checkout/cards.ts';
import { firstPurchase, paymentSettings, purchasesWith } from './server/customer/current-user.ts';
import { Eligibility } from './server/customer/eligibility.ts';
import { Emails } from './server/customer/emails.ts';
import { pendingHandler } from './server/customer/pending.ts';
import type { BillingDependencies } from './server/dependencies.ts';
import { Jobs } from './server/jobs.ts';
import { Postpay } from './server/postpay.ts';
import { ReUps } from './server/re-ups.ts';
import { saveProducts } from './store.ts';
import { ownRows } from './store/own-rows.ts';
import { buyingSince, postpayOf, turnReUpOff, type Buying } from './store/people.ts';
import { insertCode } from './store/promos.ts';

export interface BillingService {
  /** Changes the given settings, switches one by one, and writes to the audit log. */
  readonly configure: (
    tx: Tx,
    settings: SettingsChange,
    actorId: number | null,
  ) => Promise<void>;
  /** Replaces the operator's products, in this order; throws for an invalid one. */
  readonly sell: (tx: Tx, products: readonly CatalogueItem[], actorId: number | null) => Promise<void>;
  /** Stores a biller's callback, authenticates it and applies it once; also for callers other than HTTP. */
  readonly receiveCallback: (
    scope: { readonly operatorId: number },
    biller: Biller,
    raw: RawCallback,
  ) => Promise<CallbackReading>;
  /** Adds a promo code; an existing code of the same name is not changed. */
  readonly addCode: (tx: Tx, code: Omit<PromoCode, 'uses'>, actorId: number | null) => Promise<void>;
  /** Whether somebody uses post-pay, and whether their card failed: then they have to settle first. */
  readonly postpayOf: (tx: Tx, personId: number) => Promise<{
    readonly enabled: boolean;
    readonly cardFailed: boolean;
  }>;
  /** The current membership of each of these people; people without one are left out. */
  readonly membershipsOf: (
    tx: Tx,
    personIds: readonly number[],
  ) => Promise<ReadonlyMap<number, Membership>>;
  /** A person's own billing state for rooms. */
  readonly buyingOf: (tx: Tx, personIds: readonly number[]) => Promise<ReadonlyMap<number, Buying>>;
  /** Cards at the operator's processor, for slices that check one. */
  readonly cardChecks: CardChecks;
  /** Resolves when no job is running. For tests and shutdown. */
  readonly settled: () => Promise<void>;
}

export type { CardPurchase } from './server/checkout/card-checks.ts';
export { draftOf } from './server/checkout/buying.ts';

export type BillingSlice = Slice<BillingService>;

async function sell(...[tx, products, actorId]: Parameters<BillingService['sell']>): Promise<void> {
  const error = errorOfProducts(products);
  if (error !== null) throw new Error(`these products are wrong: ${error}`);
  await saveProducts(tx, products);
  await noteChange(tx, { action: SELL, actorId, what: null, before: {}, after: {} });
}

async function addCode(...[tx, code, actorId]: Parameters<BillingService['addCode']>): Promise<void> {
  const name = normalizeCode(code.code);
  const { tokens, startsAt, endsAt, maxUses } = code;
  if (!(await insertCode(tx, { ...code, code: name }))) return;
  await noteChange(tx, {
    action: ADD_CODE,
    actorId,
    what: name,
    before: {},
    after: { tokens, startsAt, endsAt, maxUses },
  });
}

/** Buying: products, orders, billers and their callbacks, cards, and the effects of purchases. */
export function billingSlice(
  deps: BillingDependencies & { readonly extensions: Extensions },
): BillingSlice {
  const processor = new OrderProcessor(deps);
  const client = new BillerClient(deps, processor);
  const eligibility = new Eligibility(deps);
  const emails = new Emails(deps);
  const jobs = new Jobs(deps.onError);
  const base = { ...deps, processor, client, eligibility, emails, jobs };
  const catalogue = new Catalogue(base);
  const parts = { ...base, catalogue };
  const inbox = new Inbox(parts);
  const memberships = new Memberships(parts);
  const reUps = new ReUps(parts);
  const postpay = new Postpay(parts);
  const promos = new Promos(parts);
  const signUpGifts = new SignUpGifts(parts);
  for (const observer of [
    cardSaver(client),
    firstPurchase,
    memberships.observer,
    reUps.observer,
    postpay.observer,
    promos.observer,
    emails.observer,
  ]) processor.observe(observer);
  return {
    name: 'billing',
    extensionPoints,
    service: {
      configure: (tx, settings, actorId) => configure(tx, settings, { actorId }),
      sell,
      addCode,
      membershipsOf,
      cardChecks: cardChecksWith(parts),
      settled: () => jobs.settled(),
      receiveCallback: (scope, biller, raw) => inbox.receive(scope, biller, raw),
      buyingOf: (tx, personIds) =>
        buyingSince(tx, personIds, new Date(tx.now.getTime() - RECENT_PURCHASES_MS)),
      postpayOf: async (tx, personId) => {
        const row = await postpayOf(tx, personId);
        return { enabled: row?.enabled ?? false, cardFailed: row?.cardFailed ?? false };
      },
    },
    extensions: [
      implement(personalData, ownRows),
      implement(purchases, purchasesWith(parts)),
      implement(membershipNames, membershipsOf),
      implement(promotions, promos.shown),
      implement(settingsPart, paymentSettings),
      implement(userPart, heldPart),
      implement(closingPart, memberships.closing),
    ],
    callHandlers: [
      ...catalogue.callHandlers,
      ...buyingHandlers(parts),
      ...cardHandlers(parts),
      ...inbox.callHandlers,
      ...memberships.callHandlers,
      ...reUps.callHandlers,
      ...postpay.callHandlers,
      ...promos.callHandlers,
      ...new AdminPayments(parts).callHandlers,
      ...new ManagedProducts(deps).callHandlers,
      ...settingsHandlers(deps),
      ...codeHandlers(deps),
      changesHandler(deps),
      pendingHandler(deps),
    ],
    subscriptions: [
      reUps.subscription,
      ...signUpGifts.subscriptions,
      // Performers cannot buy, so nothing may charge them any more.
      subscribe(becamePerformer, 'billing.becamePerformer')(({ operatorId, payload: { personId } }) =>
        deps.data.tx({ operatorId }, async (tx) => {
          await memberships.endRenewals(tx, personId);
          await turnReUpOff(tx, personId);
          await postpay.turnOff(tx, personId);
        })
      ),
    ],
    deadlineHandlers: [processor, inbox, memberships, postpay, signUpGifts]
      .flatMap((part) => part.deadlineHandlers),
    start: () => inbox.recover(),
    stop: () => jobs.settled(),
  };
}
