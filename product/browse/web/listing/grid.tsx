import { Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useDeferredValue, useEffect, useRef, useState, type ReactNode } from 'react';
import { steady } from '../steady.ts';
import type { Entry } from '../tile.tsx';
import { TileItem } from '../tiles/tile-item.tsx';
import { alongRow, useTileKeys } from '../tiles/tile-keys.ts';

/** Tiles above the fold on a desktop, whose images load at once and before scripts. */
export const EAGER_TILES = 6;
const SKELETON_TILES = 18;

const GRID = 'grid gap-3 grid-cols-[repeat(auto-fill,minmax(min(168px,calc(50%-6px)),1fr))] '
  + 'sm:gap-4 sm:grid-cols-[repeat(auto-fill,minmax(var(--tile-min,220px),1fr))]';

/** The entries, in an order that is stable over refreshes. */
export function useSteady(fresh: readonly Entry[]): readonly Entry[] {
  const [last, setLast] = useState({ fresh, shown: fresh });
  if (last.fresh === fresh) return last.shown;
  const shown = steady(last.shown, fresh);
  setLast({ fresh, shown });
  return shown;
}

/** Loads the code that plays clips after the page, so that nothing waits for it. */
export function usePreviews(hasTiles: boolean) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const element = list.current;
    const started = element && import('../previews.ts').then((previews) => previews.startPreviews(element));
    return () => void started?.then((stop) => stop());
  }, [hasTiles]);
  return list;
}

interface GridProps {
  readonly entries: readonly Entry[];
  /** Another listing is loading. */
  readonly dimmed?: boolean;
  /** Shows positions from this number on, for rankings. */
  readonly firstRank?: number;
  /** Content below a tile. */
  readonly below?: (entry: Entry) => ReactNode;
  /** The first tiles are above the fold. */
  readonly eager?: boolean;
}

/** Tiles of performers: one stop for Tab, and arrow keys move between tiles. */
export function Grid({ entries: latest, dimmed = false, firstRank, below, eager = false }: GridProps) {
  // A refresh renders in the background: rendering hundreds of tiles at once would block scrolling.
  const entries = useDeferredValue(latest);
  const list = usePreviews(entries.length > 0);
  const keysOf = useTileKeys(list, entries, inGrid);
  return (
    <ul ref={list} aria-busy={dimmed} className={`${GRID} transition-opacity ${dimmed ? 'opacity-60' : ''}`}>
      {entries.map((entry, at) => (
        <TileItem
          key={entry.id}
          entry={entry}
          eager={eager && at < EAGER_TILES}
          below={below}
          rank={firstRank === undefined ? undefined : firstRank + at}
          keys={keysOf(entry)}
        />
      ))}
    </ul>
  );
}

/** Number of tiles in the first row, at least one: those at the same height as the first. */
function columnsOf(tiles: readonly HTMLElement[]): number {
  const topOf = (tile: HTMLElement | undefined) => tile?.getBoundingClientRect().top;
  const next = tiles.findIndex((tile) => topOf(tile) !== topOf(tiles[0]));
  return next === -1 ? tiles.length : next;
}

/** As along a row, and up and down by whole rows. */
const inGrid: typeof alongRow = (key, tiles, at) => {
  switch (key) {
    case 'ArrowDown':
      return tiles[at + columnsOf(tiles)];
    case 'ArrowUp':
      return tiles[at - columnsOf(tiles)];
    default:
      return alongRow(key, tiles, at);
  }
};

/** Placeholder tiles. */
export function GridSkeleton() {
  const { t } = useTranslation('browse');
  return (
    <div className={GRID} role="status" aria-label={t('loading')}>
      {Array.from(
        { length: SKELETON_TILES },
        (_, at) => <Skeleton key={at} className="aspect-4/3 rounded-card" />,
      )}
    </div>
  );
}
