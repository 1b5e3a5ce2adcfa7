import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Ellipsis } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import type { ListingEntryView } from '../../contract.ts';

const load = () => import('./tile-panel.tsx');
const TilePanel = lazy(async () => ({ default: (await load()).TilePanel }));

interface TileMoreProps {
  readonly entry: ListingEntryView;
  readonly tabIndex?: number;
}

/** The button in a tile's corner: follow, hide, profile, and why the performer is here. */
export function TileMore({ entry, ...stop }: TileMoreProps) {
  const { t } = useTranslation('browse');
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const label = t('tile.more', { name: entry.displayName });
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={label}
        title={label}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        {...stop}
        onPointerEnter={() => void load()}
        onClick={() => setIsOpen(!isOpen)}
        className="group/more absolute top-0 right-0 inline-flex size-11 items-center justify-center
          rounded-card text-white -outline-offset-2"
      >
        {/* Not rendered until needed: hundreds of merely transparent ones slow down scrolling. */}
        <span className="inline-flex size-7 items-center justify-center rounded-full bg-black/65
            group-hover:inline-flex group-focus-visible/more:inline-flex group-aria-expanded/more:inline-flex
            pointer-fine:hidden pointer-fine:transition-opacity pointer-fine:starting:opacity-0">
          <Ellipsis size={18} aria-hidden />
        </span>
      </button>
      {isOpen
        ? (
          <Suspense>
            <TilePanel entry={entry} button={button} onClose={() => setIsOpen(false)} />
          </Suspense>
        )
        : null}
    </>
  );
}
