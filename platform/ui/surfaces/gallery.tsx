import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { IconButton } from '../controls/button.tsx';
import { useTranslation } from '../text/use-translation.ts';
import { Dialog } from './dialog.tsx';

export interface GalleryImage {
  readonly url: string;
  readonly width: number;
  readonly height: number;
  /** The caption below it; empty for none. */
  readonly caption: string;
}

interface GalleryProps {
  readonly title: string;
  readonly images: readonly GalleryImage[];
  /** Actions for the image that is shown, by its index. */
  readonly below?: (at: number) => ReactNode;
  /** Index of the first image to show. */
  readonly start: number;
  readonly onClose: () => void;
}

/** A swipe of at least this distance, in CSS pixels, shows the next image. */
const SWIPE_PX = 40;

/** A set of images, shown one at a time; the first follows the last. Arrows, buttons and swipes move. */
export default function Gallery({ title, images, start, below, onClose }: GalleryProps) {
  const { t } = useTranslation('ui');
  const [at, setAt] = useState(start);
  const count = images.length;
  const from = useRef<number | null>(null);
  const move = (by: number) => setAt((now) => (now + by + count) % count);
  // Before the first paint, because keys may be pressed as soon as a picture is visible.
  useLayoutEffect(() => {
    const press = ({ key, altKey, ctrlKey, metaKey }: KeyboardEvent) => {
      // With a modifier, the key makes the browser go back or forward.
      if (altKey || ctrlKey || metaKey) return;
      const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
      if (by !== undefined) setAt((now) => (now + by + count) % count);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [count]);
  const image = images[at];
  if (!image) return null;
  const position = t('position', { at: at + 1, count });
  return (
    <Dialog title={title} size="large" onClose={onClose}>
      <figure className="flex flex-col gap-2">
        <img
          key={image.url}
          src={image.url}
          width={image.width}
          height={image.height}
          draggable={false}
          alt={image.caption === '' ? `${title}, ${position}` : image.caption}
          className="max-h-[70dvh] w-full touch-pan-y bg-page object-contain"
          onPointerDown={({ clientX }) => {
            from.current = clientX;
          }}
          onPointerUp={({ clientX }) => {
            const moved = from.current === null ? 0 : clientX - from.current;
            from.current = null;
            if (Math.abs(moved) >= SWIPE_PX) move(moved < 0 ? 1 : -1);
          }}
        />
        {image.caption === ''
          ? null
          : <figcaption className="text-center break-words">{image.caption}</figcaption>}
      </figure>
      <div className="mt-2 flex items-center justify-between">
        <IconButton label={t('previous')} onClick={() => move(-1)} disabled={count < 2}>
          <ChevronLeft size={24} aria-hidden />
        </IconButton>
        <p role="status" className="tabular text-sm text-muted">{position}</p>
        <IconButton label={t('next')} onClick={() => move(1)} disabled={count < 2}>
          <ChevronRight size={24} aria-hidden />
        </IconButton>
      </div>
      {below ? <div key={image.url} className="flex justify-center">{below(at)}</div> : null}
    </Dialog>
  );
}
