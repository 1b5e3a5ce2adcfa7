import type { OutputOf } from '#platform/contract/call.ts';
import type { getHistory, getStatement } from '../contract.ts';
import type { getHistoryEntries } from '../contract/entries.ts';
import type { findOperations, getLedgerHealth } from '../contract/explorer.ts';
import type { getLimits, getSpendingState } from '../contract/limits.ts';

export type Entry = OutputOf<typeof getHistoryEntries>['entries'][number];
export type Line = OutputOf<typeof getHistory>['lines'][number];
export type Statement = OutputOf<typeof getStatement>;
export type Limits = OutputOf<typeof getLimits>;
export type Found = OutputOf<typeof findOperations>['operations'][number];
export type Health = OutputOf<typeof getLedgerHealth>;
export type SpendingState = OutputOf<typeof getSpendingState>;
