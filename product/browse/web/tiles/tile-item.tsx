import type { ReactNode } from 'react';
import { MadeOnce } from '#platform/ui/made-once.tsx';
import { Tile, type Entry, type TileKeys } from '../tile.tsx';
import { BecauseLine } from './because.tsx';

interface TileItemProps {
  readonly entry: Entry;
  readonly eager: boolean;
  readonly keys: TileKeys;
  /** Position in a ranking. */
  readonly rank?: number | undefined;
  readonly className?: string;
  /** What else stands below the tile; it may be of the moment, so it is rendered for each document. */
  readonly below?: ((entry: Entry) => ReactNode) | undefined;
}

/**
 * A tile in a list, with why it is in "for you" where it is. Documents share its markup: the whole entry is
 * the key, so that whoever gets a tile could have got this answer.
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
    <MadeOnce as="li" {...named}
      of={() => JSON.stringify(['tile', eager, keys.isStop, rank ?? null, entry])}>
      {tile}
    </MadeOnce>
  );
}
