import { Button } from '#platform/ui/controls/button.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { ListingEntryView } from '#product/browse/contract.ts';
import { ChevronsUp } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Still } from './card/card-video.tsx';
import { knowsSwiping, storeKnowledge } from './stored-swipe.ts';

/** Size of the hint in CSS pixels (spec 2 §9). */
const SIZE = { width: 240, height: 320 } as const;

interface SwipeHintProps {
  /** The performer that a swipe leads to. */
  readonly next: ListingEntryView;
  /** Somebody swiped, or moved on in another way. */
  readonly wentOn: boolean;
}

/**
 * Shows once, on phones, how to swipe, over a preview of the next performer. It blocks nothing: swipes
 * and taps reach the card below it.
 */
export function SwipeHint({ next, wentOn }: SwipeHintProps) {
  const { t } = useTranslation('screens');
  const [isShown, setShown] = useState(false);
  // The server does not know whether this browser has seen it.
  useEffect(() => setShown(!knowsSwiping()), []);
  useEffect(() => {
    if (!wentOn) return;
    storeKnowledge();
    setShown(false);
  }, [wentOn]);
  const close = () => {
    storeKnowledge();
    setShown(false);
  };
  if (!isShown) return null;
  return (
    <div className="pointer-events-none absolute inset-0 z-10 flex items-center justify-center md:hidden
      phone-landscape:hidden">
      <div
        role="note"
        aria-label={t('swipe.hint')}
        style={SIZE}
        className="relative overflow-hidden rounded-card border border-line bg-black text-white shadow-xl"
      >
        <div aria-hidden className="absolute inset-0 opacity-40">
          <Still entry={next} />
        </div>
        <div className="relative flex size-full flex-col items-center justify-center gap-4 p-4 text-center">
          <ChevronsUp size={48} aria-hidden className="motion-safe:animate-bounce" />
          <p className="text-lg font-bold text-balance">{t('swipe.hint')}</p>
          <span className="pointer-events-auto">
            <Button onClick={close}>{t('swipe.hintDone')}</Button>
          </span>
        </div>
      </div>
    </div>
  );
}
