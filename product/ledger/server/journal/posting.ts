import type { DeadlineHandler } from '#platform/contract/bind.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { uuidV5 } from '#platform/data/ids.ts';
import { errorOfOperation, MAX_BATCH } from '../../rules.ts';
import { findRefusal, postOperations, type StoredOutcome, type StoredRefusal } from '../../store/posting.ts';
import type { LedgerService, Operation, PostOutcome, RefusedOutcome } from '../service.ts';

/** Namespace of operation ids made from Idempotency-Keys; changing it would let old keys spend again. */
const OPERATIONS = '8f0e7f3a-52b1-4c0d-9d5e-3a6b0c9d7e21';
/** Kind of the deadline that releases what remains of a hold. */
const HOLD_EXPIRY = 'ledger.holdExpiry';

export const operationId: LedgerService['operationId'] = (personId, call, idempotencyKey) =>
  uuidV5(OPERATIONS, `${personId} ${call} ${idempotencyKey}`);

const refusedOf = ({ status, period, until }: StoredRefusal): RefusedOutcome => ({
  status,
  ...(period === undefined ? {} : { period }),
  ...(until === undefined ? {} : { until: new Date(until) }),
});

function outcomeOf({ status, balances, ...refused }: StoredOutcome): PostOutcome {
  if (status !== 'posted' && status !== 'duplicate') return refusedOf({ status, ...refused });
  return { status, balances: new Map(Object.entries(balances).map(([id, tokens]) => [Number(id), tokens])) };
}

export const maySpend: LedgerService['maySpend'] = async (tx, personId, tokens) => {
  const refused = await findRefusal(tx, personId, tokens);
  return refused && refusedOf(refused);
};

/** Throws when an operation could never be posted, whatever the balances. */
export function assertSound(operation: Operation): void {
  const error = errorOfOperation(operation);
  if (error !== null) throw new RangeError(`operation ${operation.id} (${operation.kind}): ${error}`);
}

/** Posts operations in order in one unit of work; see {@link LedgerService.post}. */
export async function post(tx: Tx, operations: readonly Operation[]): Promise<readonly PostOutcome[]> {
  if (operations.length > MAX_BATCH) throw new RangeError(`a batch has at most ${MAX_BATCH} operations`);
  for (const operation of operations) assertSound(operation);
  if (operations.length === 0) return [];
  const outcomes = (await postOperations(tx, operations)).map(outcomeOf);
  for (const [n, { id, hold, settles }] of operations.entries()) {
    if (outcomes[n]?.status !== 'posted') continue;
    if (hold) await tx.schedule({ kind: HOLD_EXPIRY, key: id, at: hold.expiresAt });
    if (settles?.close) await tx.unschedule(HOLD_EXPIRY, settles.hold);
  }
  return outcomes;
}

/** Releases what remains of a hold when it expires; a closed one has nothing left. */
export const holdExpiry = (data: Data): DeadlineHandler => ({
  kind: HOLD_EXPIRY,
  handle: async ({ operatorId, key: hold }) => {
    await data.tx({ operatorId }, (tx) =>
      post(tx, [{
        id: uuidV5(OPERATIONS, `${hold} ${HOLD_EXPIRY}`),
        kind: 'hold_expired',
        legs: [],
        memo: { hold },
        parameterHash: hold,
        facts: [],
        settles: { hold, close: true },
      }]));
  },
});

/** An operation that grants tokens: promotional, without backing. */
export function grantOperation(
  id: string,
  kind: string,
  personId: number,
  tokens: number,
  reason: string,
): Operation {
  return {
    id,
    kind,
    memo: { reason },
    facts: [],
    parameterHash: `${personId} ${tokens}`,
    legs: [
      { account: { kind: 'operator', name: 'grants' }, tokens: -tokens },
      {
        account: { kind: 'person', personId, book: 'tokens' },
        tokens,
        lot: { promotional: true, backingCents: 0 },
      },
    ],
  };
}

export const grant: LedgerService['grant'] = async (tx, personId, tokens, reason, id) => {
  const [outcome] = await post(tx, [grantOperation(id, 'grant', personId, tokens, reason)]);
  if (outcome?.status === 'mismatch') throw new Error(`grant ${id} was given before with other parameters`);
  if (outcome?.status === 'marketing_cap') throw new Error(`grant ${id} is beyond what marketing may cost`);
};

export const reverse: LedgerService['reverse'] = async (tx, reversal) => {
  const { id, operation, mode, tokens, reason, actorId, money } = reversal;
  const part = tokens === undefined ? {} : { tokens };
  const [outcome] = await post(tx, [{
    id,
    kind: mode,
    legs: [],
    memo: { operation, reason },
    facts: [],
    parameterHash: `${operation} ${mode}${tokens === undefined ? '' : ` ${tokens}`}`,
    reverses: { operation, mode, ...part },
    ...(money ? { money } : {}),
  }]);
  if (!outcome) throw new Error('the ledger answered nothing');
  if (outcome.status === 'posted') {
    const subject = `operation:${operation}`;
    await tx.audit({ action: 'ledger.reverse', actorId, subject, reason, detail: { mode, id, ...part } });
  }
  return outcome;
};
