import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Tx } from '#platform/data/data.ts';
import { pageOf } from '#platform/data/paging.ts';
import { changeMoneyRules } from '#product/ledger/contract.ts';
import { changeSeller } from '#product/site/contract/seller.ts';
import {
  changeBillingRules,
  changeProduct,
  changePromoCode,
  createProduct,
  createPromoCode,
  listBillingChanges,
  orderProducts,
  retireProduct,
  stopPromoCode,
} from '../../contract/operator.ts';
import { ADMIN_PAGE } from '../../rules.ts';
import { differencesOf, type ChangedField } from '../../rules/product-cost.ts';
import { findChanges } from '../../store.ts';
import type { BillingDependencies } from '../dependencies.ts';

/** A change an operator made, with the values before and after it. */
export interface Change {
  /** Name of the call, or one of the actions below for programs. */
  readonly action: string;
  readonly actorId: number | null;
  readonly reason?: string;
  /** Id of a product or a code; null for settings. */
  readonly what: string | null;
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}

const ACTIONS: readonly string[] = [
  changeBillingRules,
  changeProduct,
  changePromoCode,
  createProduct,
  createPromoCode,
  orderProducts,
  retireProduct,
  stopPromoCode,
  // Calls of `ledger` and `site` that the same admin page makes.
  changeMoneyRules,
  changeSeller,
].map(({ name }) => name);
/** Actions of programs, through the service. */
export const CONFIGURE = 'billing.configure';
export const SELL = 'billing.sell';
export const ADD_CODE = 'billing.addCode';

const subjectOf = ({ operatorId }: Tx): string => `operator:${operatorId}`;

/** Writes a change to the audit log, in its own unit of work. */
export async function noteChange(
  tx: Tx,
  { action, actorId, reason, what, before, after }: Change,
): Promise<void> {
  await tx.audit({
    action,
    actorId,
    subject: subjectOf(tx),
    ...(reason === undefined ? {} : { reason }),
    detail: { what, fields: differencesOf(before, after) },
  });
}

interface Detail {
  readonly what?: string | null;
  readonly fields?: readonly ChangedField[];
}

/** The audit log of billing, for the admin page of products and offers. */
export const changesHandler = ({ data, accounts }: BillingDependencies): CallHandler =>
  handleCall(listBillingChanges)(({ before = Number.MAX_SAFE_INTEGER }, { scope }) =>
    data.tx(scope, async (tx) => {
      const actions = [...ACTIONS, CONFIGURE, SELL, ADD_CODE];
      const found = await findChanges(tx, subjectOf(tx), actions, before, ADMIN_PAGE + 1);
      const { page, next } = pageOf(found, ADMIN_PAGE);
      const people = await accounts.findMany(tx, [...new Set(page.flatMap(({ actorId }) => actorId ?? []))]);
      return {
        changes: page.map(({ id, at, action, actorId, reason, detail }) => {
          const { what = null, fields = [] } = detail as Detail;
          return {
            id,
            at: at.toISOString(),
            action: action.split('.').at(-1) ?? action,
            reason,
            subject: what,
            username: actorId === null ? null : (people.get(actorId)?.username ?? null),
            fields: [...fields],
          };
        }),
        next,
      };
    })
  );
