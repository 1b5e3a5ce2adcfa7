import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { OutputOf } from '#platform/contract/call.ts';
import type { Data } from '#platform/data/data.ts';
import { pageOf } from '#platform/data/paging.ts';
import { getHistory, getStatement } from '../../contract.ts';
import { getHistoryEntries } from '../../contract/entries.ts';
import { HISTORY_PAGE } from '../../rules.ts';
import { entryKindsOf } from '../../rules/entries.ts';
import { ownMemo } from '../../rules/memo.ts';
import { groupedLines, type GroupedLine } from '../../store/lines/entries.ts';
import {
  boughtIn,
  kindsOf,
  monthsOf,
  sumsOfMonth,
  tokenLines,
  type TokenLine,
} from '../../store/lines/history.ts';
import { earningsHandlers } from './earnings.ts';
import { exportHandler } from './export.ts';

type Line = OutputOf<typeof getHistory>['lines'][number];
type Entry = OutputOf<typeof getHistoryEntries>['entries'][number];

const lineOf = ({ id, operation, kind, tokens, balance, memo, at, money, reverses }: TokenLine): Line => ({
  id,
  operation,
  kind,
  tokens,
  balance: balance ?? 0,
  memo: ownMemo(memo),
  at: at.toISOString(),
  money,
  reverses,
});

/** Lines by their group, both in the order they come in. */
function groupsOf(lines: readonly GroupedLine[]): GroupedLine[][] {
  const groups = new Map<number, GroupedLine[]>();
  for (const line of lines) {
    const group = groups.get(line.newest);
    if (group) group.push(line);
    else groups.set(line.newest, [line]);
  }
  return [...groups.values()];
}

/** One entry of several lines: their total, and any field that one of them has. */
function entryOf(group: readonly GroupedLine[]): Entry {
  const [newest] = group;
  if (!newest) throw new Error('a group of lines is never empty');
  const { operation: _operation, ...line } = lineOf(newest);
  const named = group.find(({ memo }) => typeof memo['to'] === 'string');
  return {
    ...line,
    kind: newest.entry_kind,
    tokens: newest.sum,
    since: newest.since.toISOString(),
    memo: ownMemo((named ?? newest).memo),
    money: group.find(({ money }) => money !== null)?.money ?? null,
    parts: newest.count > 1 ? group.map(lineOf) : [],
    more_parts: newest.count - group.length,
  };
}

/**
 * Token history, its CSV file and the monthly statements: only the caller's own.
 * @param base the path below which the site answers calls
 */
export function historyHandlers(data: Data, base: string): CallHandler[] {
  return [
    handleCall(getHistory)(async ({ before = null, limit = HISTORY_PAGE, ...filter }, { scope, personId }) =>
      data.tx(scope, async (tx) => {
        // One line more shows whether there is another page.
        const found = await tokenLines(tx, { personId, before, limit: limit + 1, ...filter });
        const { page, next } = pageOf(found.map(lineOf), limit);
        const kinds = before === null ? await kindsOf(tx, personId) : null;
        return { lines: page, next, kinds };
      })
    ),
    handleCall(getHistoryEntries)(async ({ before = null, limit = HISTORY_PAGE, ...filter }, context) =>
      data.tx(context.scope, async (tx) => {
        const { personId } = context;
        const groups = groupsOf(await groupedLines(tx, { personId, before, limit: limit + 1, ...filter }));
        const { page, next } = pageOf(groups.map(entryOf), limit);
        const kinds = before === null ? entryKindsOf(await kindsOf(tx, personId)) : null;
        return { entries: page, next, kinds };
      })
    ),
    exportHandler(data, base),
    ...earningsHandlers(data),
    handleCall(getStatement)(async ({ month }, { scope, personId }) =>
      data.tx(scope, async (tx) => {
        const { opening, kinds } = await sumsOfMonth(tx, personId, month);
        const purchased = await boughtIn(tx, personId, month);
        const credited = kinds.reduce((sum, kind) => sum + kind.credited, 0);
        const spent = kinds.reduce((sum, kind) => sum + kind.spent, 0);
        return {
          month,
          opening,
          closing: opening + credited - spent,
          credited,
          spent,
          kinds: [...kinds],
          purchased,
          months: await monthsOf(tx, personId),
        };
      })
    ),
  ];
}
