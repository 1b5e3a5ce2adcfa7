import { useCallAddress, useRead } from '#platform/ui/calls/calls.ts';
import { useLobby } from '#platform/ui/calls/live.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { Button, FileLink } from '#platform/ui/controls/button.tsx';
import { Select } from '#platform/ui/controls/fields.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Loaded, ReadError, Section } from '#platform/ui/surfaces/section.tsx';
import { EmptyState } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Download, ReceiptText } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { exportHistory, getHistoryEntries, getStatement } from '../../client.ts';
import { useTokenPast } from '../live-past.ts';
import { monthText } from '../values.tsx';
import type { Entry } from '../views.ts';
import { EntryTable } from './entry-table.tsx';
import { useKindText } from './kinds.ts';

interface Filter {
  readonly kind?: string;
  readonly month?: string;
}

/** The member's own token history: what every token was for, with its value; with filters and a file. */
export function TokenHistory() {
  const { t } = useTranslation('ledger');
  const [filter, setFilter] = useState<Filter>({});
  useTokenPast(useLobby(true));
  const read = useReadPages(getHistoryEntries, filter, { keep: true });
  return (
    <Section
      anchor="history"
      title={t('web.history.title')}
      lead={t('web.history.lead')}
      action={<CsvLink filter={filter} />}
    >
      <Loaded read={read} height="h-64">
        {({ pages }) => (
          <>
            <Filters kinds={pages[0]?.kinds ?? []} filter={filter} onChange={setFilter} />
            <Entries
              entries={pages.flatMap(({ entries }) => entries)}
              filtered={Object.keys(filter).length > 0}
              onClear={() => setFilter({})}
            />
            <MorePages read={read} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** A plain link: the server streams the file, and answers a refusal with a page that links back here. */
function CsvLink({ filter }: { filter: Filter }) {
  const { t } = useTranslation('ledger');
  const addressOf = useCallAddress();
  return (
    <FileLink href={addressOf(exportHistory, { ...filter })} icon={<Download size={20} aria-hidden />}>
      {t('web.history.csv')}
    </FileLink>
  );
}

/** Filters offer only kinds and months of which the person has lines. */
function Filters({ kinds, filter, onChange }: {
  kinds: readonly string[];
  filter: Filter;
  onChange: (next: Filter) => void;
}) {
  const { t, i18n } = useTranslation('ledger');
  const kindText = useKindText();
  // The statement of any month lists all months; the newest line's month exists whenever there is a line.
  const all = useRead(getHistoryEntries, {});
  const some = all.data?.entries[0]?.at.slice(0, 7);
  const statement = useRead(getStatement, { month: some ?? '' }, { enabled: some !== undefined });
  if (kinds.length === 0) return null;
  const months = statement.data?.months ?? [];
  const set = (change: { kind?: string; month?: string }) => {
    const { kind = '', month = '' } = { ...filter, ...change };
    onChange({ ...(kind === '' ? {} : { kind }), ...(month === '' ? {} : { month }) });
  };
  return (
    <div className="mb-4 grid grid-cols-1 items-end gap-3 sm:grid-cols-[1fr_1fr_auto]">
      <Select
        label={t('web.history.kind')}
        value={filter.kind ?? ''}
        placeholder={t('web.history.allKinds')}
        onChange={({ target }) => set({ kind: target.value })}
        options={kinds.map((kind) => ({ value: kind, text: kindText(kind) }))}
      />
      <Select
        label={t('web.history.month')}
        value={filter.month ?? ''}
        placeholder={t('web.history.anyMonth')}
        onChange={({ target }) => set({ month: target.value })}
        options={months.map((month) => ({ value: month, text: monthText(month, i18n.language) }))}
      />
      {some === undefined
        ? null
        : (
          <Link
            to={`/account/tokens/statement/${filter.month ?? some}`}
            className="inline-flex min-h-11 items-center gap-2 text-sm text-link hover:underline"
          >
            <ReceiptText size={20} aria-hidden />
            {t('web.history.statement', { month: monthText(filter.month ?? some, i18n.language) })}
          </Link>
        )}
      <ReadError read={all.error ? all : statement} />
    </div>
  );
}

function Entries({ entries, filtered, onClear }: {
  entries: readonly Entry[];
  filtered: boolean;
  onClear: () => void;
}) {
  const { t } = useTranslation('ledger');
  if (entries.length === 0) {
    return filtered
      ? (
        <EmptyState
          text={t('web.history.none')}
          action={<Button onClick={onClear}>{t('web.history.all')}</Button>}
        />
      )
      : <EmptyState text={t('web.history.empty')} />;
  }
  return <EntryTable entries={entries} />;
}
