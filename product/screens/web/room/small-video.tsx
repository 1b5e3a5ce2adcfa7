import { X } from 'lucide-react';
import { useState, type UIEvent } from 'react';
import { useTranslation } from '#platform/ui/text/use-translation.ts';

/** The video is small once so much of it is scrolled away, as a share of its height. */
const SMALL_FROM = 0.6;

interface SmallVideo {
  /** It is out of sight where it belongs, and goes on in the corner. */
  readonly isShown: boolean;
  readonly onScroll: (scroll: UIEvent<HTMLDivElement>) => void;
  readonly close: () => void;
}

/**
 * Whether the video goes on small, in the corner of what is scrolled.
 * @param floats whether this viewer wants that at all
 */
export function useSmallVideo(floats: boolean): SmallVideo {
  const [video, setVideo] = useState<'whole' | 'small' | 'closed'>('whole');
  return {
    isShown: floats && video === 'small',
    onScroll: ({ currentTarget }) => {
      const height = currentTarget.firstElementChild?.clientHeight ?? 0;
      const isAway = height > 0 && currentTarget.scrollTop > height * SMALL_FROM;
      // One that was closed is seen again where it belongs, and not before.
      setVideo((known) => (isAway ? (known === 'closed' ? known : 'small') : 'whole'));
    },
    close: () => {
      setVideo('closed');
      // Its button is gone with it: one reads on below the bar of actions.
      document.querySelector<HTMLElement>('section[data-foot]')?.focus({ preventScroll: true });
    },
  };
}

/** Closes the small video; mounted while there is one. */
export function CloseSmallVideo({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('screens');
  return (
    <button type="button" aria-label={t('room.closeSmallVideo')} title={t('room.closeSmallVideo')}
      onClick={onClose}
      className="absolute top-2 right-2 z-20 flex size-11 items-center justify-center rounded-full bg-black/75
        text-white hover:bg-black max-lg:hidden">
      <X size={20} aria-hidden />
    </button>
  );
}
