import { handleCall, type CallHandler } from '../../../../platform/contract/bind.ts';
import type { Data } from '../../../../platform/data/data.ts';
import { getHistory, getStatement } from '../../contract.ts';
import { HISTORY_PAGE } from '../../rules.ts';
import { ownMemo } from '../../rules/memo.ts';
import { boughtIn, kindsOf, monthsOf, sumsOfMonth, tokenLines } from '../../store/lines/history.ts';
import { idOf } from '../balance.ts';
import { earningsHandlers } from './earnings.ts';
import { exportHandler } from './export.ts';

/**
 * Token history, its CSV file and the statements of months: of one's own only.
 * @param base the path below which the site answers calls
 */
export function historyHandlers(data: Data, base: string): CallHandler[] {
  return [
    handleCall(getHistory)(async ({ before = null, limit = HISTORY_PAGE, ...filter }, { scope, caller }) =>
      data.tx(scope, async (tx) => {
        const personId = idOf(caller);
        // One line more shows whether there is another page.
        const found = await tokenLines(tx, { personId, before, limit: limit + 1, ...filter });
        const lines = found.slice(0, limit).map(({ at, balance, memo, ...line }) => ({
          ...line, balance: balance ?? 0, memo: ownMemo(memo), at: at.toISOString(),
        }));
        const kinds = before === null ? await kindsOf(tx, personId) : null;
        return { lines, next: found.length > limit ? (lines.at(-1)?.id ?? null) : null, kinds };
      })),
    exportHandler(data, base),
    ...earningsHandlers(data),
    handleCall(getStatement)(async ({ month }, { scope, caller }) =>
      data.tx(scope, async (tx) => {
        const personId = idOf(caller);
        const { opening, kinds } = await sumsOfMonth(tx, personId, month);
        const { tokens, backingCents } = await boughtIn(tx, personId, month);
        const credited = kinds.reduce((sum, one) => sum + one.credited, 0);
        const spent = kinds.reduce((sum, one) => sum + one.spent, 0);
        return {
          month, opening, closing: opening + credited - spent, credited, spent, kinds: [...kinds],
          purchased: { tokens, backing_cents: backingCents }, months: await monthsOf(tx, personId),
        };
      })),
  ];
}
