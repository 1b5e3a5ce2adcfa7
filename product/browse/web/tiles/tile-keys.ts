import { useCallback, useState, type KeyboardEvent, type RefObject } from 'react';
import type { Entry, TileKeys } from '../tile.tsx';

/** Maps a pressed key, the tiles of the list in order, and the index of the current tile to the next tile. */
type Leads = (key: string, tiles: readonly HTMLElement[], at: number) => HTMLElement | undefined;

/** Movement along a row: next, previous, first, last tile. Undefined for keys that move nowhere. */
export const alongRow: Leads = (key, tiles, at) => {
  switch (key) {
    case 'ArrowRight':
      return tiles[at + 1];
    case 'ArrowLeft':
      return tiles[at - 1];
    case 'Home':
      return tiles[0];
    case 'End':
      return tiles.at(-1);
    default:
      return undefined;
  }
};

/** One stop for Tab in a list of tiles; keys move between tiles. */
export function useTileKeys(
  list: RefObject<HTMLElement | null>,
  entries: readonly Entry[],
  leads: Leads,
): (entry: Entry) => TileKeys {
  const [focused, onFocus] = useState<number | null>(null);
  const current = entries.find(({ id }) => id === focused) ?? entries[0];
  const onKeyDown = useCallback((press: KeyboardEvent<HTMLElement>) => {
    if (press.altKey || press.ctrlKey || press.metaKey) return;
    const tiles = [...list.current?.querySelectorAll<HTMLElement>('[data-tile]') ?? []];
    const target = leads(press.key, tiles, tiles.indexOf(press.currentTarget));
    if (!target) return;
    press.preventDefault();
    target.focus();
  }, [list, leads]);
  return (entry) => ({ isStop: entry === current, onFocus, onKeyDown });
}
