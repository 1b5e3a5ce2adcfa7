import { MadeOnce } from '#platform/ui/made-once.tsx';
import type { ReactNode } from 'react';
import { Tile, type Entry, type TileKeys } from '../tile.tsx';
import { BecauseLine } from './because.tsx';

interface TileItemProps {
  readonly entry: Entry;
  readonly eager: boolean;
  readonly keys: TileKeys;
  /** Position in a ranking. */
  readonly rank?: number | undefined;
  readonly className?: string;
  /** Content below the tile; it may change any moment, so it is rendered for each document. */
  readonly below?: ((entry: Entry) => ReactNode) | undefined;
}

/**
 * A tile in a list, with its reason in "for you". Documents share its markup under the whole entry as the
 * key, so that a viewer gets only markup of an entry they received themselves.
 */
export function TileItem({ entry, eager, keys, rank, className, below }: TileItemProps) {
  const named = className === undefined ? {} : { className };
  const tile = (
    <>
      <Tile entry={entry} eager={eager} rank={rank} {...keys} />
      <BecauseLine entry={entry} />
    </>
  );
  if (below) return <li {...named}>{tile}{below(entry)}</li>;
  return (
    <MadeOnce
      as="li"
      {...named}
      of={() => JSON.stringify(['tile', eager, keys.isStop, rank ?? null, entry])}
    >
      {tile}
    </MadeOnce>
  );
}
