import type { ReversalMode } from '#product/ledger/rules.ts';

/** What the reference ledger stores, and sums of it. */

export interface Row {
  readonly person?: number | null;
  readonly account: string;
  readonly tokens: number;
  readonly lot?: { readonly promotional: boolean; readonly backingCents: number };
  readonly split?: true;
}
export interface MoneyRow {
  readonly account: string;
  readonly minor: number;
  readonly currency: string;
}

/** An operation as it is sent to the database. */
export interface Asked {
  readonly id: string;
  readonly kind: string;
  readonly parameterHash: string;
  readonly legs: readonly Row[];
  readonly money?: readonly MoneyRow[];
  readonly spends?: boolean;
  readonly hold?: { readonly expiresAt: string };
  readonly settles?: { readonly hold: string; readonly close: boolean };
  readonly reverses?: { readonly operation: string; readonly mode: ReversalMode; readonly tokens?: number };
}
export interface Answer {
  readonly status: string;
  readonly balances?: Readonly<Record<string, number>>;
  readonly period?: string;
  readonly until?: string;
}

export interface Lot {
  readonly person: number;
  readonly promotional: boolean;
  readonly tokens: number;
  left: number;
}
export interface Draw {
  readonly lot: Lot;
  readonly tokens: number;
}
export interface Hold {
  readonly person: number;
  left: number;
  readonly expiresAt: number;
  closed: boolean;
  readonly entry: Entry;
  /** Draws that no settlement has spent yet. */
  drawn: Draw[];
}
export interface PromotionalPart {
  readonly person: number;
  readonly day: number;
  readonly tokens: number;
}
export interface Entry {
  readonly hash: string;
  readonly at: number;
  readonly spending: -1 | 0 | 1;
  readonly rows: readonly Row[];
  readonly money: readonly MoneyRow[];
  /** Draws it spent, and lots it made. */
  spent: Draw[];
  readonly made: Lot[];
  cash: number;
  marketing: number;
  isHold: boolean;
  isReversal: boolean;
  reversed: boolean;
  /** Promotional tokens that people earned by it, and on which day (UTC). */
  readonly promotional: PromotionalPart[];
  /** Tokens and money that partial reversals have reversed; null when there were none. */
  parts: { gone: number; money: readonly MoneyRow[] } | null;
}
export interface Plan {
  readonly rows: Row[];
  readonly money: readonly MoneyRow[];
  readonly spending: -1 | 0 | 1;
  readonly countedAt: number;
  readonly settles?: { readonly hold: Hold; readonly taken: number; readonly close: boolean };
  readonly reverses?: { readonly entry: Entry; readonly mode: ReversalMode; readonly part?: Part };
}
/** A partial reversal: its tokens, how many of them are taken from the lot, and the tokens issued. */
export interface Part {
  readonly tokens: number;
  readonly taken: number;
  readonly issued: number;
}
export interface Budget {
  tokens: number | null;
  next: { tokens: number | null; at: number } | null;
  starts: number;
  spent: number;
}
export interface Restrictions {
  credit: number;
  blocked: 'staff' | 'chargeback' | null;
  cooling: number;
  excluded: number;
}
export type Share = { readonly person: number | null; readonly percent: number };

export const sumOf = (tokens: readonly number[]): number => tokens.reduce((sum, token) => sum + token, 0);

/** The reverse of an entry's money that partial reversals have not moved. */
export function restOf({ money, parts }: Entry): MoneyRow[] {
  const sums = new Map<string, MoneyRow>();
  for (const row of [...money, ...(parts?.money ?? [])]) {
    const name = `${row.account} ${row.currency}`;
    sums.set(name, { ...row, minor: (sums.get(name)?.minor ?? 0) - row.minor });
  }
  return [...sums.values()].filter(({ minor }) => minor !== 0);
}

/** Merges rows of the same account, keeps the order of the first ones, and leaves out zero rows. */
export function mergeRows(rows: readonly Row[]): Row[] {
  const merged = new Map<string, Row>();
  for (const row of rows) {
    const name = `${row.person ?? ''} ${row.account}`;
    const known = merged.get(name);
    merged.set(name, known ? { ...known, tokens: known.tokens + row.tokens } : row);
  }
  return [...merged.values()].filter(({ tokens }) => tokens !== 0);
}
