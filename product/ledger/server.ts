import { answer, hear, type Answer, type Hearing, type Slice } from '../../platform/contract/bind.ts';
import { personChannel } from '../../platform/contract/event.ts';
import type { Slots } from '../../platform/contract/slot.ts';
import type { Data, Tx } from '../../platform/data/data.ts';
import { uuidV5 } from '../../platform/data/ids.ts';
import { currentUserPart } from '../accounts/contract.ts';
import type { AccountsService } from '../accounts/server.ts';
import {
  balanceChanged, demoGrantUnavailable, demoGrantUsed, getBalance, getHistory, takeDemoGrant, tokenUpdate,
} from './contract.ts';
import {
  dayOf, DEMO_GRANT_TOKENS, DEMO_GRANTS_PER_DAY, faultOfOperation, HISTORY_PAGE, MAX_BATCH, type Leg,
} from './rules.ts';
import {
  balanceOf, countDemoGrant, isPosted, lockDemoGrants, postOperations, tokenLines, type StoredOutcome,
} from './store.ts';

export type { Leg } from './rules.ts';

/** A money operation is data. `facts` are announced in the same transaction, only when it posts. */
export interface Operation {
  /** UUID made by the client, or derived from Idempotency-Key by {@link LedgerService.operationId}. */
  readonly id: string;
  readonly kind: string;
  readonly legs: readonly Leg[];
  /** Shown to its people in their history: small JSON, nothing secret. */
  readonly memo: Readonly<Record<string, unknown>>;
  /** Hash of the parameters: the same id with another hash answers `mismatch`. */
  readonly parameterHash: string;
  readonly facts: readonly { readonly name: string; readonly key: string; readonly payload: unknown }[];
}

export type PostOutcome =
  /** `balances`: token balance after, by person id, of every person the operation touched. */
  | { readonly status: 'posted' | 'duplicate'; readonly balances: ReadonlyMap<number, number> }
  | { readonly status: 'insufficient' | 'mismatch' };

export interface LedgerService {
  /**
   * Posts operations in order in one unit of work; one outcome each; a refused one never voids the batch. It
   * locks the accounts of the batch in one order: call it once per unit. Throws for operations that no
   * balance could make right (see `faultOfOperation`) and for unknown people.
   */
  readonly post: (tx: Tx, operations: readonly Operation[]) => Promise<readonly PostOutcome[]>;
  /** Deterministic UUID (RFC 9562 v5) of person, call and Idempotency-Key. */
  readonly operationId: (personId: number, call: string, idempotencyKey: string) => string;
  readonly balance: (tx: Tx, personId: number) => Promise<number>;
  /**
   * Development and admin grant: tokens from the operator's grants account, never payable. Posting the same
   * id again changes nothing; with other parameters it throws.
   */
  readonly grant: (tx: Tx, personId: number, tokens: number, reason: string, id: string) => Promise<void>;
}

export type LedgerSlice = Slice<LedgerService>;

export interface LedgerNeeds {
  readonly data: Data;
  readonly slots: Slots;
  readonly accounts: AccountsService;
  /** Demo mode: development grants can be taken. */
  readonly demo: boolean;
}

/** Namespace of operation ids made from Idempotency-Keys; changing it would let old keys spend again. */
const OPERATIONS = '8f0e7f3a-52b1-4c0d-9d5e-3a6b0c9d7e21';

const operationId: LedgerService['operationId'] = (personId, call, idempotencyKey) =>
  uuidV5(OPERATIONS, `${personId} ${call} ${idempotencyKey}`);

function outcomeOf({ status, balances }: StoredOutcome): PostOutcome {
  if (status === 'insufficient' || status === 'mismatch') return { status };
  return { status, balances: new Map(Object.entries(balances).map(([id, tokens]) => [Number(id), tokens])) };
}

async function post(tx: Tx, operations: readonly Operation[]): Promise<readonly PostOutcome[]> {
  if (operations.length > MAX_BATCH) throw new RangeError(`a batch has at most ${MAX_BATCH} operations`);
  for (const operation of operations) {
    const fault = faultOfOperation(operation);
    if (fault !== null) throw new RangeError(`operation ${operation.id} (${operation.kind}): ${fault}`);
  }
  if (operations.length === 0) return [];
  return (await postOperations(tx, operations)).map(outcomeOf);
}

/** An operation that gives tokens away: promotional, without backing. */
function grantOperation(
  id: string, kind: string, personId: number, tokens: number, reason: string,
): Operation {
  return {
    id, kind, memo: { reason }, facts: [],
    parameterHash: `${personId} ${tokens}`,
    legs: [
      { account: { kind: 'operator', name: 'grants' }, tokens: -tokens },
      {
        account: { kind: 'person', personId, book: 'tokens' }, tokens,
        lot: { promotional: true, backingCents: 0 },
      },
    ],
  };
}

async function grant(tx: Tx, personId: number, tokens: number, reason: string, id: string): Promise<void> {
  const [outcome] = await post(tx, [grantOperation(id, 'grant', personId, tokens, reason)]);
  if (outcome?.status === 'mismatch') throw new Error(`grant ${id} was given before with other parameters`);
}

/**
 * Tokens in double entry. Announces `ledger.balanceChanged`; fills `accounts.currentUserPart` with the
 * balance.
 */
export function ledgerSlice({ data, slots, accounts, demo }: LedgerNeeds): LedgerSlice {
  slots.fill(currentUserPart, {
    part: async (scope, personId) => ({ tokens: await data.tx(scope, (tx) => balanceOf(tx, personId)) }),
  });
  return {
    name: 'ledger',
    service: { post, operationId, balance: balanceOf, grant },
    answers: [...readingAnswers(data), demoGrantAnswer(data, demo)],
    hearings: [tellBalance(data, accounts)],
  };
}

/** Every tab of a person learns each change of their balance. */
function tellBalance(data: Data, accounts: AccountsService): Hearing {
  return hear(balanceChanged, 'ledger.tellBalance')(async ({ operatorId, payload: { kind, changes } }) => {
    await data.tx({ operatorId }, async (tx) => {
      const people = await accounts.findMany(tx, changes.map(({ personId }) => personId));
      for (const { personId, tokens, change } of changes) {
        const person = people.get(personId);
        if (!person) continue;
        await tx.tell(personChannel(personId), tokenUpdate, {
          username: person.username, tokens, token_change: change, membership: null, type: kind,
        });
      }
    });
  });
}

/** The caller's own id. The permission table lets only members in, so its absence is a fault. */
function idOf(caller: { readonly personId: number | null }): number {
  if (caller.personId === null) throw new Error('a member has a person id');
  return caller.personId;
}

function readingAnswers(data: Data): Answer[] {
  return [
    answer(getBalance)(async (_input, { scope, caller }) => ({
      tokens: await data.tx(scope, (tx) => balanceOf(tx, idOf(caller))),
    })),
    answer(getHistory)(async ({ before, limit = HISTORY_PAGE }, { scope, caller }) => {
      // One line more than asked for tells whether there is another page.
      const found = await data.tx(scope, (tx) => tokenLines(tx, idOf(caller), before ?? null, limit + 1));
      const page = found.slice(0, limit);
      const lines = page.map(({ at, balance, ...line }) => ({
        ...line, balance: balance ?? 0, at: at.toISOString(),
      }));
      return { lines, next: found.length > limit ? (page.at(-1)?.id ?? null) : null };
    }),
  ];
}

function demoGrantAnswer(data: Data, demo: boolean): Answer {
  return answer(takeDemoGrant)(async (_input, { scope, caller, idempotencyKey, refuse }) => {
    if (!demo) return refuse(demoGrantUnavailable);
    const personId = idOf(caller);
    if (idempotencyKey === null) throw new Error('the host demands an Idempotency-Key');
    const id = operationId(personId, takeDemoGrant.name, idempotencyKey);
    return data.tx(scope, async (tx) => {
      const day = dayOf(tx.now);
      // The lock makes concurrent takers count one after the other; a repeated request costs no grant.
      const taken = await lockDemoGrants(tx, personId, day);
      if (!(await isPosted(tx, id))) {
        if (taken >= DEMO_GRANTS_PER_DAY) return refuse(demoGrantUsed);
        await countDemoGrant(tx, personId, day);
        await post(tx, [grantOperation(id, 'demo_grant', personId, DEMO_GRANT_TOKENS, 'demo')]);
      }
      return { status: 1, granted: DEMO_GRANT_TOKENS, tokens: await balanceOf(tx, personId) } as const;
    });
  });
}
