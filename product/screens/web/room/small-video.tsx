import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { X } from 'lucide-react';
import { useState, type UIEvent } from 'react';

/** The share of the video's height that must be scrolled away before the video becomes small. */
const SMALL_FROM = 0.6;

interface SmallVideo {
  /** The video is out of sight in its own place, and continues in the corner. */
  readonly isShown: boolean;
  readonly onScroll: (scroll: UIEvent<HTMLDivElement>) => void;
  readonly close: () => void;
}

/**
 * Whether the video is shown small, in the corner of the scrolled column.
 * @param floats whether this viewer wants a small video at all
 */
export function useSmallVideo(floats: boolean): SmallVideo {
  const [video, setVideo] = useState<'whole' | 'small' | 'closed'>('whole');
  return {
    isShown: floats && video === 'small',
    onScroll: ({ currentTarget }) => {
      const height = currentTarget.firstElementChild?.clientHeight ?? 0;
      const isAway = height > 0 && currentTarget.scrollTop > height * SMALL_FROM;
      // After it was closed it only shows again in its own place.
      setVideo((known) => (isAway ? (known === 'closed' ? known : 'small') : 'whole'));
    },
    close: () => {
      setVideo('closed');
      // The close button has gone, so the focus moves to the action bar, below which reading goes on.
      document.querySelector<HTMLElement>('section[data-foot]')?.focus({ preventScroll: true });
    },
  };
}

/** Closes the small video; mounted while there is one. */
export function CloseSmallVideo({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('screens');
  return (
    <button
      type="button"
      aria-label={t('room.closeSmallVideo')}
      title={t('room.closeSmallVideo')}
      onClick={onClose}
      className="absolute top-2 right-2 z-20 flex size-11 items-center justify-center rounded-full bg-black/75
        text-white hover:bg-black max-lg:hidden"
    >
      <X size={20} aria-hidden />
    </button>
  );
}
