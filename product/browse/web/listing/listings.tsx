import type { Problem } from '#platform/contract/client.ts';
import { problemOf, useCache, useRead } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Pager } from '#platform/ui/controls/lists/pager.tsx';
import { Heading, Title } from '#platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { LogIn, VideoOff } from 'lucide-react';
import { lazy, Suspense, useMemo, useState, type ReactNode } from 'react';
import { Navigate, useLocation, useSearchParams } from 'react-router';
import { browseLive, browseMore } from '../../client.ts';
import type { BrowseDataView } from '../../contract.ts';
import { listingOf, type Listing } from '../../rules/listing/listings.ts';
import { seoTexts } from '../../rules/seo.ts';
import { CasaSalsaImage } from '../campaigns/casa-salsa-image.tsx';
import { ForYouOff, ForYouSettings } from '../history/for-you.tsx';
import { homeWords, listingNamesIn, siteNameIn } from '../seo/site-words.ts';
import type { Entry } from '../tile.tsx';
import { Breadcrumbs, Explore, FooterText, Related, Sections, Tabs } from './around.tsx';
import { inputOf, pageAddress } from './choices.ts';
import { FilterRow } from './filters.tsx';
import { Grid, GridSkeleton, useSteady } from './grid.tsx';
import { SCROLLING, UNUSED_MS, type Loaded } from './load.ts';
import { ScrollEnd } from './scroll-end.tsx';

/** Only for listings of ticket shows. */
const RecordedShows = lazy(() => import('./recorded-shows.tsx'));

/** How often a listing refreshes while the tab is visible. */
const REFRESH_MS = 15_000;
/** After more loads than this, the listing refreshes only when the viewer returns to it. */
const MAX_REFRESHED_LOADS = 2;

interface ListingProps {
  readonly listing: Listing;
  readonly loaded: Loaded;
}

/** A listing by pages, with the page in the address. */
export function PagedListing({ listing, loaded }: ListingProps) {
  const [query] = useSearchParams();
  const isClosed = useIsClosed(listing);
  const input = inputOf(listing, query, loaded);
  const { data, error, refetch, isPlaceholderData: isOld } = useRead(browseLive, input, {
    everyMs: REFRESH_MS,
    keep: true,
    unusedMs: UNUSED_MS,
    enabled: !isClosed,
  });
  const entries = useMemo(() => data?.userList ?? [], [data]);
  return (
    <Frame listing={listing} loaded={loaded} data={data} entries={entries}>
      {isClosed
        ? <LogInFirst kind={listing.kind} />
        : (
          <Shown
            key={JSON.stringify(input)}
            listing={listing}
            data={data}
            entries={entries}
            dimmed={isOld}
            problem={error ? problemOf(error) : loaded.problem}
            onRetry={() => void refetch()}
          >
            {data
              ? (
                <Pager
                  page={data.page}
                  pages={Math.ceil(data.totalCount / data.perPageCount)}
                  to={(page) => pageAddress(listing.path, query, page)}
                />
              )
              : null}
          </Shown>
        )}
    </Frame>
  );
}

/** A listing that adds performers while scrolling. */
export function ScrollingListing({ listing, loaded }: ListingProps) {
  const [query] = useSearchParams();
  const input = inputOf(listing, query, loaded);
  const [loads, setLoads] = useState(1);
  const read = useReadPages(browseMore, input, {
    ...SCROLLING,
    keep: true,
    unusedMs: UNUSED_MS,
    ...(loads <= MAX_REFRESHED_LOADS ? { everyMs: REFRESH_MS } : {}),
  });
  const { data, error, refetch, isPlaceholderData: isOld } = read;
  const first = data?.pages[0];
  const total = data?.pages.at(-1)?.totalCount ?? 0;
  const entries = useMemo(() => eachOnce(data?.pages ?? []), [data]);
  if (data && data.pages.length !== loads) setLoads(data.pages.length);
  return (
    <Frame listing={listing} loaded={loaded} data={first} entries={entries}>
      <Shown
        key={JSON.stringify(input)}
        listing={listing}
        data={first}
        entries={entries}
        dimmed={isOld}
        problem={error ? problemOf(error) : loaded.problem}
        onRetry={() => void refetch()}
      >
        {first && entries.length > 0
          ? <ScrollEnd read={read} shown={entries.length} total={total} />
          : null}
      </Shown>
    </Frame>
  );
}

/** Removes duplicates: a performer who moved between two loads is in both. */
function eachOnce(pages: readonly BrowseDataView[]): readonly Entry[] {
  const byId = new Map(pages.flatMap(({ userList }) => userList).map((entry) => [entry.id, entry]));
  return [...byId.values()];
}

/** A personal listing, for somebody who is not logged in. */
function useIsClosed({ isPersonal }: Listing): boolean {
  return useMe() === null && isPersonal;
}

interface FrameProps extends ListingProps {
  readonly data: BrowseDataView | undefined;
  readonly entries: readonly Entry[];
  readonly children: ReactNode;
}

/** The content around the tiles of every listing. */
function Frame({ listing, loaded, data, entries, children }: FrameProps) {
  const { t, i18n } = useTranslation('browse');
  const cache = useCache();
  const { kind, gender, withOffline } = listing;
  // Content above the tiles renders before them, so that loading moves nothing.
  const seo = data?.seo
    ?? seoTexts(listing, {
      say: t,
      locale: i18n.language,
      total: 0,
      siteName: siteNameIn(cache),
      names: listingNamesIn(cache),
    });
  const own = homeWords(cache).h1_content;
  const heading = kind === 'home' && own !== null ? own : seo.h1;
  if (data?.redirect) return <Navigate to={data.redirect} replace />;
  return (
    <div className="mx-auto w-full max-w-[1800px] px-3 pb-8 sm:px-6">
      <Title>{heading}</Title>
      <Sections />
      {kind === 'home' ? null : <Breadcrumbs links={seo.breadcrumbList} />}
      <div className="flex items-baseline justify-between gap-4 pt-3">
        <Heading>{heading}</Heading>
        {data && !data.isOff
          ? (
            <p className="tabular shrink-0 text-sm text-muted">
              {t(withOffline ? 'list.count' : 'count', {
                amount: formatCount(data.totalCount, i18n.language),
                count: data.totalCount,
              })}
            </p>
          )
          : null}
      </div>
      <p className="max-w-prose pb-2 text-sm text-muted">{seo.description}</p>
      <Instead heading={heading} />
      {data && kind === 'forYou' && !data.isOff ? <ForYouSettings /> : null}
      {listing.path === '/casa-salsa' ? <CasaSalsaImage /> : null}
      {data ? <Tabs tabs={data.tabList} /> : null}
      {kind === 'ticket'
        ? (
          <Suspense
            fallback={
              <div aria-busy>
                <Skeleton className="h-48" />
              </div>
            }
          >
            <RecordedShows gender={gender} heading={heading} />
          </Suspense>
        )
        : null}
      <FilterRow listing={listing} entries={entries} choices={loaded} />
      <div className="pt-2">{children}</div>
      {data
        ? (
          <>
            {kind === 'gender' || kind === 'home'
              ? <Explore gender={gender} paths={data.exploreList ?? []} names={listingNamesIn(cache)} />
              : <Related links={seo.relatedLinks} />}
            <FooterText html={seo.footerHtml} />
          </>
        )
        : null}
    </div>
  );
}

/** Says that the address has no listing, where its section is shown instead. */
function Instead({ heading }: { readonly heading: string }) {
  const { t } = useTranslation('browse');
  const { pathname } = useLocation();
  if (listingOf(pathname) !== null) return null;
  return (
    <p className="mb-2 rounded-card border border-line bg-surface px-4 py-3 text-sm">
      {t('list.instead', { heading })}
    </p>
  );
}

interface ShownProps extends Omit<FrameProps, 'loaded'> {
  /** Tiles of the previous page or filter, until those of this one are loaded. */
  readonly dimmed: boolean;
  readonly problem: Problem | null;
  readonly onRetry: () => void;
}

/** The tiles; or why there are none. */
function Shown({ listing, data, entries, dimmed, problem, onRetry, children }: ShownProps) {
  const { t } = useTranslation('browse');
  const tiles = useSteady(entries);
  if (!data) {
    return problem
      ? <ErrorState text={problem.message || t('list.failed')} problem={problem} onRetry={onRetry} />
      : <GridSkeleton />;
  }
  if (data.isOff) return <ForYouOff />;
  if (tiles.length === 0) return <Empty listing={listing} data={data} onRefresh={onRetry} />;
  const isRanking = listing.kind === 'top' || listing.kind === 'leaders';
  return (
    <>
      <Grid
        entries={tiles}
        dimmed={dimmed}
        eager
        {...(isRanking ? { firstRank: (data.page - 1) * data.perPageCount + 1 } : {})}
      />
      {children}
    </>
  );
}

/** Nobody is here: links to other listings, and alternative performers. */
function Empty({ listing: { kind, path }, data, onRefresh }: {
  readonly listing: Listing;
  readonly data: BrowseDataView;
  readonly onRefresh: () => void;
}) {
  const { t } = useTranslation('browse');
  const { search } = useLocation();
  const isFiltered = search !== '';
  const way = isFiltered
    ? <ButtonLink to={path}>{t('filter.clear')}</ButtonLink>
    : kind === 'home'
    ? <Button onClick={onRefresh}>{t('refresh')}</Button>
    : <ButtonLink to="/">{t('emptyAction')}</ButtonLink>;
  const text = isFiltered
    ? t('list.emptyFiltered')
    : kind === 'followed'
    ? t('list.emptyFollowed')
    : t('empty');
  return (
    <>
      <EmptyState icon={<VideoOff size={28} aria-hidden />} text={text} action={way} />
      {data.alternativeUserList.length === 0 ? null : (
        <section aria-label={t('list.alternatives')}>
          <h2 className="pb-3 text-base font-bold">{t('list.alternatives')}</h2>
          <Grid entries={data.alternativeUserList} />
        </section>
      )}
    </>
  );
}

/** A personal listing needs an account; not an error, because nothing went wrong. */
function LogInFirst({ kind }: Pick<Listing, 'kind'>) {
  const { t } = useTranslation('browse');
  const { pathname } = useLocation();
  const next = `?next=${encodeURIComponent(pathname)}`;
  return (
    <EmptyState
      icon={<LogIn size={28} aria-hidden />}
      text={t(kind === 'followed' ? 'list.logInFollowed' : 'list.logIn')}
      action={
        <div className="flex flex-wrap justify-center gap-3">
          <ButtonLink tone="primary" to={`/login${next}`}>{t('list.logInNow')}</ButtonLink>
          <ButtonLink to={`/register${next}`}>{t('list.signUp')}</ButtonLink>
        </div>
      }
    />
  );
}
