import { handleCall, type CallHandler } from '../../../../platform/contract/bind.ts';
import { requestOf } from '../../../../platform/contract/client/client.ts';
import type { Data } from '../../../../platform/data/data.ts';
import { DAY_MS } from '../../../../platform/time/units.ts';
import { exportHistory, getHistory, getStatement } from '../../contract.ts';
import { HISTORY_PAGE } from '../../rules.ts';
import { memoText, ownMemo } from '../../rules/memo.ts';
import { shownCents } from '../../rules/shown.ts';
import { csvLine, EXPORT_LINES } from '../../rules/table.ts';
import { boughtIn, kindsOf, monthsOf, sumsOfMonth, tokenLines, type TokenLine } from '../../store/history.ts';
import { idOf } from '../balance.ts';

/** A file without a month goes back this far: a year, and the day that makes it whole in a leap year. */
const EXPORT_DAYS = 366;
const COLUMNS = ['time', 'operation', 'kind', 'tokens', 'shown_value_usd', 'balance', 'details'] as const;

/** What a person sees of their own tokens' past. */
export function historyHandlers(data: Data): CallHandler[] {
  return [
    handleCall(getHistory)(async ({ before = null, limit = HISTORY_PAGE, ...filter }, { scope, caller }) =>
      data.tx(scope, async (tx) => {
        const personId = idOf(caller);
        // One line more than asked for tells whether there is another page.
        const found = await tokenLines(tx, { personId, before, limit: limit + 1, ...filter });
        const lines = found.slice(0, limit).map(({ at, balance, memo, ...line }) => ({
          ...line, balance: balance ?? 0, memo: ownMemo(memo), at: at.toISOString(),
        }));
        const kinds = before === null ? await kindsOf(tx, personId) : null;
        return { lines, next: found.length > limit ? (lines.at(-1)?.id ?? null) : null, kinds };
      })),
    handleCall(exportHistory)(async ({ after = null, kind, month }, { scope, caller }) =>
      data.tx(scope, async (tx) => {
        const since = month === undefined
          ? new Date(tx.now.getTime() - EXPORT_DAYS * DAY_MS) : undefined;
        const found = await tokenLines(tx, {
          personId: idOf(caller), after, limit: EXPORT_LINES + 1, kind, month, since,
        });
        const lines = found.slice(0, EXPORT_LINES);
        const last = found.length > EXPORT_LINES ? lines.at(-1)?.id : undefined;
        const headers: Record<string, string> = {
          'content-disposition': `attachment; filename="tokens-${month ?? 'year'}.csv"`,
        };
        if (last !== undefined) {
          headers['link'] = `<${requestOf(exportHistory, { kind, month, after: last }).path}>; rel="next"`;
        }
        return { status: 200, headers, body: csvLine(COLUMNS) + lines.map(recordOf).join('') };
      })),
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

const recordOf = ({ at, operation, kind, tokens, balance, memo }: TokenLine): string => csvLine([
  at.toISOString(), operation, kind, tokens, shownCents(tokens) / 100, balance, memoText(memo),
]);
