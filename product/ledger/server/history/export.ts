import { handleStream, type CallHandler } from '#platform/contract/bind.ts';
import type { InputOf } from '#platform/contract/call.ts';
import { requestOf } from '#platform/contract/client.ts';
import type { Scope } from '#platform/contract/context.ts';
import type { Data } from '#platform/data/data.ts';
import { decimalOf } from '#platform/text/money.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { exportHistory, historyTooLong } from '../../contract.ts';
import { memoText } from '../../rules/memo.ts';
import { shownCents } from '../../rules/shown.ts';
import {
  BYTE_ORDER_MARK,
  csvLine,
  EXPORT_BATCH_LINES,
  EXPORT_PAGE_LINES,
  MAX_EXPORT_LINES,
} from '../../rules/table.ts';
import { hasMoreLines, tokenLines, type LineFilter, type TokenLine } from '../../store/lines/history.ts';

/** A file without a month goes back this far: a year, with the extra day of a leap year. */
const EXPORT_DAYS = 366;
/** The start of such a file. */
export const lastYear = (now: Date): Date => new Date(now.getTime() - EXPORT_DAYS * DAY_MS);
const headOf = ({ column, hasPayments }: Value): string =>
  csvLine([
    'time',
    'operation',
    'kind',
    'tokens',
    column,
    'balance',
    'details',
    ...(hasPayments ? ['paid', 'currency'] : []),
  ]);

/** The value of tokens in money, and the name of its column. */
interface Value {
  readonly column: string;
  readonly centsOf: (tokens: number) => number;
  /** Whether lines have the money that was paid for them, which differs from the value that is shown. */
  readonly hasPayments?: boolean;
}
const SHOWN: Value = { column: 'shown_value_usd', centsOf: shownCents, hasPayments: true };

/** Entries of a filter, oldest first, from an id on. */
type Selection = Omit<LineFilter, 'limit' | 'before' | 'after'>;

/**
 * The history as CSV: the whole file streamed, at most `most` entries; or page by page with `after`.
 * @param base the path below which the site answers calls
 */
export function exportHandler(data: Data, base: string, most = MAX_EXPORT_LINES): CallHandler {
  return handleStream(exportHistory)(async ({ after, kind, month }, { scope, personId, locale, refuse }) => {
    const since = month === undefined ? lastYear(data.clock.now()) : undefined;
    const selection: Selection = { personId: personId, kind, month, since };
    const headers = {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="tokens-${month ?? 'year'}.csv"`,
    };
    if (after !== undefined) {
      const { text, link } = await pageOf(data, scope, selection, { after, kind, month }, base);
      return { status: 200, headers: { ...headers, ...link }, parts: one(text) };
    }
    // A file that ends early would be mistaken for the whole history.
    const isTooLong = await data.tx(scope, (tx) => hasMoreLines(tx, selection, most));
    if (isTooLong) return refuse(historyTooLong, { values: { lines: most.toLocaleString(locale) } });
    return { status: 200, headers, parts: wholeFile(data, scope, selection, most) };
  });
}

/**
 * The file in parts. Each batch is a unit of work of its own: a slow client holds no database session.
 */
export async function* wholeFile(
  data: Data,
  scope: Scope,
  selection: Selection,
  most: number,
  value: Value = SHOWN,
): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + headOf(value);
  let after: number | null = null;
  for (let read = 0; read < most; read += EXPORT_BATCH_LINES) {
    const filter: LineFilter = { ...selection, after, limit: EXPORT_BATCH_LINES };
    const lines = await data.tx(scope, (tx) => tokenLines(tx, filter));
    if (lines.length > 0) yield recordsOf(lines, value);
    if (lines.length < EXPORT_BATCH_LINES) return;
    after = lines.at(-1)?.id ?? null;
  }
}

/** One page, and the `Link` header to the next when there is one. */
async function pageOf(
  data: Data,
  scope: Scope,
  selection: Selection,
  input: InputOf<typeof exportHistory> & { after: number },
  base: string,
): Promise<{ text: string; link: Record<string, string> }> {
  const filter: LineFilter = { ...selection, after: input.after, limit: EXPORT_PAGE_LINES + 1 };
  const found = await data.tx(scope, (tx) => tokenLines(tx, filter));
  const lines = found.slice(0, EXPORT_PAGE_LINES);
  const next = found.length > EXPORT_PAGE_LINES ? lines.at(-1)?.id : undefined;
  const link: Record<string, string> = next === undefined
    ? {}
    : { link: `<${requestOf(exportHistory, { ...input, after: next }, base).path}>; rel="next"` };
  return { text: headOf(SHOWN) + recordsOf(lines, SHOWN), link };
}

async function* one(text: string): AsyncGenerator<string> {
  yield text;
}

const recordsOf = (lines: readonly TokenLine[], value: Value): string =>
  lines.map((line) => recordOf(line, value)).join('');

const recordOf = (line: TokenLine, { centsOf, hasPayments }: Value): string =>
  csvLine([
    line.at.toISOString(),
    line.operation,
    line.kind,
    line.tokens,
    centsOf(line.tokens) / 100,
    line.balance,
    memoText(line.memo),
    ...(hasPayments ? [line.money && Number(decimalOf(line.money)), line.money?.currency ?? null] : []),
  ]);
