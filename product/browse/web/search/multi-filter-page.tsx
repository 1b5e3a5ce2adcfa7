import { useReadPages, type PagesRead } from '#platform/ui/calls/pages.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Select } from '#platform/ui/controls/fields.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { Heading, Title } from '#platform/ui/surfaces/page.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useServerClock } from '#platform/ui/time/server-clock.ts';
import { SlidersHorizontal } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { multiFilter } from '../../client.ts';
import { SORTS } from '../../rules/listing/ranking.ts';
import { inputOf, isFiltered, queryOf, SEARCHING, withValue, type SearchInput } from './query.ts';
import { Facets } from './results/facets.tsx';
import { ADVANCED_PATH, loadSearch } from './results/load.ts';
import { forgetSearch, leftSearch, rememberSearch } from './results/memory.ts';
import { Results, type SearchAnswer } from './results/results.tsx';
import { Saved } from './saved.tsx';
import { WordsForm } from './words-form.tsx';

export const loader = loadSearch(true);
export const clientLoader = loadSearch(false);

/** The advanced search: filters with counts (at the side, on phones in a sheet), and who matches. */
export default function MultiFilterPage() {
  const { t, i18n } = useTranslation('browse');
  const [query, setQuery] = useSearchParams();
  const [isOpen, setOpen] = useState(false);
  const input = inputOf(query);
  const read = useReadPages(multiFilter, input, { ...SEARCHING, keep: true });
  useSearchMemory(input, read);
  const answer = read.data?.pages.at(-1);
  const change = (next: SearchInput) => setQuery(queryOf(next), { preventScrollReset: true });
  const found = answer
    ? { count: answer.totalCount, amount: formatCount(answer.totalCount, i18n.language) }
    : { count: 0, amount: '…' };
  const facets = <Facets counts={answer?.counts} input={input} onChange={change} />;
  const clear = isFiltered(input)
    ? <ButtonLink to={ADVANCED_PATH} tone="quiet">{t('search.clearFilters')}</ButtonLink>
    : null;
  return (
    <div className="mx-auto w-full max-w-[1800px] px-3 pb-8 sm:px-6">
      <Title>{t('search.advanced')}</Title>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 pt-4">
        <Heading>{t('search.advanced')}</Heading>
        {answer
          ? <p role="status" className="tabular text-sm text-muted">{t('search.found', found)}</p>
          : null}
      </div>
      <p className="pb-4 text-sm text-muted">{t('search.lead')}</p>
      <div className="flex flex-wrap items-end gap-3 pb-4">
        <WordsForm words={input.q ?? ''} onSubmit={(words) => change(withValue(input, 'q', words))} />
        <Select
          label={t('search.sortBy')}
          value={input.newSort ?? 'recommended'}
          options={SORTS.map((value) => ({ value, text: t(`search.sort.${value}`) }))}
          onChange={({ currentTarget: { value } }) =>
            change(withValue(input, 'newSort', value === 'recommended' ? '' : value))}
        />
        <span className="lg:hidden">
          <Button
            aria-haspopup="dialog"
            icon={<SlidersHorizontal size={20} aria-hidden />}
            onClick={() => setOpen(true)}
          >
            {t('search.filters')}
          </Button>
        </span>
      </div>
      <div className="flex items-start gap-6">
        <aside aria-label={t('search.filters')} className="hidden w-64 shrink-0 lg:block">
          {clear}
          {facets}
        </aside>
        <div className="min-w-0 grow">
          <Results read={read} input={input} path={ADVANCED_PATH} />
          <Saved query={queryOf(input)} path={ADVANCED_PATH} />
        </div>
      </div>
      {isOpen
        ? (
          <Dialog
            title={t('search.filters')}
            onClose={() => setOpen(false)}
            actions={
              <>
                {clear}
                <Button
                  tone="primary"
                  onClick={() => setOpen(false)}
                >
                  {t('search.show', found)}
                </Button>
              </>
            }
          >
            {facets}
          </Dialog>
        )
        : null}
    </div>
  );
}

/** Stores the search when it is left, and restores the list when somebody returns soon after. */
function useSearchMemory(input: SearchInput, read: PagesRead<SearchAnswer>): void {
  const navigate = useNavigate();
  const clock = useServerClock();
  const [left] = useState(() => leftSearch(clock.now()));
  const [wanted, setWanted] = useState(left?.pages ?? 1);
  const pages = read.data?.pages.length ?? 0;
  const now = useRef({ query: '', pages: 0 });
  now.current = { query: queryOf(input), pages };
  // A layout effect, because it must run at the moment of leaving.
  useLayoutEffect(() => {
    // The server rendered this document without the tab's stored search.
    if (left && left.query !== '' && location.search === '') {
      void navigate(`${ADVANCED_PATH}?${left.query}`, { replace: true });
    }
    forgetSearch();
    const leave = () => rememberSearch({ ...now.current, scrollY: window.scrollY }, clock.now());
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
    };
  }, [clock, left, navigate]);
  const { fetchNextPage, hasNextPage, isFetching, error } = read;
  // A document from the server shows everybody first.
  const isBack = left?.query === now.current.query;
  useEffect(() => {
    if (wanted <= 1 || !isBack || isFetching || pages === 0) return;
    if (pages < wanted && hasNextPage && !error) {
      void fetchNextPage();
      return;
    }
    setWanted(1);
    window.scrollTo({ top: left?.scrollY ?? 0 });
  }, [error, fetchNextPage, hasNextPage, isBack, isFetching, left, pages, wanted]);
}
