import type { Tx } from '#platform/data/data.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import type { LedgerService, Leg, Operation, PostOutcome } from '#product/ledger/server.ts';
import { PERFORMER_SHARE_PERCENT } from '#product/tips/rules.ts';
import { spendingOf } from './spending.ts';

/** Payer and payee. The names are for their histories. */
export interface Parties {
  readonly viewerName: string;
  readonly performerName: string;
}

/** Names of the operations of a product that is paid by the second. */
export interface OperationNames {
  /** Prefix of the operations' ids, unique to the product. */
  readonly scope: string;
  readonly hold: string;
  readonly charge: string;
  /** Kind of an operation that only gives tokens back. */
  readonly released: string;
  /** The performer does not learn who paid. */
  readonly hidesPayer?: boolean;
  /** Rows are turns on one private show; both histories group them by the show's number. */
  readonly isPartOfPrivate?: boolean;
}

/**
 * A hold outlives the minute it pays for, however often media stops in between. If the process dies, the hold
 * gives the rest back when it expires.
 */
const HOLD_MS = HOUR_MS;

interface Payer {
  readonly id: number;
  readonly viewer_id: number;
  readonly performer_id: number;
  readonly private_id?: number;
}
type Ledger = Pick<LedgerService, 'operationId'>;
type MayHold = Pick<LedgerService, 'maySpend' | 'balance' | 'limitsOf'>;

const idOfOperation = (
  { operationId }: Ledger,
  { scope }: OperationNames,
  { id, viewer_id: viewer }: Payer,
  what: string,
): string => operationId(viewer, scope, `${id} ${what}`);

/** The show that a row is part of, for the memo of each of its operations. */
const partOf = (
  { isPartOfPrivate = false }: OperationNames,
  { private_id: id }: Payer,
) => (isPartOfPrivate ? { part_of: id } : {});

/** Sets tokens of the viewer aside, as hold `number` of a row. */
export function holdOperation(
  ledger: Ledger,
  names: OperationNames,
  row: Payer,
  { performerName }: Parties,
  { number, tokens, now }: { readonly number: number; readonly tokens: number; readonly now: Date },
): Operation {
  const person = { kind: 'person', personId: row.viewer_id } as const;
  return {
    id: idOfOperation(ledger, names, row, `hold ${number}`),
    kind: names.hold,
    parameterHash: String(tokens),
    legs: [
      { account: { ...person, book: 'tokens' }, tokens: -tokens },
      { account: { ...person, book: 'held' }, tokens },
    ],
    memo: { to: performerName, tokens, show: row.id, ...partOf(names, row) },
    facts: [],
    hold: { expiresAt: new Date(now.getTime() + HOLD_MS) },
  };
}

interface Taking {
  /** Replaces the kind of a charge, for what is paid on top of the seconds. */
  readonly kind?: string;
  /** Numbers of the hold that is taken from, and of the operation. */
  readonly hold: number;
  readonly number: number;
  readonly tokens: number;
  /** Tokens taken before: shares are rounded once over the total. */
  readonly before: number;
  readonly closes: boolean;
  readonly sharePercent?: number | undefined;
}

/**
 * Takes what is due from a hold, for the performer and the operator; a closing operation gives the rest back.
 */
export function takeOperation(
  ledger: Ledger,
  names: OperationNames,
  row: Payer,
  { viewerName, performerName }: Parties,
  {
    kind = names.charge,
    hold,
    number,
    tokens,
    before,
    closes,
    sharePercent = PERFORMER_SHARE_PERCENT,
  }: Taking,
): Operation {
  const shareOf = (paid: number): number => Math.floor((paid * sharePercent) / 100);
  const earned = shareOf(before + tokens) - shareOf(before);
  const legs: Leg[] = [
    { account: { kind: 'person', personId: row.viewer_id, book: 'held' }, tokens: -tokens },
    {
      account: { kind: 'person', personId: row.performer_id, book: 'earnings' },
      tokens: earned,
      split: true,
    },
    { account: { kind: 'operator', name: 'fees' }, tokens: tokens - earned },
  ];
  return {
    id: idOfOperation(ledger, names, row, `take ${number}`),
    kind: tokens === 0 ? names.released : kind,
    parameterHash: `${tokens} ${closes}`,
    legs: legs.filter((leg) => leg.tokens !== 0),
    memo: {
      from: names.hidesPayer ? null : viewerName,
      to: performerName,
      tokens,
      show: row.id,
      ...partOf(names, row),
    },
    facts: [],
    settles: { hold: idOfOperation(ledger, names, row, `hold ${hold}`), close: closes },
  };
}

/** This many tokens, or, if less, what the viewer can still spend by balance, credit and budgets. */
export async function affordable(
  ledger: MayHold,
  tx: Tx,
  viewerId: number,
  wanted: number,
): Promise<number> {
  const refused = await ledger.maySpend(tx, viewerId, wanted);
  if (refused === null) return wanted;
  if (!['insufficient', 'credit_exhausted', 'over_budget'].includes(refused.status)) return 0;
  return Math.min(wanted, (await spendingOf(ledger, tx, viewerId)).spendable);
}

export const isPosted = (outcome: PostOutcome | undefined): boolean =>
  outcome !== undefined && 'balances' in outcome;
