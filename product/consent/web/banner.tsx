import { Button } from '#platform/ui/controls/button.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTexts, useTranslation } from '#platform/ui/text/use-translation.ts';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { useChoosing } from './chooser.tsx';

const ChooserDialog = lazy(() => import('./chooser-dialog.tsx'));

interface BannerProps {
  /** Whether the page has a bar at its lower edge on phones, which the banner leaves free. */
  readonly overBar: boolean;
}

const ABOVE_BAR = 'bottom-[calc(3.5rem+env(safe-area-inset-bottom))] md:bottom-0';

/**
 * Asks for consent at the lower edge of a page that stays usable. Accepting and refusing look the same and
 * take one click each.
 */
export default function ConsentBanner({ overBar }: BannerProps) {
  const ready = useTexts('consent');
  const { t } = useTranslation('consent');
  const [isChoosing, setChoosing] = useState(false);
  const { accept, refuse, busy, problem } = useChoosing('banner');
  const banner = useRef<HTMLElement>(null);
  useRoomBelow(banner, ready);
  if (!ready) return null;
  const answered = async (answer: Promise<unknown>) => {
    // The button is gone with the banner.
    if (await answer) document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true });
  };
  return (
    <section
      ref={banner}
      data-asks
      aria-labelledby="consent-title"
      className={`fixed inset-x-0 z-40 max-h-[60dvh] overflow-y-auto border-t border-line bg-surface
        shadow-float [body:has([data-keyboard])_&]:hidden ${overBar ? ABOVE_BAR : 'bottom-0'}`}
    >
      <div className="mx-auto flex max-w-[1800px] flex-wrap items-center gap-x-6 gap-y-3 px-4 py-3 sm:px-6">
        <div className="grow basis-80 text-sm">
          <h2 id="consent-title" className="font-bold">{t('banner.title')}</h2>
          <p>
            {t('banner.text')} <Link to="/cookies" className="text-link underline">{t('banner.more')}</Link>
          </p>
          <FormError problem={problem} />
        </div>
        <div className="grid grow grid-cols-2 gap-2 sm:flex sm:grow-0">
          <Button busy={busy} onClick={() => void answered(accept())}>{t('acceptAll')}</Button>
          <Button busy={busy} onClick={() => void answered(refuse())}>{t('refuseAll')}</Button>
          <span className="col-span-2 flex *:grow">
            <Button tone="quiet" onClick={() => setChoosing(true)}>{t('choose')}</Button>
          </span>
        </div>
      </div>
      {isChoosing
        ? (
          <Suspense>
            <ChooserDialog onClose={() => setChoosing(false)} />
          </Suspense>
        )
        : null}
    </section>
  );
}

/**
 * Lets the end of the page scroll above the banner, and stops focused elements from being covered by it.
 * Elements that fill the window, or are fixed to its lower edge, leave room for its height, `--consent`.
 */
function useRoomBelow(banner: React.RefObject<HTMLElement | null>, ready: boolean): void {
  useEffect(() => {
    const { current: own } = banner;
    if (!own) return undefined;
    const { body, documentElement: root } = document;
    body.style.paddingBottom = 'var(--consent)';
    root.style.scrollPaddingBottom = 'var(--consent)';
    const watch = new ResizeObserver(() => root.style.setProperty('--consent', `${own.offsetHeight}px`));
    watch.observe(own);
    return () => {
      watch.disconnect();
      body.style.paddingBottom = '';
      root.style.scrollPaddingBottom = '';
      root.style.removeProperty('--consent');
    };
  }, [banner, ready]);
}
