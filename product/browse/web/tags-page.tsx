import type { Problem } from '#platform/contract/client.ts';
import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { describedBy } from '#platform/ui/calls/head.ts';
import { read, routeData } from '#platform/ui/calls/route.ts';
import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { Pager } from '#platform/ui/controls/lists/pager.tsx';
import { Heading, Title, Wide } from '#platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Tag } from 'lucide-react';
import { isRouteErrorResponse, Link, NavLink, useParams, useRouteError, useSearchParams } from 'react-router';
import { tagIndex, tagsOfGender } from '../client.ts';
import type { TagsDataView } from '../contract/tags.ts';
import { MAX_TAG_PAGES, TAG_SORTS, type TagSort } from '../rules/popular/tags.ts';
import { FOUR_SECTIONS, sectionNamed } from './four-sections.ts';

/** Sort and page in an address; invalid values are ignored. */
function askedOf(query: URLSearchParams): { sort?: TagSort; page?: number } {
  const sort = TAG_SORTS.find((text) => text === query.get('sort'));
  const page = Number(query.get('page'));
  const isPage = Number.isInteger(page) && page > 1 && page <= MAX_TAG_PAGES;
  return { ...(sort ? { sort } : {}), ...(isPage ? { page } : {}) };
}

const load = routeData({
  texts: ['browse'],
  reads: ({ params: { gender }, request }) => {
    const asked = askedOf(new URL(request.url).searchParams);
    return [gender === undefined ? read(tagIndex, asked) : read(tagsOfGender, { gender, ...asked })];
  },
});
export { load as clientLoader, load as loader };
export const handle = describedBy((language) => language.translator('browse')('tags.lead'));

/** All tags of live performers, or those of one gender; each links to its listing. */
export default function TagsPage() {
  const { t } = useTranslation('browse');
  const { gender } = useParams();
  const section = sectionNamed(gender);
  const [query] = useSearchParams();
  const asked = askedOf(query);
  const index = useRead(tagIndex, asked, { enabled: gender === undefined, keep: true });
  const ofGender = useRead(tagsOfGender, { gender: gender ?? '', ...asked }, {
    enabled: gender !== undefined,
    keep: true,
  });
  const { data, error, refetch } = gender === undefined ? index : ofGender;
  return (
    <Wide title={section ? t(`tags.titleOf.${section}`) : t('tags.title')} lead={t('tags.lead')}>
      <TagLists />
      {data
        ? <Tags data={data} base={section ? `/tags/${section}` : '/tags'} />
        : error
        ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
        : <Skeleton className="mt-6 h-64" />}
    </Wide>
  );
}

const CHIP = 'inline-flex min-h-11 items-center gap-2 rounded-full border border-line px-4 text-sm '
  + 'font-medium hover:bg-raised aria-[current]:border-pink aria-[current]:bg-raised';

/** Links to the list of all tags and to those of each gender. */
function TagLists() {
  const { t } = useTranslation('browse');
  return (
    <nav aria-label={t('tags.lists')} className="flex flex-wrap gap-2">
      <NavLink to="/tags" end className={CHIP}>{t('tags.all')}</NavLink>
      {FOUR_SECTIONS.map((section) => (
        <NavLink key={section} to={`/tags/${section}`} className={CHIP}>{t(`section.${section}`)}</NavLink>
      ))}
    </nav>
  );
}

function Tags({ data, base }: { data: TagsDataView; base: string }) {
  const { t } = useTranslation('browse');
  if (data.tag_count === 0) {
    return (
      <EmptyState
        icon={<Tag size={28} aria-hidden />}
        text={t('tags.empty')}
        action={<ButtonLink to="/">{t('tags.emptyAction')}</ButtonLink>}
      />
    );
  }
  const sortQuery = data.sort === 'popular' ? '' : `sort=${data.sort}`;
  return (
    <>
      <div className="mt-6 flex flex-wrap items-center justify-between gap-3">
        <p className="tabular text-sm text-muted">{t('tags.count', { count: data.tag_count })}</p>
        <Sorts base={base} current={data.sort} />
      </div>
      <ul aria-label={t('tags.title')} className="mt-3 flex flex-wrap gap-2">
        {data.tag_list.map(({ tag, name, count, path }) => (
          <li key={tag}>
            <TagLink name={name} count={count} path={path} />
          </li>
        ))}
      </ul>
      <Pager
        page={data.page}
        pages={Math.ceil(data.tag_count / data.perPageCount)}
        to={(page) => addressOf(base, sortQuery, page === 1 ? '' : `page=${page}`)}
      />
      {data.combo.length > 0
        ? (
          <section className="mt-8">
            <h2 className="text-lg font-bold">{t('tags.together')}</h2>
            <ul className="mt-3 flex flex-wrap gap-2">
              {data.combo.map(({ name, count, path }) => (
                <li key={path}>
                  <TagLink name={name} count={count} path={path} />
                </li>
              ))}
            </ul>
          </section>
        )
        : null}
    </>
  );
}

function addressOf(base: string, ...parts: readonly string[]): string {
  const query = parts.filter((part) => part !== '').join('&');
  return query === '' ? base : `${base}?${query}`;
}

function TagLink({ name, count, path }: { name: string; count: number; path: string }) {
  const { t } = useTranslation('browse');
  return (
    <Link to={path} className={CHIP}>
      <span>{name}</span>
      <span className="tabular text-xs text-muted">{t('tags.live', { count })}</span>
    </Link>
  );
}

/** The orders of the list, as links that work before scripts do. */
function Sorts({ base, current }: { base: string; current: TagSort }) {
  const { t } = useTranslation('browse');
  return (
    <nav aria-label={t('tags.sort')} className="flex flex-wrap items-center gap-2">
      <span aria-hidden className="text-sm text-muted">{t('tags.sort')}</span>
      {TAG_SORTS.map((sort) => (
        <Link
          key={sort}
          to={addressOf(base, sort === 'popular' ? '' : `sort=${sort}`)}
          className={CHIP}
          aria-current={sort === current ? 'true' : undefined}
        >
          {t(`tags.sorts.${sort}`)}
        </Link>
      ))}
    </nav>
  );
}

/** The address has no tag list: the page says so, and links to the existing ones. */
export function ErrorBoundary() {
  const { t } = useTranslation('browse');
  const error = useRouteError();
  if (!isRouteErrorResponse(error)) throw error;
  if (error.status !== 404) {
    return <ErrorState problem={error.data as Problem} onRetry={() => globalThis.location.reload()} />;
  }
  return (
    <div className="mx-auto w-full max-w-6xl px-4 py-6">
      <Title>{t('tags.missing.title')}</Title>
      <Heading>{t('tags.missing.title')}</Heading>
      <p className="mt-2 mb-6 text-muted">{t('tags.missing.text')}</p>
      <TagLists />
    </div>
  );
}
