import { keyOf } from '#platform/text/message-keys.ts';
import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Select, TextField } from '#platform/ui/controls/fields.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { textOf, useFields } from '#platform/ui/forms/form.ts';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { formatCount, RelativeTime, TokenAmount } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { PersonButton } from '#product/rooms/web/person-card.tsx';
import { useState } from 'react';
import { listReceivedTips, listSentTips, listTipDays } from '../client.ts';
import { MENU_TYPE, SPLIT_TYPE } from '../rules.ts';

type Side = 'sent' | 'received';
interface Filters {
  readonly day?: string;
  readonly type?: string;
  readonly with?: string;
}
/** A sent or received tip. */
interface Line {
  readonly id: number;
  /** Null for an anonymous tip. */
  readonly who: string | null;
  readonly tokens: number;
  readonly type: string;
  readonly title: string | null;
  readonly comment: string;
  readonly at: string;
}

const TYPES = ['tip', MENU_TYPE, SPLIT_TYPE] as const;
const isNamed = (type: string): boolean => (TYPES as readonly string[]).includes(type);

/** Sent or received tips: days with their sums, filters, and all matching tips. */
export function TipHistory({ side }: { side: Side }) {
  const [filters, setFilters] = useState<Filters>({});
  return (
    <div className="flex flex-col gap-6">
      <FilterForm key={JSON.stringify(filters)} side={side} filters={filters} onFilter={setFilters} />
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,3fr)]">
        <Days side={side} onDay={(day) => setFilters({ ...filters, day })} />
        <Lines side={side} filters={filters} />
      </div>
    </div>
  );
}

function FilterForm({ side, filters, onFilter }: {
  side: Side;
  filters: Filters;
  onFilter: (filters: Filters) => void;
}) {
  const { t } = useTranslation('tips');
  const form = useFields({
    read: (fields) => ({
      day: textOf(fields, 'day'),
      type: textOf(fields, 'type'),
      with: textOf(fields, 'with').trim(),
    }),
    onSubmit: (typed) =>
      onFilter(Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== ''))),
  });
  return (
    <form {...form.props} className="grid grid-cols-1 items-end gap-3 sm:grid-cols-2 lg:grid-cols-4">
      <TextField
        {...form.field('day')}
        label={t('history.day')}
        type="date"
        defaultValue={filters.day ?? ''}
      />
      <Select
        {...form.field('type')}
        label={t('history.kind')}
        defaultValue={filters.type ?? ''}
        placeholder={t('history.anyType')}
        options={TYPES.map((type) => ({ value: type, text: t(`history.type.${type}`) }))}
      />
      <TextField
        {...form.field('with')}
        label={t(`history.who.${side}`)}
        autoComplete="off"
        maxLength={64}
        defaultValue={filters.with ?? ''}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit">{t('history.filter')}</Button>
        {Object.keys(filters).length > 0
          ? <Button tone="quiet" onClick={() => onFilter({})}>{t('history.clear')}</Button>
          : null}
      </div>
    </form>
  );
}

function Days({ side, onDay }: { side: Side; onDay: (day: string) => void }) {
  const { t, i18n } = useTranslation('tips');
  const { data, error, refetch } = useRead(listTipDays, { side });
  if (!data) {
    return error
      ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
      : <Skeleton className="h-32" />;
  }
  if (data.days.length === 0) return null;
  const dayText = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeZone: 'UTC' });
  return (
    <Table
      caption={t('history.days')}
      rows={data.days}
      keyOf={({ day }) => day}
      columns={[
        {
          key: 'day',
          text: t('history.day'),
          cell: ({ day }) => (
            <button
              type="button"
              onClick={() => onDay(day)}
              className="min-h-11 text-link underline"
            >
              {dayText.format(new Date(day))}
            </button>
          ),
        },
        {
          key: 'tips',
          text: t('history.tips'),
          numeric: true,
          cell: ({ tips }) => formatCount(tips, i18n.language),
        },
        {
          key: 'tokens',
          text: t('history.tokens'),
          numeric: true,
          cell: ({ tokens }) => <TokenAmount tokens={tokens} />,
        },
      ]}
    />
  );
}

/** Sent or received tips, page by page: only the call for that side is made. */
function useLines(side: Side, filters: Filters) {
  const sent = useReadPages(listSentTips, filters, { enabled: side === 'sent', keep: true });
  const received = useReadPages(listReceivedTips, filters, { enabled: side === 'received', keep: true });
  const lines: readonly Line[] | undefined = side === 'sent'
    ? sent.data?.pages.flatMap(({ tips }) => tips.map((tip) => ({ ...tip, who: tip.receiver_name })))
    : received.data?.pages.flatMap(({ tips }) => tips.map((tip) => ({ ...tip, who: tip.sender_name })));
  return { lines, read: side === 'sent' ? sent : received };
}

function Lines({ side, filters }: { side: Side; filters: Filters }) {
  const { t } = useTranslation('tips');
  const { lines, read } = useLines(side, filters);
  if (!lines) {
    return read.error
      ? <ErrorState problem={problemOf(read.error)} onRetry={() => void read.refetch()} />
      : <Skeleton className="h-48" />;
  }
  if (lines.length === 0) {
    return <EmptyState text={t(Object.keys(filters).length > 0 ? 'history.none' : 'history.empty')} />;
  }
  return (
    <div className="flex flex-col">
      <LineTable side={side} lines={lines} />
      <MorePages read={read} />
    </div>
  );
}

function LineTable({ side, lines }: { side: Side; lines: readonly Line[] }) {
  const { t } = useTranslation('tips');
  const what = ({ type, title }: Line): string =>
    title ?? (isNamed(type) ? t(keyOf('tips', 'history.type', type)) : type);
  const columns: readonly Column<Line>[] = [
    { key: 'when', text: t('history.when'), cell: ({ at }) => <RelativeTime at={at} /> },
    {
      key: 'who',
      text: t(`history.who.${side}`),
      cell: (line) => (
        <>
          {line.who === null ? <em>{t('anonymousName')}</em> : <PersonButton username={line.who} />}
          <span className="line-clamp-2 text-xs break-words text-muted sm:hidden">
            <Typed>{what(line)}</Typed>
            {line.comment === '' ? null : (
              <>
                : <Typed>{line.comment}</Typed>
              </>
            )}
          </span>
        </>
      ),
    },
    {
      key: 'tokens',
      text: t('history.tokens'),
      numeric: true,
      cell: ({ tokens }) => <TokenAmount tokens={tokens} />,
    },
    { key: 'what', text: t('history.what'), wide: true, cell: (line) => <Typed>{what(line)}</Typed> },
    {
      key: 'message',
      text: t('history.message'),
      wide: true,
      cell: ({ comment }) => <Typed>{comment}</Typed>,
    },
  ];
  return <Table caption={t('history.title')} columns={columns} rows={lines} keyOf={({ id }) => id} />;
}
