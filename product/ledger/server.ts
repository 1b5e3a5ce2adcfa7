import type { Slice } from '../../platform/contract/bind.ts';
import type { Tx } from '../../platform/data/data.ts';

/** A book account: `person:12:tokens`, or a named operator account such as `operator:fees`. */
export type AccountRef =
  | { readonly kind: 'person'; readonly personId: number; readonly book: 'tokens' | 'earnings' }
  | { readonly kind: 'operator'; readonly name: 'fees' | 'grants' | 'promo' | 'float' };

/** Signed whole tokens; the legs of an operation sum to zero. */
export interface Leg {
  readonly account: AccountRef;
  readonly tokens: number;
}

/** A money operation is data. `facts` are announced in the same transaction, only when it posts. */
export interface Operation {
  /** UUID made by the client, or derived from Idempotency-Key by {@link LedgerService.operationId}. */
  readonly id: string;
  readonly kind: string;
  readonly legs: readonly Leg[];
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
  /** Posts operations in order in one unit of work; one outcome each; a refused one never voids the batch. */
  readonly post: (tx: Tx, operations: readonly Operation[]) => Promise<readonly PostOutcome[]>;
  /** Deterministic UUID (RFC 9562 v5) of person, call and Idempotency-Key. */
  readonly operationId: (personId: number, call: string, idempotencyKey: string) => string;
  readonly balance: (tx: Tx, personId: number) => Promise<number>;
  /** Development and admin grant: tokens from the operator's grants account, never payable. */
  readonly grant: (tx: Tx, personId: number, tokens: number, reason: string, id: string) => Promise<void>;
}

export type LedgerSlice = Slice<LedgerService>;
