import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { formatCount, RelativeTime, TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Change } from '../values.tsx';
import type { Entry } from '../views.ts';
import { LineText, Worth } from './line-text.tsx';

/** Entries of the history, one for each show and purchase, with their lines collapsed. */
export function EntryTable({ entries }: { entries: readonly Entry[] }) {
  const { t } = useTranslation('ledger');
  const columns: readonly Column<Entry>[] = [
    {
      key: 'what',
      text: t('web.history.what'),
      cell: (entry) => (
        <div className="flex min-w-28 flex-col">
          <LineText line={entry} />
          {entry.tokens === 0
            ? <span className="text-xs text-muted">{t('web.history.allReturned')}</span>
            : null}
          <span className="text-xs text-muted">
            <RelativeTime at={entry.at} />
          </span>
          {entry.parts.length === 0 ? null : <Parts entry={entry} />}
        </div>
      ),
    },
    {
      key: 'tokens',
      text: t('web.history.tokens'),
      numeric: true,
      cell: (entry) => (
        <div className="flex flex-col items-end">
          {entry.tokens === 0 ? <TokenAmount tokens={0} /> : <Change tokens={entry.tokens} />}
          <Worth line={entry} />
        </div>
      ),
    },
    {
      key: 'balance',
      text: t('web.balance'),
      numeric: true,
      cell: (entry) => <TokenAmount tokens={entry.balance} />,
    },
  ];
  return <Table caption={t('web.history.lines')} columns={columns} rows={entries} keyOf={({ id }) => id} />;
}

/** The lines of an entry, shown on demand. */
function Parts({ entry: { parts, more_parts: more } }: { entry: Entry }) {
  const { t, i18n } = useTranslation('ledger');
  const count = parts.length + more;
  return (
    <details>
      <summary className="inline-flex min-h-11 cursor-pointer items-center text-xs text-link hover:underline
        pointer-fine:min-h-6">
        {t('web.history.parts', { count, lines: formatCount(count, i18n.language) })}
      </summary>
      <ul className="flex flex-col gap-1 border-l border-line pl-2">
        {parts.map((part) => (
          <li key={part.id} className="flex flex-wrap items-baseline justify-between gap-x-3">
            <span className="flex flex-col">
              <LineText line={{ ...part, memo: {} }} />
            </span>
            <Change tokens={part.tokens} />
          </li>
        ))}
      </ul>
      {more > 0
        ? (
          <p className="text-xs text-muted">
            {t('web.history.moreParts', { count: more, lines: formatCount(more, i18n.language) })}
          </p>
        )
        : null}
    </details>
  );
}
