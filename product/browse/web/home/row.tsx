import { IconButton } from '#platform/ui/controls/button.tsx';
import { VisuallyHidden } from '#platform/ui/surfaces/card.tsx';
import { Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import {
  useCallback,
  useDeferredValue,
  useEffect,
  useId,
  useState,
  type ReactNode,
  type RefObject,
} from 'react';
import { Link } from 'react-router';
import type { HomeSectionView, HomeView } from '../../contract/home.ts';
import { rowTitle } from '../../rules/home-titles.ts';
import { isInOrder } from '../../rules/home.ts';
import { LEARNED_ADDRESS } from '../history/for-you.tsx';
import { EAGER_TILES, usePreviews, useSteady } from '../listing/grid.tsx';
import type { Entry } from '../tile.tsx';
import { TileItem } from '../tiles/tile-item.tsx';
import { alongRow, useTileKeys } from '../tiles/tile-keys.ts';

/** Width of a tile in a row: a bit more than two fit on phones, to show that the row continues. */
const TILE = 'w-[min(168px,44vw)] shrink-0 snap-start sm:w-[180px]';
const LIST = 'flex gap-3 overflow-x-auto overscroll-x-contain snap-x scroll-p-1 p-1 -m-1 '
  + '[scrollbar-width:none]';
/** Share of the visible part that a button scrolls by: the last tile stays in sight. */
const STEP = 0.85;

interface RowProps {
  readonly section: HomeSectionView;
  /** The row is above the fold: its first images load at once. */
  readonly eager?: boolean;
}

/** One row of performers below its title, with a link to all of them. */
export function Row({ section: { id, value, seeMore, userList }, eager = false }: RowProps) {
  const { t, i18n } = useTranslation('browse');
  const steady = useSteady(userList);
  return (
    <TitledRow
      title={rowTitle(id, value, t, i18n.language)}
      seeMore={seeMore}
      eager={eager}
      entries={isInOrder(id) ? userList : steady}
    />
  );
}

/** "For you", with the reasons for each performer, and a link to what it learns. */
export function ForYouRow({ row: { userList, seeMore } }: {
  readonly row: NonNullable<HomeView['forYou']>;
}) {
  const { t } = useTranslation('browse');
  const entries = useSteady(userList);
  return (
    <TitledRow title={t('listing.forYou.title')} seeMore={seeMore} entries={entries}>
      <Link to={LEARNED_ADDRESS} aria-label={t('home.forYouChangeLabel')} className={TITLE_LINK}>
        {t('home.forYouChange')}
      </Link>
    </TitledRow>
  );
}

const TITLE_LINK = 'inline-flex min-h-11 shrink-0 items-center text-sm font-medium text-link '
  + 'hover:underline pointer-fine:min-h-8';

interface TitledRowProps {
  readonly title: string;
  readonly seeMore: string | null;
  readonly entries: readonly Entry[];
  readonly eager?: boolean;
  /** Placed beside the title. */
  readonly children?: ReactNode;
}

function TitledRow({ title, seeMore, entries, eager = false, children }: TitledRowProps) {
  const { t } = useTranslation('browse');
  const headingId = useId();
  const list = usePreviews(entries.length > 0);
  return (
    <section aria-labelledby={headingId} className="flex min-w-0 flex-col gap-1">
      <div className="flex min-h-11 items-center gap-3 pointer-fine:min-h-8">
        <h2 id={headingId} className="min-w-0 truncate text-base font-bold">{title}</h2>
        {seeMore === null ? null : (
          <Link to={seeMore} className={TITLE_LINK}>
            <span aria-hidden>{t('home.seeMore')}</span>
            {/* Text instead of a label, because search engines read the text of a link. */}
            <VisuallyHidden>{t('home.seeMoreOf', { title })}</VisuallyHidden>
          </Link>
        )}
        {children}
        <ScrollButtons list={list} title={title} count={entries.length} />
      </div>
      <RowTiles list={list} entries={entries} eager={eager} />
    </section>
  );
}

/** The tiles: one stop for Tab, arrow keys move along the row, and touch scrolls it. */
function RowTiles({ list, entries: latest, eager }: {
  readonly list: RefObject<HTMLUListElement | null>;
  readonly entries: readonly Entry[];
  readonly eager: boolean;
}) {
  // Deferred as in a grid: a refresh of the home page renders hundreds of tiles.
  const entries = useDeferredValue(latest);
  const keysOf = useTileKeys(list, entries, alongRow);
  return (
    <ul ref={list} className={LIST}>
      {entries.map((entry, at) => (
        <TileItem
          key={entry.id}
          entry={entry}
          eager={eager && at < EAGER_TILES}
          keys={keysOf(entry)}
          className={TILE}
        />
      ))}
    </ul>
  );
}

interface Ends {
  readonly canGoBack: boolean;
  readonly canGoOn: boolean;
}
const AT_REST: Ends = { canGoBack: false, canGoOn: false };

/** For a mouse without a horizontal wheel; shown while there is more than fits. */
function ScrollButtons({ list, title, count }: {
  readonly list: RefObject<HTMLUListElement | null>;
  readonly title: string;
  readonly count: number;
}) {
  const { t } = useTranslation('browse');
  const { canGoBack, canGoOn } = useEnds(list, count);
  if (!canGoBack && !canGoOn) return null;
  const scroll = (direction: 1 | -1) => {
    const element = list.current;
    const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth';
    element?.scrollBy({ left: direction * STEP * element.clientWidth, behavior });
  };
  return (
    <span className="-my-1.5 ml-auto flex shrink-0 max-sm:hidden">
      <IconButton label={t('home.back', { title })} disabled={!canGoBack} onClick={() => scroll(-1)}>
        <ChevronLeft size={20} aria-hidden />
      </IconButton>
      <IconButton label={t('home.forward', { title })} disabled={!canGoOn} onClick={() => scroll(1)}>
        <ChevronRight size={20} aria-hidden />
      </IconButton>
    </span>
  );
}

/** Whether a list can scroll to either side; updated when it scrolls or the window or tiles change. */
function useEnds(list: RefObject<HTMLElement | null>, count: number): Ends {
  const [ends, setEnds] = useState(AT_REST);
  const look = useCallback(() => {
    const element = list.current;
    if (!element) return;
    const { scrollLeft, scrollWidth, clientWidth } = element;
    const canGoBack = scrollLeft > 1;
    const canGoOn = scrollLeft + clientWidth < scrollWidth - 1;
    setEnds((now) => (now.canGoBack === canGoBack && now.canGoOn === canGoOn ? now : { canGoBack, canGoOn }));
  }, [list]);
  useEffect(() => {
    const element = list.current;
    look();
    element?.addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      element?.removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [count, list, look]);
  return ends;
}

/** Placeholder tiles of a row that is still loading. */
const SKELETON_TILES = 6;

/** Placeholder of a row. */
export function RowSkeleton() {
  return (
    <div className="flex flex-col gap-1" aria-hidden>
      <div className="flex min-h-11 items-center pointer-fine:min-h-8">
        <Skeleton className="h-5 w-40" />
      </div>
      <div className={LIST}>
        {Array.from(
          { length: SKELETON_TILES },
          (_, at) => <Skeleton key={at} className={`aspect-4/3 rounded-card ${TILE}`} />,
        )}
      </div>
    </div>
  );
}
