import type { RefusalDetail } from '#platform/contract/refusal.ts';
import type { OperatorScope, Tx } from '#platform/data/data.ts';
import type { SpendRefusal } from '../contract.ts';
import type { BlockCause, BudgetPeriod, Leg, MoneyLeg, OperationForm, Reversed, Share } from '../rules.ts';
import type { MoneyRules } from '../store/money-rules.ts';

/** A money operation is data. `facts` are published in the same transaction, only when it posts. */
export interface Operation extends OperationForm {
  /** UUID made by the client, or derived from Idempotency-Key by {@link LedgerService.operationId}. */
  readonly id: string;
  readonly kind: string;
  /** Empty for a reversal, for money alone, and for closing a hold from which nothing is taken. */
  readonly legs: readonly Leg[];
  /** Legs in money. A reversal without them inverts those of the reversed operation. */
  readonly money?: readonly MoneyLeg[];
  /** Shown to the people involved in their history: small JSON, nothing secret. */
  readonly memo: Readonly<Record<string, unknown>>;
  /** Hash of the parameters: the same id with another hash answers `mismatch`. */
  readonly parameterHash: string;
  readonly facts: readonly { readonly name: string; readonly key: string; readonly payload: unknown }[];
  /**
   * Counts against the payer's budgets and checks their restrictions. True by default when a person's
   * `tokens` are debited.
   */
  readonly spends?: boolean;
  /** Reverses an earlier operation, as a refund or a chargeback. */
  readonly reverses?: Reversed;
  /** Holds tokens until they are settled or it expires. Legs: `tokens` to `held`, one person. */
  readonly hold?: { readonly expiresAt: Date };
  /** Takes from a hold (its operation id). Legs: `held` to the earners; `close` releases the rest. */
  readonly settles?: { readonly hold: string; readonly close: boolean };
}

/** Why an operation did not happen; each has a refusal of its own, see `refuse` of the service. */
export type Refusal =
  /** The id was used with other parameters. */
  | 'mismatch'
  /** A person's account would become negative. */
  | 'insufficient'
  /** Beyond the credit limit of a post-pay member. */
  | 'credit_exhausted'
  | 'over_budget'
  | 'cooling_off'
  | 'self_excluded'
  /** Spending is closed to them by staff or by a chargeback. */
  | 'blocked'
  /** Promotional tokens beyond the operator's marketing cap. */
  | 'marketing_cap'
  | 'performer_cap'
  /** Closed, expired or unknown. */
  | 'hold_closed'
  /** Unknown, already reversed or spent, or of a kind that cannot be reversed. */
  | 'not_reversible';

export type PostOutcome =
  /** `balances`: the new token balance of every person the operation touched, by person id. */
  | { readonly status: 'posted' | 'duplicate'; readonly balances: ReadonlyMap<number, number> }
  | RefusedOutcome;

export interface RefusedOutcome {
  readonly status: Refusal;
  /** The budget that is used up. */
  readonly period?: BudgetPeriod;
  /** When the refusal ends: the budget's period, the cool-off, the self-exclusion. */
  readonly until?: Date;
}

/** One budget: its amount, what is spent, and a higher amount that applies later. */
export interface Budget {
  readonly period: BudgetPeriod;
  /** Null if there is no budget. */
  readonly tokens: number | null;
  readonly spent: number;
  /** When the period ends and `spent` is zero again. */
  readonly resetsAt: Date;
  readonly next: { readonly tokens: number | null; readonly at: Date } | null;
}

/** Everything that keeps a person from spending. */
export interface Limits {
  readonly budgets: readonly Budget[];
  readonly coolingOffUntil: Date | null;
  readonly selfExcludedUntil: Date | null;
  readonly blocked: {
    readonly cause: BlockCause;
    readonly reason: string;
    readonly at: Date;
  } | null;
  /** Post-pay: how many tokens they may owe. */
  readonly creditTokens: number;
  readonly debtTokens: number;
}

/** A new budget per period; an omitted period stays, null removes it. */
export type BudgetChange = Partial<Readonly<Record<BudgetPeriod, number | null>>>;

export interface LedgerService {
  /**
   * Posts operations in order in one unit of work; one outcome each; a refused one never voids the batch. It
   * locks the accounts of the batch in one order: call it once per unit. Throws for operations that are
   * invalid whatever the balances (see `errorOfOperation`) and for unknown people.
   */
  readonly post: (tx: Tx, operations: readonly Operation[]) => Promise<readonly PostOutcome[]>;
  /**
   * Posts one operation in a unit of work that it shares with others that arrive meanwhile: while one batch
   * commits, the next gathers. Resolves after the commit. An error in another operation never voids this one.
   * Not for use inside a unit of work.
   */
  readonly submit: (scope: OperatorScope, operation: Operation) => Promise<PostOutcome>;
  /**
   * Reverses an operation once, with its money legs inverted; with `tokens` a part of a purchase, as long
   * as something is left of it. Audited.
   */
  readonly reverse: (
    tx: Tx,
    reversal: Reversed & {
      readonly id: string;
      readonly reason: string;
      readonly actorId: number | null;
      readonly money?: readonly MoneyLeg[];
    },
  ) => Promise<PostOutcome>;
  /**
   * Why a person could not spend an amount now, or null. Nothing is reserved: posting checks again.
   */
  readonly maySpend: (tx: Tx, personId: number, tokens: number) => Promise<RefusedOutcome | null>;
  /**
   * Turns a refused operation into the refusal that the specification names (spec 1 §8): the call declares
   * `...spendRefusals`. `payer` is who should have paid how much. The answer has `until` if there is one,
   * and `exhausted` if no card helps.
   */
  readonly refuse: <R>(
    tx: Tx,
    refused: RefusedOutcome,
    payer: { readonly personId: number; readonly tokens: number },
    refuse: (refusal: SpendRefusal, detail?: RefusalDetail) => R,
  ) => Promise<R>;
  /** Deterministic UUID (RFC 9562 v5) of person, call and Idempotency-Key. */
  readonly operationId: (personId: number, call: string, idempotencyKey: string) => string;
  /** Whether an operation was posted: posting it again changes nothing. */
  readonly isPosted: (tx: Tx, operationId: string) => Promise<boolean>;
  readonly balance: (tx: Tx, personId: number) => Promise<number>;
  /** The same for many people; those who never had tokens are left out. */
  readonly balances: (tx: Tx, personIds: readonly number[]) => Promise<ReadonlyMap<number, number>>;
  /**
   * Development and admin grant: tokens from the operator's grants account, never payable. Posting the same
   * id again changes nothing; with other parameters, or beyond the marketing cap, it throws.
   */
  readonly grant: (tx: Tx, personId: number, tokens: number, reason: string, id: string) => Promise<void>;
  /** The payout of a token, the marketing cap and what is booked, the daily promotional earnings cap. */
  readonly moneyRules: (tx: Tx) => Promise<MoneyRules>;
  /** Changes the rules; false, without a change, if outstanding tokens would lose their cover. */
  readonly setMoneyRules: (tx: Tx, rules: Omit<MoneyRules, 'marketingBookedCents'>) => Promise<boolean>;
  readonly limitsOf: (tx: Tx, personId: number) => Promise<Limits>;
  /** A lower budget applies at once, a higher one after {@link RAISE_WAIT_MS}. */
  readonly setBudgets: (tx: Tx, personId: number, change: BudgetChange) => Promise<void>;
  /** Closes spending until a time; a running cool-off is extended, never shortened. */
  readonly coolOff: (tx: Tx, personId: number, until: Date) => Promise<void>;
  readonly selfExclude: (tx: Tx, personId: number, until: Date) => Promise<void>;
  /** Closes spending to a person until `unblock`. */
  readonly block: (tx: Tx, personId: number, reason: string, actorId: number | null) => Promise<void>;
  readonly unblock: (tx: Tx, personId: number, reason: string, actorId: number | null) => Promise<void>;
  /** Post-pay: how many tokens a person may owe; 0 ends it and leaves the debt. */
  readonly setCredit: (tx: Tx, personId: number, tokens: number) => Promise<void>;
  /** How a performer's earnings are divided from a time on, which must not be in the past. */
  readonly setSplit: (tx: Tx, performerId: number, from: Date, shares: readonly Share[]) => Promise<void>;
}
