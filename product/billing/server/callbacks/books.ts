import { uuidV5 } from '../../../../platform/data/ids.ts';
import type { Tx } from '../../../../platform/data/data.ts';
import { PURCHASE } from '../../../ledger/rules/kinds.ts';
import type { LedgerService, Operation } from '../../../ledger/server.ts';
import { tokensBack } from '../../rules/payments/refunds.ts';
import type { Payment } from '../../rules/payments/verdict.ts';
import type { Order } from '../../store/orders.ts';

/** Namespace of the operations that follow from orders; changing it would pay every old order again. */
const OPERATIONS = '3d1f7a52-6f0e-4c0b-9a62-5b3a1f6f9d10';

const operationOf = (what: string): string => uuidV5(OPERATIONS, what);
/** The order that a renewal, or a voucher that was paid again, is. */
export const childOrderId = (orderId: string, key: string): string => operationOf(`${orderId} order ${key}`);

/** The operation that an order's payment is in the books. */
export const purchaseId = (orderId: string): string => operationOf(`${orderId} bought`);

/**
 * What a purchase moves: money from the biller, bought tokens with their backing, given ones as such. What is
 * paid for post-pay goes to the debt, and what is more than the debt of now to the person.
 */
export function purchaseOf(order: Order, reference: string, owedTokens: number): {
  /** Null for what was for nothing, and gave nothing. */
  readonly bought: Operation | null;
  /** What was given on top; null for nothing. */
  readonly given: Operation | null;
} {
  const { id, personId, tokens, freeTokens, amountMinor, currency, usCents, biller, internalId } = order;
  const memo = { order: id, product: internalId, biller, reference };
  const parameterHash = [id, personId, tokens, freeTokens, amountMinor, currency].join(' ');
  const repaid = order.purpose === 'post_pay' ? Math.min(tokens, owedTokens) : 0;
  const bought: Operation = {
    id: purchaseId(id), kind: order.purpose === 'post_pay' ? 'post_pay' : PURCHASE, memo,
    parameterHash, facts: [],
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
    id: operationOf(`${id} given`), kind: PURCHASE, memo, parameterHash, facts: [],
    legs: [
      { account: { kind: 'operator', name: 'promo' }, tokens: -freeTokens },
      {
        account: { kind: 'person', personId, book: 'tokens' }, tokens: freeTokens,
        lot: { promotional: true, backingCents: 0 },
      },
    ],
  };
  return { bought: tokens + amountMinor > 0 ? bought : null, given: freeTokens > 0 ? given : null };
}

const creditOf = (
  personId: number, book: 'tokens' | 'debt', tokens: number, backingCents: number,
): Operation['legs'] => (tokens === 0 ? [] : [{
  account: { kind: 'person', personId, book }, tokens, lot: { promotional: false, backingCents },
}]);

/**
 * Money that came and cannot be for what it was paid for: nobody ordered it, or its tokens cannot be booked
 * now. It waits until somebody looks.
 * @param isOver it leaves again: the biller took it back, or it is booked as what it is
 */
export function suspenseOf(
  order: Order, payment: Payment, isOver = payment.reversal !== null,
): Operation[] {
  const { minor, currency } = payment.amount;
  if (minor <= 0) return [];
  const account = `biller:${order.biller}` as const;
  const operation = (what: 'in' | 'out', sign: 1 | -1): Operation => ({
    id: operationOf(`${order.id} suspense ${payment.key} ${what}`), kind: 'suspense', legs: [], facts: [],
    memo: { order: order.id, biller: order.biller, reference: payment.reference },
    parameterHash: [order.id, payment.key, what, minor, currency].join(' '),
    money: [
      { account, minor: sign * minor, currency }, { account: 'suspense', minor: -sign * minor, currency },
    ],
  });
  return [operation('in', 1), ...(isOver ? [operation('out', -1)] : [])];
}

/** Tokens given without money: codes, prizes. */
export function giftOf(id: string, personId: number, tokens: number, reason: string): Operation {
  return {
    id, kind: 'promo', memo: { reason }, parameterHash: `${personId} ${tokens} ${reason}`, facts: [],
    legs: [
      { account: { kind: 'operator', name: 'promo' }, tokens: -tokens },
      {
        account: { kind: 'person', personId, book: 'tokens' }, tokens,
        lot: { promotional: true, backingCents: 0 },
      },
    ],
  };
}

/** The order that pays what a person owes at a time: one, however often its deadline comes. */
export const settlementOrderId = (personId: number, at: Date): string =>
  operationOf(`post-pay of person ${personId} at ${at.toISOString()}`);

/** The operation of a person's redemption of a code. */
export const redemptionId = (code: string, personId: number): string =>
  operationOf(`code ${code} of person ${personId}`);

/** Gives tokens away; false when the operator's marketing has an end. */
export async function give(tx: Tx, ledger: LedgerService, gift: Operation): Promise<boolean> {
  const [outcome] = await ledger.post(tx, [gift]);
  if (outcome?.status === 'marketing_cap') return false;
  if (outcome?.status === 'posted' || outcome?.status === 'duplicate') return true;
  throw new Error(`the ledger refused the gift ${gift.id}: ${outcome?.status}`);
}

/**
 * Posts what orders owe, once; answers the ids of those that would cost more marketing than is left. Throws
 * when the ledger refuses for anything else: then nothing of the unit stands, the callback stays unread, and
 * it is tried again.
 */
export async function enter(
  tx: Tx, ledger: LedgerService, operations: readonly Operation[],
): Promise<ReadonlySet<string>> {
  const beyond = new Set<string>();
  if (operations.length === 0) return beyond;
  const outcomes = await ledger.post(tx, operations);
  for (const [at, { status }] of outcomes.entries()) {
    if (status === 'posted' || status === 'duplicate') continue;
    const operation = operations[at];
    if (!operation || status !== 'marketing_cap') {
      throw new Error(`the ledger refused ${operation?.kind} ${operation?.id}: ${status}`);
    }
    beyond.add(operation.id);
  }
  return beyond;
}

/** Money of an order that is back: from how much before to how much now, in minor units. */
export interface Returned {
  readonly beforeMinor: number;
  readonly nowMinor: number;
  readonly mode: 'refund' | 'chargeback';
}

/**
 * Takes a purchase back as far as its biller did, all or a part; answers the tokens that went. A refund of
 * what is spent already takes what is left, and the rest is owed, as with a chargeback: the money is gone
 * either way. A chargeback of what gave no tokens closes spending, too.
 */
export async function takeBack(
  tx: Tx, ledger: LedgerService, order: Order, { beforeMinor, nowMinor, mode }: Returned,
): Promise<number> {
  const { id, operation, amountMinor, currency, biller, tokens, freeTokens, personId } = order;
  const reason = `${mode} by ${biller}`;
  const account = mode === 'refund' ? 'refunds' : 'chargebacks';
  const minor = nowMinor - beforeMinor;
  const money = minor === 0 ? [] : [
    { account: `biller:${biller}` as const, minor: -minor, currency }, { account, minor, currency } as const,
  ];
  // Everything at once is what it always was; a part, and what is left after parts, says its tokens.
  const isWhole = beforeMinor === 0 && nowMinor === amountMinor;
  const part = (of: number): number =>
    tokensBack(of, nowMinor, amountMinor) - tokensBack(of, beforeMinor, amountMinor);
  const name = isWhole ? '' : ` to ${nowMinor}`;
  const tries = mode === 'refund' ? (['refund', 'chargeback'] as const) : (['chargeback'] as const);
  const reverse = async (of: string, moved: typeof money, some: { tokens?: number }): Promise<void> => {
    for (const one of tries) {
      const outcome = await ledger.reverse(tx, {
        id: operationOf(`${id} back ${of} ${one}${name}`), operation: of, mode: one, reason, actorId: null,
        money: moved, ...some,
      });
      if (outcome.status === 'posted' || outcome.status === 'duplicate') return;
    }
    throw new Error(`the ledger did not take ${of} back`);
  };
  const isPlain = isWhole && (tokens > 0 || mode === 'refund');
  if (operation !== null) await reverse(operation, money, isPlain ? {} : { tokens: part(tokens) });
  // What was given brought no money, which a chargeback of the whole asks for: its tokens are named always.
  const given = part(freeTokens);
  if (given > 0) await reverse(operationOf(`${id} given`), [], { tokens: given });
  if (mode === 'chargeback' && part(tokens) + given === 0) await ledger.block(tx, personId, reason, null);
  return part(tokens) + given;
}
