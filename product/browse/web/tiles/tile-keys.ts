import { useCallback, useState, type KeyboardEvent, type RefObject } from 'react';
import type { Entry, TileKeys } from '../tile.tsx';

/** A key of the keyboard, where it was pressed, and the tiles of the list in their order. */
type Leads = (key: string, tiles: readonly HTMLElement[], at: number) => HTMLElement | undefined;

/** Along a row: one tile on or back, the first, the last. Undefined for keys that lead nowhere. */
export const alongRow: Leads = (key, tiles, at) => {
  switch (key) {
    case 'ArrowRight': return tiles[at + 1];
    case 'ArrowLeft': return tiles[at - 1];
    case 'Home': return tiles[0];
    case 'End': return tiles.at(-1);
    default: return undefined;
  }
};

/** One stop for Tab in a list of tiles, in which keys lead from tile to tile. */
export function useTileKeys(
  list: RefObject<HTMLElement | null>, entries: readonly Entry[], leads: Leads,
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
