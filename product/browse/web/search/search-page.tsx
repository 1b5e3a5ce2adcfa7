import { useReadPages } from '#platform/ui/calls/pages.ts';
import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { Heading, Title } from '#platform/ui/surfaces/page.tsx';
import { EmptyState } from '#platform/ui/surfaces/states.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Search } from 'lucide-react';
import { useSearchParams } from 'react-router';
import { multiFilter } from '../../client.ts';
import { inputOf, queryOf, SEARCHING, withValue } from './query.ts';
import { ADVANCED_PATH, loadSearch } from './results/load.ts';
import { Results } from './results/results.tsx';
import { Saved } from './saved.tsx';
import { WordsForm } from './words-form.tsx';

export const loader = loadSearch(true);
export const clientLoader = loadSearch(false);

const PATH = '/search';

/** Performers who match the typed words, with a link to the advanced search. */
export default function SearchPage() {
  const { t, i18n } = useTranslation('browse');
  const [query, setQuery] = useSearchParams();
  const input = inputOf(query);
  const { q } = input;
  const read = useReadPages(multiFilter, input, { ...SEARCHING, keep: true, enabled: q !== undefined });
  const last = q === undefined ? undefined : read.data?.pages.at(-1);
  const title = q === undefined ? t('search.title') : t('search.titleFor', { q });
  const more = queryOf(input);
  return (
    <div className="mx-auto w-full max-w-[1800px] px-3 pb-8 sm:px-6">
      <Title>{title}</Title>
      <meta name="description" content={t('search.begin')} />
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 py-4">
        <Heading>{title}</Heading>
        {last
          ? (
            <p role="status" className="tabular text-sm text-muted">
              {t('search.found', {
                count: last.totalCount,
                amount: formatCount(last.totalCount, i18n.language),
              })}
            </p>
          )
          : null}
      </div>
      <div className="flex flex-wrap items-end gap-3 pb-4">
        <WordsForm words={q ?? ''} onSubmit={(words) => setQuery(queryOf(withValue(input, 'q', words)))} />
        <ButtonLink to={more === '' ? ADVANCED_PATH : `${ADVANCED_PATH}?${more}`} tone="quiet">
          {t('search.advanced')}
        </ButtonLink>
      </div>
      {q === undefined
        ? <EmptyState icon={<Search size={28} aria-hidden />} text={t('search.begin')} />
        : <Results read={read} input={input} path={PATH} />}
      <Saved query={more} path={PATH} />
    </div>
  );
}
