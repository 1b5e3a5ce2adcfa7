import type { Tx } from '#platform/data/data.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import type { Leg, LedgerService, Operation, PostOutcome } from '#product/ledger/server.ts';
import { PERFORMER_SHARE_PERCENT } from '#product/tips/rules.ts';
import { spendingOf } from './spending.ts';

/** Who pays whom. Names are for the histories of the two. */
export interface Parties {
  readonly viewerName: string;
  readonly performerName: string;
}

/** How the operations of a product that is paid by the second are called. */
export interface OperationNames {
  /** Of the ids of its operations, which no other product has. */
  readonly scope: string;
  readonly hold: string;
  readonly charge: string;
  /** An operation that only gives back. */
  readonly released: string;
  /** The performer does not learn who paid. */
  readonly hidesPayer?: boolean;
  /** Its rows are turns on one private show, whose number both histories put them together by. */
  readonly isPartOfPrivate?: boolean;
}

/**
 * A hold outlives the minute it pays, however often its media stops in between; when a process died it gives
 * the rest back.
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
  { operationId }: Ledger, { scope }: OperationNames, { id, viewer_id: viewer }: Payer, what: string,
): string => operationId(viewer, scope, `${id} ${what}`);

/** What a row is a part of, for the memo of each of its operations. */
const partOf = ({ isPartOfPrivate = false }: OperationNames, { private_id: id }: Payer) =>
  (isPartOfPrivate ? { part_of: id } : {});

/** Sets tokens of the viewer aside, as hold `number` of a row. */
export function holdOperation(
  ledger: Ledger, names: OperationNames, row: Payer, { performerName }: Parties,
  { number, tokens, now }: { readonly number: number; readonly tokens: number; readonly now: Date },
): Operation {
  const person = { kind: 'person', personId: row.viewer_id } as const;
  return {
    id: idOfOperation(ledger, names, row, `hold ${number}`), kind: names.hold, parameterHash: String(tokens),
    legs: [
      { account: { ...person, book: 'tokens' }, tokens: -tokens },
      { account: { ...person, book: 'held' }, tokens },
    ],
    memo: { to: performerName, tokens, show: row.id, ...partOf(names, row) }, facts: [],
    hold: { expiresAt: new Date(now.getTime() + HOLD_MS) },
  };
}

interface Taking {
  /** In place of the name of a charge: for what is paid beside the seconds. */
  readonly kind?: string;
  /** Of the hold that is taken from, and of the operation. */
  readonly hold: number;
  readonly number: number;
  readonly tokens: number;
  /** What was taken before: shares are rounded once over the whole of it. */
  readonly before: number;
  readonly closes: boolean;
  readonly sharePercent?: number | undefined;
}

/** Takes from a hold what is due, for the performer and the operator; a closing one gives the rest back. */
export function takeOperation(
  ledger: Ledger, names: OperationNames, row: Payer, { viewerName, performerName }: Parties,
  {
    kind = names.charge, hold, number, tokens, before, closes, sharePercent = PERFORMER_SHARE_PERCENT,
  }: Taking,
): Operation {
  const shareOf = (paid: number): number => Math.floor((paid * sharePercent) / 100);
  const earned = shareOf(before + tokens) - shareOf(before);
  const legs: Leg[] = [
    { account: { kind: 'person', personId: row.viewer_id, book: 'held' }, tokens: -tokens },
    {
      account: { kind: 'person', personId: row.performer_id, book: 'earnings' }, tokens: earned, split: true,
    },
    { account: { kind: 'operator', name: 'fees' }, tokens: tokens - earned },
  ];
  return {
    id: idOfOperation(ledger, names, row, `take ${number}`), kind: tokens === 0 ? names.released : kind,
    parameterHash: `${tokens} ${closes}`, legs: legs.filter((leg) => leg.tokens !== 0),
    memo: {
      from: names.hidesPayer ? null : viewerName, to: performerName, tokens, show: row.id,
      ...partOf(names, row),
    },
    facts: [], settles: { hold: idOfOperation(ledger, names, row, `hold ${hold}`), close: closes },
  };
}

/** So many tokens, or what the viewer can still spend when that is less: by balance, credit and budgets. */
export async function affordable(
  ledger: MayHold, tx: Tx, viewerId: number, wanted: number,
): Promise<number> {
  const refused = await ledger.maySpend(tx, viewerId, wanted);
  if (refused === null) return wanted;
  if (!['insufficient', 'credit_exhausted', 'over_budget'].includes(refused.status)) return 0;
  return Math.min(wanted, (await spendingOf(ledger, tx, viewerId)).spendable);
}

export const isPosted = (outcome: PostOutcome | undefined): boolean =>
  outcome !== undefined && 'balances' in outcome;
