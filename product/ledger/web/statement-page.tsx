import { formatMoney } from '#platform/text/money.ts';
import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { read, routeData } from '#platform/ui/calls/route.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { formatCount, TokenAmount } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { getSiteConfig } from '#product/site/client.ts';
import { Printer } from 'lucide-react';
import { useEffect } from 'react';
import { useParams } from 'react-router';
import { getHistory, getStatement } from '../client.ts';
import { useKindText } from './history/kinds.ts';
import { LineTable } from './history/line-table.tsx';
import { monthText } from './values.tsx';
import type { Statement } from './views.ts';

/** Lines of one request, the maximum of the call. */
const LINES = 100;
/** Sequential requests at most: a thousand lines can be printed; for more there is the file. */
const MAX_PAGES = 10;

const wanted = {
  texts: ['ledger'],
  always: true,
  member: true,
  reads: ({ params }: { params: Record<string, string | undefined> }) => [
    read(getStatement, { month: params['month'] ?? '' }),
  ],
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** The statement of a month; in print it is the only content. */
export default function StatementPage() {
  const { t, i18n } = useTranslation('ledger');
  const { month = '' } = useParams();
  const me = useMe();
  const statement = useRead(getStatement, { month });
  // In print nothing else shows whose statement it is.
  const site = useRead(getSiteConfig, {}, { enabled: false }).data?.site;
  const title = t('web.statement.title', { month: monthText(month, i18n.language) });
  return (
    <Wide title={title}>
      <div className="flex max-w-3xl flex-col gap-6 text-sm">
        <p className="text-muted">
          {me
            ? (
              <span className="block">
                <Typed>{me.user.display_name}</Typed> · @{me.user.username}
              </span>
            )
            : null}
          {site ? <span className="block">{site.display_name} · {site.main_domain_url}</span> : null}
        </p>
        <Loaded read={statement} height="h-96">{(answer) => <Sums statement={answer} />}</Loaded>
        <div className="flex flex-wrap gap-3 print:hidden">
          <Button icon={<Printer size={20} aria-hidden />} onClick={() => window.print()}>
            {t('web.statement.print')}
          </Button>
          <ButtonLink to="/account/tokens/history" tone="quiet">{t('web.statement.back')}</ButtonLink>
        </div>
      </div>
    </Wide>
  );
}

function Sums({ statement }: { statement: Statement }) {
  const { t, i18n } = useTranslation('ledger');
  const { month, kinds, purchased } = statement;
  return (
    <>
      <SumTable statement={statement} />
      {purchased.money.length === 0 ? null : (
        <p>
          {t('web.statement.purchased', {
            tokens: formatCount(purchased.tokens, i18n.language),
            money: new Intl.ListFormat(i18n.language)
              .format(purchased.money.map((paid) => formatMoney(paid, i18n.language))),
          })}
        </p>
      )}
      {kinds.length === 0
        ? <EmptyState text={t('web.statement.empty')} />
        : <Lines month={month} />}
      <p className="text-xs text-muted">{t('web.statement.note')}</p>
    </>
  );
}

/** Opening and closing balance, credits and debits by kind and in all, to be checked with a calculator. */
function SumTable({ statement }: { statement: Statement }) {
  const { t, i18n } = useTranslation('ledger');
  const kindText = useKindText();
  const { opening, closing, credited, spent, kinds } = statement;
  return (
    <div className="overflow-hidden rounded-card border border-line bg-surface">
      <table className="tabular w-full text-left [&_td]:px-3 [&_td]:py-2 [&_th]:px-3 [&_th]:py-2">
        <caption className="sr-only">{t('web.statement.sums')}</caption>
        <tbody>
          <BalanceRow text={t('web.statement.opening')} tokens={opening} />
        </tbody>
        <tbody>
          <tr className="border-b border-line text-muted [&>th]:font-medium">
            <th scope="col">{t('web.history.kind')}</th>
            <th scope="col" className="text-right">{t('web.statement.count')}</th>
            <th scope="col" className="text-right">{t('web.statement.credited')}</th>
            <th scope="col" className="text-right">{t('web.statement.spent')}</th>
          </tr>
          {kinds.map((item) => (
            <tr key={item.kind} className="border-b border-line">
              <th scope="row" className="font-normal">{kindText(item.kind)}</th>
              <td className="text-right">{formatCount(item.count, i18n.language)}</td>
              <td className="text-right">{amountOf(item.credited)}</td>
              <td className="text-right">{amountOf(item.spent)}</td>
            </tr>
          ))}
          <tr className="border-b border-line">
            <th scope="row" colSpan={2} className="font-medium">{t('web.statement.all')}</th>
            <td className="text-right font-medium">
              <TokenAmount tokens={credited} />
            </td>
            <td className="text-right font-medium">
              <TokenAmount tokens={spent} />
            </td>
          </tr>
        </tbody>
        <tbody>
          <BalanceRow text={t('web.statement.closing')} tokens={closing} />
        </tbody>
      </table>
    </div>
  );
}

const amountOf = (tokens: number) => (tokens === 0 ? '' : <TokenAmount tokens={tokens} />);

function BalanceRow({ text, tokens }: { text: string; tokens: number }) {
  return (
    <tr className="border-b border-line bg-raised font-bold [tbody:last-child>&]:border-0">
      <th scope="row" colSpan={3}>{text}</th>
      <td className="text-right">
        <TokenAmount tokens={tokens} />
      </td>
    </tr>
  );
}

/** The lines of a month, loaded page after page, as many as are sensible to print. */
function Lines({ month }: { month: string }) {
  const { t } = useTranslation('ledger');
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useReadPages(getHistory, {
    month,
    limit: LINES,
  });
  const pages = data?.pages ?? [];
  const isCut = hasNextPage && pages.length >= MAX_PAGES;
  const isMissing = hasNextPage && !isCut && !isFetching && error === null;
  useEffect(() => {
    if (isMissing) void fetchNextPage();
  }, [isMissing, fetchNextPage]);
  return (
    <>
      {data ? <LineTable lines={pages.flatMap(({ lines }) => lines)} /> : null}
      {isCut ? <p>{t('web.statement.cut')}</p> : null}
      {error ? <ErrorState problem={problemOf(error)} onRetry={() => void fetchNextPage()} /> : null}
      {error === null && (!data || (hasNextPage && !isCut))
        ? (
          <div aria-busy>
            <Skeleton className="h-64" />
          </div>
        )
        : null}
    </>
  );
}
