import { Table, type Column } from '../../../../platform/ui/controls/lists/table.tsx';
import { RelativeTime, TokenAmount } from '../../../../platform/ui/text/amounts.tsx';
import { Moment } from '../../../../platform/ui/text/moment.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { useKindText } from './kinds.ts';
import { Change, ShownValue } from '../values.tsx';
import type { Line } from '../views.ts';

/**
 * Lines of the history with their value and the balance after each.
 * @param exact times as a statement has them, in UTC; otherwise how long ago
 */
export function LineTable({ lines, exact = false }: { lines: readonly Line[]; exact?: boolean }) {
  const { t } = useTranslation('ledger');
  const columns: readonly Column<Line>[] = [
    { key: 'what', text: t('web.history.what'), cell: (line) => (
      <div className="flex min-w-28 flex-col break-inside-avoid">
        <LineText line={line} />
        <span className="text-xs text-muted">
          {exact ? <Moment at={line.at} show="utc" /> : <RelativeTime at={line.at} />}
        </span>
      </div>
    ) },
    { key: 'tokens', text: t('web.history.tokens'), numeric: true, cell: (line) => (
      <div className="flex flex-col items-end">
        <Change tokens={line.tokens} />
        <span className="text-xs text-muted"><ShownValue tokens={Math.abs(line.tokens)} /></span>
      </div>
    ) },
    { key: 'balance', text: t('web.balance'), numeric: true,
      cell: (line) => <TokenAmount tokens={line.balance} /> },
  ];
  return <Table caption={t('web.history.lines')} columns={columns} rows={lines} keyOf={({ id }) => id} />;
}

const textIn = ({ memo }: Line, name: string): string | null => {
  const value = memo[name];
  return typeof value === 'string' && value !== '' ? value : null;
};

/** What a line was for: its kind, to whom, and what was said or ordered with it. */
function LineText({ line }: { line: Line }) {
  const { t } = useTranslation('ledger');
  const kindText = useKindText();
  const to = textIn(line, 'to');
  const said = textIn(line, 'title') ?? textIn(line, 'comment');
  return (
    <>
      <span className="font-medium break-words">
        {to === null ? kindText(line.kind) : t('web.history.to', { what: kindText(line.kind), name: to })}
      </span>
      {said === null ? null
        : <span className="line-clamp-2 text-xs break-words text-muted">{said}</span>}
    </>
  );
}
