import type { Tx } from '#platform/data/data.ts';
import { uuidV5 } from '#platform/data/ids.ts';
import { PURCHASE } from '#product/ledger/rules/kinds.ts';
import type { LedgerService, Operation } from '#product/ledger/server.ts';
import { tokensBack } from '../../rules/payments/refunds.ts';
import type { Payment } from '../../rules/payments/verdict.ts';
import type { Order } from '../../store/orders.ts';

/** Namespace of operations' ids; changing it would post every old order again. */
const OPERATIONS = '3d1f7a52-6f0e-4c0b-9a62-5b3a1f6f9d10';

const operationOf = (what: string): string => uuidV5(OPERATIONS, what);
/** Id of the child order of a renewal, or of a voucher paid again. */
export const childOrderId = (orderId: string, key: string): string => operationOf(`${orderId} order ${key}`);

/** Id of the operation that posts an order's payment. */
export const purchaseId = (orderId: string): string => operationOf(`${orderId} bought`);

/**
 * The operations of a purchase: money from the biller, bought tokens with their backing, and free tokens as
 * promotional. A post-pay payment reduces the debt; the part above the current debt becomes tokens.
 */
export function purchaseOf(order: Order, reference: string, owedTokens: number): {
  /** Null for a purchase without price and tokens. */
  readonly bought: Operation | null;
  /** The free tokens; null for none. */
  readonly given: Operation | null;
} {
  const { id, personId, tokens, freeTokens, amountMinor, currency, usCents, biller, internalId } = order;
  const memo = { order: id, product: internalId, biller, reference };
  const parameterHash = [id, personId, tokens, freeTokens, amountMinor, currency].join(' ');
  const repaid = order.purpose === 'post_pay' ? Math.min(tokens, owedTokens) : 0;
  const bought: Operation = {
    id: purchaseId(id),
    kind: order.purpose === 'post_pay' ? 'post_pay' : PURCHASE,
    memo,
    parameterHash,
    facts: [],
    legs: tokens === 0 ? [] : [
      { account: { kind: 'operator', name: 'float' }, tokens: -tokens },
      ...creditOf(personId, 'debt', repaid, Math.floor((usCents * repaid) / tokens)),
      ...creditOf(personId, 'tokens', tokens - repaid, usCents - Math.floor((usCents * repaid) / tokens)),
    ],
    money: amountMinor === 0 ? [] : [
      { account: `biller:${biller}`, minor: amountMinor, currency },
      { account: 'sales', minor: -amountMinor, currency },
    ],
  };
  const given: Operation = {
    id: operationOf(`${id} given`),
    kind: PURCHASE,
    memo,
    parameterHash,
    facts: [],
    legs: [
      { account: { kind: 'operator', name: 'promo' }, tokens: -freeTokens },
      {
        account: { kind: 'person', personId, book: 'tokens' },
        tokens: freeTokens,
        lot: { promotional: true, backingCents: 0 },
      },
    ],
  };
  return { bought: tokens + amountMinor > 0 ? bought : null, given: freeTokens > 0 ? given : null };
}

const creditOf = (
  personId: number,
  book: 'tokens' | 'debt',
  tokens: number,
  backingCents: number,
): Operation['legs'] => (tokens === 0 ? [] : [{
  account: { kind: 'person', personId, book },
  tokens,
  lot: { promotional: false, backingCents },
}]);

/**
 * Money that arrived but cannot be posted as a sale: nobody ordered it, or its tokens cannot be posted yet.
 * @param isOver it leaves suspense: the biller reversed it, or it is now posted as a sale
 */
export function suspenseOf(
  order: Order,
  payment: Payment,
  isOver = payment.reversal !== null,
): Operation[] {
  const { minor, currency } = payment.amount;
  if (minor <= 0) return [];
  const account = `biller:${order.biller}` as const;
  const operation = (what: 'in' | 'out', sign: 1 | -1): Operation => ({
    id: operationOf(`${order.id} suspense ${payment.key} ${what}`),
    kind: 'suspense',
    legs: [],
    facts: [],
    memo: { order: order.id, biller: order.biller, reference: payment.reference },
    parameterHash: [order.id, payment.key, what, minor, currency].join(' '),
    money: [
      { account, minor: sign * minor, currency },
      { account: 'suspense', minor: -sign * minor, currency },
    ],
  });
  return [operation('in', 1), ...(isOver ? [operation('out', -1)] : [])];
}

/** Tokens given without money: codes, prizes. */
export function giftOf(id: string, personId: number, tokens: number, reason: string): Operation {
  return {
    id,
    kind: 'promo',
    memo: { reason },
    parameterHash: `${personId} ${tokens} ${reason}`,
    facts: [],
    legs: [
      { account: { kind: 'operator', name: 'promo' }, tokens: -tokens },
      {
        account: { kind: 'person', personId, book: 'tokens' },
        tokens,
        lot: { promotional: true, backingCents: 0 },
      },
    ],
  };
}

/** Id of the order that settles a debt at a deadline: the same however often the deadline is delivered. */
export const settlementOrderId = (personId: number, at: Date): string =>
  operationOf(`post-pay of person ${personId} at ${at.toISOString()}`);

/** Id of the operation of a person's redemption of a code. */
export const redemptionId = (code: string, personId: number): string =>
  operationOf(`code ${code} of person ${personId}`);

/** Id of the operation that gives a person their free sign-up tokens. */
export const signUpGiftId = (personId: number): string => operationOf(`sign-up of person ${personId}`);

/** Posts a gift; false when the marketing cap does not allow it. */
export async function give(tx: Tx, ledger: LedgerService, gift: Operation): Promise<boolean> {
  const [outcome] = await ledger.post(tx, [gift]);
  if (outcome?.status === 'marketing_cap') return false;
  if (outcome?.status === 'posted' || outcome?.status === 'duplicate') return true;
  throw new Error(`the ledger refused the gift ${gift.id}: ${outcome?.status}`);
}

/**
 * Posts operations, once each, and returns the ids of those that the marketing cap does not allow. Throws for
 * any other refusal: the unit of work rolls back, the callback stays unread, and is tried again.
 */
export async function postAll(
  tx: Tx,
  ledger: LedgerService,
  operations: readonly Operation[],
): Promise<ReadonlySet<string>> {
  const overCap = new Set<string>();
  if (operations.length === 0) return overCap;
  const outcomes = await ledger.post(tx, operations);
  for (const [at, { status }] of outcomes.entries()) {
    if (status === 'posted' || status === 'duplicate') continue;
    const operation = operations[at];
    if (!operation || status !== 'marketing_cap') {
      throw new Error(`the ledger refused ${operation?.kind} ${operation?.id}: ${status}`);
    }
    overCap.add(operation.id);
  }
  return overCap;
}

/** A reversal of an order's money: the reversed total before and now, in minor units. */
export interface Reversed {
  readonly beforeMinor: number;
  readonly nowMinor: number;
  readonly mode: 'refund' | 'chargeback';
}

/**
 * Reverses a purchase as far as its biller did, in whole or in part, and returns the tokens removed. Tokens
 * already spent are owed, for refunds and chargebacks alike: the money is gone either way. A chargeback
 * blocks spending even if the purchase had no tokens.
 */
export async function reversePurchase(
  tx: Tx,
  ledger: LedgerService,
  order: Order,
  { beforeMinor, nowMinor, mode }: Reversed,
): Promise<number> {
  const { id, operation, amountMinor, currency, biller, tokens, freeTokens, personId } = order;
  const reason = `${mode} by ${biller}`;
  const account = mode === 'refund' ? 'refunds' : 'chargebacks';
  const minor = nowMinor - beforeMinor;
  const money = minor === 0 ? [] : [
    { account: `biller:${biller}` as const, minor: -minor, currency },
    { account, minor, currency } as const,
  ];
  // A full reversal needs no number of tokens; a partial one, or the rest after partial ones, does.
  const isWhole = beforeMinor === 0 && nowMinor === amountMinor;
  const part = (of: number): number =>
    tokensBack(of, nowMinor, amountMinor) - tokensBack(of, beforeMinor, amountMinor);
  const name = isWhole ? '' : ` to ${nowMinor}`;
  const modes = mode === 'refund' ? (['refund', 'chargeback'] as const) : (['chargeback'] as const);
  const reverse = async (of: string, moved: typeof money, some: { tokens?: number }): Promise<void> => {
    for (const one of modes) {
      const outcome = await ledger.reverse(tx, {
        id: operationOf(`${id} back ${of} ${one}${name}`),
        operation: of,
        mode: one,
        reason,
        actorId: null,
        money: moved,
        ...some,
      });
      if (outcome.status === 'posted' || outcome.status === 'duplicate') return;
    }
    throw new Error(`the ledger did not reverse ${of}`);
  };
  const isPlain = isWhole && (tokens > 0 || mode === 'refund');
  if (operation !== null) await reverse(operation, money, isPlain ? {} : { tokens: part(tokens) });
  // A full chargeback needs money, which gifts lack, so their number of tokens is always passed.
  const given = part(freeTokens);
  if (given > 0) await reverse(operationOf(`${id} given`), [], { tokens: given });
  if (mode === 'chargeback' && part(tokens) + given === 0) await ledger.block(tx, personId, reason, null);
  return part(tokens) + given;
}
