import { Button, IconButton } from '#platform/ui/controls/button.tsx';
import { rememberFocus } from '#platform/ui/focus-place.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useBuying } from '../buying.ts';
import { CardName, Missing, Price, TestLabel } from '../money.tsx';
import type { ProductListing, StepProps } from '../steps.ts';
import { firstCard } from './card-choice.tsx';

/**
 * Small packs with one tap, on phones: in a bar at the bottom instead of a modal, so that the video stays
 * visible. A tap charges the named saved card.
 */
export function QuickTab({ listing, needed, go, onClose }: StepProps & {
  readonly listing: ProductListing;
  /** Tokens needed for what the person wanted, if known. */
  readonly needed?: number | undefined;
}) {
  const { t } = useTranslation('billing');
  const buying = useBuying(go);
  const tab = useRef<HTMLElement>(null);
  useEffect(() => {
    const own = tab.current;
    const giveBack = rememberFocus(own);
    own?.focus();
    return giveBack;
  }, []);
  const card = firstCard(listing.cards);
  if (!card) return null;
  return (
    <section
      ref={tab}
      tabIndex={-1}
      aria-label={t('web.buy.title')}
      onKeyDown={({ key }) => key === 'Escape' && onClose()}
      className="fixed inset-x-0 bottom-[var(--consent,0px)] z-40 flex flex-col gap-3 rounded-t-card border-t
        border-line bg-surface
        px-4 pt-2 pb-[calc(16px+env(safe-area-inset-bottom))] shadow-float"
    >
      <div className="flex items-center justify-between gap-3">
        <h2 className="flex items-center gap-3 text-base font-bold">
          {t('web.quick.title')} {listing.is_test ? <TestLabel /> : null}
        </h2>
        <IconButton label={t('web.close')} onClick={onClose}>
          <X size={20} aria-hidden />
        </IconButton>
      </div>
      <Missing needed={needed} />
      <FormError problem={buying.problem} />
      <div className="grid grid-cols-3 gap-2">
        {listing.suggestions.map((product) => (
          <button
            key={product.internal_id}
            type="button"
            aria-busy={buying.busy || undefined}
            aria-disabled={buying.busy || undefined}
            onClick={() => {
              if (!buying.busy) {
                void buying.buy({ product, cardId: card.id, method: 'credit', trace: listing.trace });
              }
            }}
            className="flex min-h-16 flex-col items-center justify-center rounded-control border border-line
              bg-raised text-sm transition-colors hover:border-field aria-busy:cursor-progress
              aria-disabled:opacity-50"
          >
            <TokenAmount tokens={product.tokens} className="text-base font-bold" />
            <Price amount={product.price} className="text-muted" />
          </button>
        ))}
      </div>
      <p className="flex flex-wrap items-center justify-between gap-x-4 text-xs text-muted">
        <span>
          {t('web.quick.charges')} <CardName card={card} />
        </span>
        <Button tone="quiet" onClick={() => go({ kind: 'purchase', low: false })}>
          {t('web.quick.more')}
        </Button>
      </p>
    </section>
  );
}
