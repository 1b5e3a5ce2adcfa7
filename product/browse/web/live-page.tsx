import { VideoOff } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { NavLink, useLocation, useSearchParams } from 'react-router';
import { problemOf, useRead } from '../../../platform/ui/calls/calls.ts';
import { routeData, read } from '../../../platform/ui/calls/route.ts';
import { Button, ButtonLink } from '../../../platform/ui/controls/button.tsx';
import { Pager } from '../../../platform/ui/controls/lists/pager.tsx';
import { Heading, Title } from '../../../platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../../platform/ui/surfaces/states.tsx';
import { formatCount } from '../../../platform/ui/text/amounts.tsx';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import { browseLive } from '../client.ts';
import type { BrowseDataView } from '../contract.ts';
import { SECTIONS, sectionOf } from './sections.ts';
import { steady } from './steady.ts';
import { Tile, type Entry } from './tile.tsx';

/** How often the listing refreshes while the tab is visible. */
const REFRESH_MS = 15_000;
/** Tiles above the fold on a desktop, whose images load at once. */
const EAGER_TILES = 6;
const SKELETON_TILES = 18;

const inputOf = (pathname: string, page: string | null) => {
  const p = Number(page);
  return { path: sectionOf(pathname).path, ...(Number.isInteger(p) && p > 1 && p <= 1000 ? { p } : {}) };
};

const wanted = {
  texts: ['browse'],
  reads: ({ request }: { request: Request }) => {
    const { pathname, searchParams } = new URL(request.url);
    return [read(browseLive, inputOf(pathname, searchParams.get('p')))];
  },
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);

/** Home and the gender sections: who is live now. */
export default function LivePage() {
  const { t, i18n } = useTranslation('browse');
  const { pathname } = useLocation();
  const [query] = useSearchParams();
  const section = sectionOf(pathname);
  const input = inputOf(pathname, query.get('p'));
  const { data, error, refetch, isPlaceholderData } =
    useRead(browseLive, input, { everyMs: REFRESH_MS, keep: true });
  const title = t(`title.${section.id}`);
  return (
    <div className="mx-auto w-full max-w-[1800px] px-3 pb-8 sm:px-6">
      <Title>{title}</Title>
      <Sections />
      <div className="flex items-baseline justify-between gap-4 py-3 sm:py-4">
        <Heading>{title}</Heading>
        {data ? (
          <p className="tabular shrink-0 text-sm text-muted">
            {t('count', { amount: formatCount(data.totalCount, i18n.language) })}
          </p>
        ) : null}
      </div>
      {data ? (
        <Listing key={`${section.id} ${input.p ?? 1}`} data={data} dimmed={isPlaceholderData}
          isHome={section.id === 'home'} onRefresh={() => void refetch()}
          to={(page) => (page === 1 ? section.to : `${section.to}?p=${page}`)} />
      ) : error ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} /> : <Placeholder />}
    </div>
  );
}

/** Chips of the sections, on phones; wider windows have them in the header. */
function Sections() {
  const { t } = useTranslation('browse');
  return (
    <nav aria-label={t('sections')}
      className="sticky top-14 z-20 -mx-3 flex gap-2 overflow-x-auto bg-page/95 px-3 py-2 md:hidden">
      {SECTIONS.map(({ id, to }) => (
        <NavLink key={id} to={to} end
          className="inline-flex min-h-11 shrink-0 items-center rounded-full border border-line px-4 text-sm
            font-medium text-muted aria-[current=page]:border-pink aria-[current=page]:bg-raised
            aria-[current=page]:text-text">
          {t(`section.${id}`)}
        </NavLink>
      ))}
    </nav>
  );
}

const GRID = 'grid gap-3 grid-cols-[repeat(auto-fill,minmax(min(168px,calc(50%-6px)),1fr))] '
  + 'sm:gap-4 sm:grid-cols-[repeat(auto-fill,minmax(220px,1fr))]';

/** The entries in the order that stays on screen over refreshes. */
function useSteady(fresh: readonly Entry[]): readonly Entry[] {
  const [last, setLast] = useState({ fresh, shown: fresh });
  if (last.fresh === fresh) return last.shown;
  const shown = steady(last.shown, fresh);
  setLast({ fresh, shown });
  return shown;
}

/** Loads the code that plays clips after the page, so that nothing waits for it. */
function usePreviews(hasTiles: boolean) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const element = list.current;
    const started = element && import('./previews.ts').then((previews) => previews.startPreviews(element));
    return () => void started?.then((stop) => stop());
  }, [hasTiles]);
  return list;
}

interface ListingProps {
  readonly data: BrowseDataView;
  readonly dimmed: boolean;
  readonly isHome: boolean;
  readonly onRefresh: () => void;
  readonly to: (page: number) => string;
}

function Listing({ data, dimmed, isHome, onRefresh, to }: ListingProps) {
  const { t } = useTranslation('browse');
  const entries = useSteady(data.userList);
  const list = usePreviews(entries.length > 0);
  if (entries.length === 0) {
    return (
      <EmptyState icon={<VideoOff size={28} aria-hidden />} text={t('empty')}
        action={isHome ? <Button onClick={onRefresh}>{t('refresh')}</Button>
          : <ButtonLink to="/">{t('emptyAction')}</ButtonLink>} />
    );
  }
  return (
    <>
      <ul ref={list} aria-busy={dimmed}
        className={`${GRID} transition-opacity ${dimmed ? 'opacity-60' : ''}`}>
        {entries.map((entry, at) => (
          <li key={entry.id}><Tile entry={entry} eager={at < EAGER_TILES} /></li>
        ))}
      </ul>
      <Pager page={data.page} pages={Math.ceil(data.totalCount / data.perPageCount)} to={to} />
    </>
  );
}

function Placeholder() {
  const { t } = useTranslation('browse');
  return (
    <div className={GRID} role="status" aria-label={t('loading')}>
      {Array.from({ length: SKELETON_TILES }, (_, at) => (
        <Skeleton key={at} className="aspect-4/3 rounded-card" />
      ))}
    </div>
  );
}
