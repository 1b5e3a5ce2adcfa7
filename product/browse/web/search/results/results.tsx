import type { OutputOf } from '#platform/contract/call.ts';
import { problemOf } from '#platform/ui/calls/calls.ts';
import type { PagesRead } from '#platform/ui/calls/pages.ts';
import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { EmptyState, ErrorState } from '#platform/ui/surfaces/states.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { SearchX } from 'lucide-react';
import { useMemo } from 'react';
import type { multiFilter } from '../../../client.ts';
import { PARAMETER_OF, SEARCH_CATEGORIES } from '../../../rules/search/facets.ts';
import { Grid, GridSkeleton } from '../../listing/grid.tsx';
import { ScrollEnd } from '../../listing/scroll-end.tsx';
import type { Entry } from '../../tile.tsx';
import { queryOf, withValue, type SearchInput } from '../query.ts';

export type SearchAnswer = OutputOf<typeof multiFilter>;

interface ResultsProps {
  readonly read: PagesRead<SearchAnswer>;
  readonly input: SearchInput;
  readonly path: string;
}

/** Results of a search: tiles that grow while scrolling, help if nobody matches, or why the search failed. */
export function Results({ read, input, path }: ResultsProps) {
  const { t } = useTranslation('browse');
  const { data, error, refetch, isPlaceholderData: isOld } = read;
  const entries = useMemo(() => eachOnce(data?.pages ?? []), [data]);
  const last = data?.pages.at(-1);
  if (error && (!last || isOld)) {
    const problem = problemOf(error);
    // The server's text where it has one (spec 3 §8).
    return (
      <ErrorState
        problem={problem}
        text={problem.message || t('search.failed')}
        onRetry={() => void refetch()}
      />
    );
  }
  if (!last) return <GridSkeleton />;
  if (entries.length === 0) return <Nobody answer={last} input={input} path={path} />;
  return (
    <>
      <Grid entries={entries} dimmed={isOld} eager />
      <ScrollEnd read={read} shown={entries.length} total={last.totalCount} />
    </>
  );
}

/** Performers may move between pages while somebody scrolls. */
function eachOnce(pages: readonly SearchAnswer[]): readonly Entry[] {
  return [...new Map(pages.flatMap(({ userList }) => userList).map((entry) => [entry.id, entry])).values()];
}

/** Nobody matches: which filter to drop, how many that would give, and who is live anyway. */
function Nobody({ answer, input, path }: { answer: SearchAnswer } & Omit<ResultsProps, 'read'>) {
  const { t, i18n } = useTranslation('browse');
  const ways = SEARCH_CATEGORIES.map((category) => ({ category, count: answer.withoutFilter[category] ?? 0 }))
    .filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
  return (
    <>
      <EmptyState
        icon={<SearchX size={28} aria-hidden />}
        text={input.q ? t('search.noneFor', { q: input.q }) : t('search.none')}
        action={ways.length === 0
          ? <ButtonLink to={path}>{t('search.clearFilters')}</ButtonLink>
          : (
            <ul aria-label={t('search.loosen')} className="flex flex-wrap justify-center gap-2">
              {ways.map(({ category, count }) => (
                <li key={category}>
                  <ButtonLink to={`${path}?${queryOf(withValue(input, PARAMETER_OF[category], ''))}`}>
                    {t('search.without', {
                      category: t(`search.category.${category}`),
                      amount: formatCount(count, i18n.language),
                    })}
                  </ButtonLink>
                </li>
              ))}
            </ul>
          )}
      />
      {answer.alternativeUserList.length > 0
        ? (
          <section className="pt-4">
            <h2 className="pb-3 text-lg font-bold">{t('search.alternatives')}</h2>
            <Grid entries={answer.alternativeUserList} />
          </section>
        )
        : null}
    </>
  );
}
