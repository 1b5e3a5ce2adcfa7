import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Change } from '../values.tsx';
import type { Line } from '../views.ts';
import { LineText, Worth } from './line-text.tsx';

/** Every single line of a statement, with its time in UTC and the balance after it. */
export function LineTable({ lines }: { lines: readonly Line[] }) {
  const { t } = useTranslation('ledger');
  const columns: readonly Column<Line>[] = [
    {
      key: 'what',
      text: t('web.history.what'),
      cell: (line) => (
        <div className="flex min-w-28 flex-col break-inside-avoid">
          <LineText line={line} />
          <span className="text-xs text-muted">
            <Moment at={line.at} show="utc" />
          </span>
        </div>
      ),
    },
    {
      key: 'tokens',
      text: t('web.history.tokens'),
      numeric: true,
      cell: (line) => (
        <div className="flex flex-col items-end">
          <Change tokens={line.tokens} />
          <Worth line={line} />
        </div>
      ),
    },
    {
      key: 'balance',
      text: t('web.balance'),
      numeric: true,
      cell: (line) => <TokenAmount tokens={line.balance} />,
    },
  ];
  return <Table caption={t('web.history.lines')} columns={columns} rows={lines} keyOf={({ id }) => id} />;
}
