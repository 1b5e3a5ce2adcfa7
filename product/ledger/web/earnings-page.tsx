import type { OutputOf } from '#platform/contract/call.ts';
import { formatMoney } from '#platform/text/money.ts';
import { useCallAddress } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { routeData } from '#platform/ui/calls/route.ts';
import { ButtonLink, FileLink } from '#platform/ui/controls/button.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { EmptyState } from '#platform/ui/surfaces/states.tsx';
import { formatCount, TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { NameButton } from '#product/accounts/web/name-button.tsx';
import { ChevronDown, Download, HandCoins } from 'lucide-react';
import { exportEarnings, getEarnings } from '../client.ts';
import { useKindText } from './history/kinds.ts';

const wanted = { texts: ['ledger'], always: true, member: true };
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

type Page = OutputOf<typeof getEarnings>;
type Day = Page['days'][number];

/** What a performer earned, by day, kind and show, so that it can be checked with a calculator. */
export default function EarningsPage() {
  const { t } = useTranslation('ledger');
  const addressOf = useCallAddress();
  const read = useReadPages(getEarnings, {});
  return (
    <Wide title={t('web.earnings.title')} lead={t('web.earnings.lead')}>
      <Loaded read={read} height="h-96">
        {({ pages: [first, ...rest] }) => (first
          ? (
            <div className="flex flex-col gap-6">
              <div className="flex flex-wrap items-end justify-between gap-4">
                <Figures page={first} />
                <FileLink href={addressOf(exportEarnings, {})} icon={<Download size={20} aria-hidden />}>
                  {t('web.history.csv')}
                </FileLink>
              </div>
              <Days days={[first, ...rest].flatMap(({ days }) => days)} hasOlder={first.next !== null} />
              <MorePages read={read} />
              <p className="text-xs text-muted">{t('web.earnings.note')}</p>
            </div>
          )
          : null)}
      </Loaded>
    </Wide>
  );
}

function useMoney(): (cents: number) => string {
  const { i18n } = useTranslation('ledger');
  return (cents) => formatMoney({ minor: cents, currency: 'USD' }, i18n.language);
}

/** An amount in tokens, with its value in money. */
function Amount({ tokens, cents, strong = false }: { tokens: number; cents: number; strong?: boolean }) {
  const money = useMoney();
  return (
    <span className="inline-flex flex-wrap items-baseline justify-end gap-x-2">
      <TokenAmount tokens={tokens} className={strong ? 'font-bold' : ''} />
      <span className="tabular text-muted">{money(cents)}</span>
    </span>
  );
}

/** The newest day, the newest days together, and the total. */
function Figures({ page }: { page: Page }) {
  const { t, i18n } = useTranslation('ledger');
  const tokens = page.days.reduce((sum, day) => sum + day.tokens, 0);
  const [newest] = page.days;
  const figures = [
    ...newest ? [[dayText(newest.day, i18n.language), newest.tokens, newest.cents] as const] : [],
    [t('web.earnings.month'), tokens, tokens * page.payout_cents] as const,
    [t('web.earnings.total'), page.total.tokens, page.total.cents] as const,
  ];
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-3 max-sm:grid max-sm:grid-cols-2 max-sm:gap-x-4">
      {figures.map(([name, amount, cents]) => (
        <div key={name}>
          <dt className="text-sm text-muted">{name}</dt>
          <dd className="text-xl">
            <Amount tokens={amount} cents={cents} strong />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** @param hasOlder there are earnings before the first page of days */
function Days({ days, hasOlder }: { days: readonly Day[]; hasOlder: boolean }) {
  const { t } = useTranslation('ledger');
  const most = Math.max(1, ...days.map(({ tokens }) => tokens));
  if (days.length === 0) {
    return (
      <EmptyState
        icon={<HandCoins size={28} aria-hidden />}
        text={t(hasOlder ? 'web.earnings.emptyMonth' : 'web.earnings.empty')}
        action={hasOlder ? undefined : <ButtonLink to="/go-live">{t('web.earnings.goLive')}</ButtonLink>}
      />
    );
  }
  return (
    <ol
      aria-label={t('web.earnings.days')}
      className="overflow-hidden rounded-card border border-line bg-surface"
    >
      {days.map((day) => (
        <li key={day.day} className="border-b border-line last:border-0">
          <DayRow day={day} share={Math.max(0, day.tokens) / most} />
        </li>
      ))}
    </ol>
  );
}

/** The day of a date from the ledger, in UTC. */
const dayText = (day: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day));

/** A day, with its kinds and shows collapsed. @param share of the best day, 0 to 1 */
function DayRow({ day, share }: { day: Day; share: number }) {
  const { t, i18n } = useTranslation('ledger');
  const kindText = useKindText();
  return (
    <details className="group">
      <summary className="flex min-h-11 cursor-pointer flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2
        -outline-offset-2 hover:bg-raised">
        <span className="w-28 shrink-0 font-medium">{dayText(day.day, i18n.language)}</span>
        <span
          aria-hidden
          className="h-2 min-w-16 grow basis-24 overflow-hidden rounded-full bg-raised
          max-sm:order-last max-sm:basis-full"
        >
          <span
            className="block h-full origin-left rounded-full bg-pink"
            style={{ transform: `scaleX(${share})` }}
          />
        </span>
        <span className="ml-auto">
          <Amount tokens={day.tokens} cents={day.cents} strong />
        </span>
        <ChevronDown size={20} aria-hidden className="shrink-0 text-muted group-open:rotate-180" />
      </summary>
      <div className="flex flex-col gap-4 px-4 pt-1 pb-4 text-sm">
        <Sums
          title={t('web.earnings.kinds')}
          rows={day.kinds.map((item) => ({
            ...item,
            key: item.kind,
            name: kindText(item.kind),
          }))}
        />
        {day.shows.length === 0
          ? null
          : (
            <Sums
              title={t('web.earnings.shows')}
              rows={day.shows.map((item) => ({
                ...item,
                key: `${item.kind} ${item.show}`,
                name: [
                  timeText(item.since, i18n.language),
                  kindText(item.kind),
                ].join(' · '),
              }))}
            />
          )}
        {day.more_shows > 0
          ? (
            <p className="text-muted">
              {t('web.earnings.moreShows', {
                count: day.more_shows,
                shows: formatCount(day.more_shows, i18n.language),
              })}
            </p>
          )
          : null}
      </div>
    </details>
  );
}

/** The time of day of a moment from the ledger, in UTC like its days. */
const timeText = (at: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' }).format(new Date(at));

function Sums({ title, rows }: {
  title: string;
  rows: readonly {
    key: string;
    name: string;
    payer?: string | null;
    count: number;
    tokens: number;
    cents: number;
  }[];
}) {
  const { t, i18n } = useTranslation('ledger');
  return (
    <table className="tabular w-full text-left [&_td]:py-1.5 [&_th]:py-1.5">
      <thead>
        <tr className="border-b border-line text-muted [&>th]:font-medium">
          <th scope="col">{title}</th>
          <th scope="col" className="text-right">{t('web.statement.count')}</th>
          <th scope="col" className="text-right">{t('web.earnings.amount')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key} className="border-b border-line last:border-0">
            <th scope="row" className="min-w-0 pr-3 font-normal break-words">
              {row.name}
              {row.payer
                ? (
                  <>
                    {' · '}
                    <NameButton named={{ username: row.payer }} />
                  </>
                )
                : null}
            </th>
            <td className="text-right">{formatCount(row.count, i18n.language)}</td>
            <td className="text-right">
              <Amount tokens={row.tokens} cents={row.cents} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
