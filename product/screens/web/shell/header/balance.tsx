import { useLate } from '#platform/ui/controls/early-press.ts';
import { Tooltip } from '#platform/ui/controls/popups/tooltip.tsx';
import { Extra } from '#platform/ui/faults/crash-boundary.tsx';
import { VisuallyHidden } from '#platform/ui/surfaces/card.tsx';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { HandCoins, Plus } from 'lucide-react';
import { lazy } from 'react';
import { Link } from 'react-router';
import { useOpenPrompt } from '../money-prompts.tsx';

/** The member's own balance; pressing it opens "Get tokens". */
export function Balance({ tokens }: { tokens: number }) {
  const { t } = useTranslation('screens');
  const openPrompt = useOpenPrompt();
  const { late, ref } = useLate('balance');
  return (
    <Tooltip text={t('tokens.get')} below>
      {(trigger) => (
        <button
          {...trigger}
          ref={ref}
          data-late={late ? 'balance' : undefined}
          type="button"
          onClick={() => openPrompt('purchase')}
          aria-haspopup="dialog"
          className="inline-flex min-h-11 items-center gap-2 rounded-full px-2 text-sm font-bold
            hover:bg-raised"
        >
          <TokenAmount tokens={tokens} />
          <span className="inline-flex size-6 items-center justify-center rounded-full bg-primary
            text-on-primary">
            <Plus size={16} aria-hidden />
          </span>
          <VisuallyHidden>{t('tokens.get')}</VisuallyHidden>
        </button>
      )}
    </Tooltip>
  );
}

/** Earnings have no server markup, so that they are loaded on their own. */
const EarnedTokens = lazy(() => import('../live/earned-tokens.tsx'));

/** What a performer earned today, in the place of a member's balance: performers buy no tokens. */
export function EarnedToday() {
  const { t } = useTranslation('screens');
  return (
    <Link
      to="/account/earnings"
      title={t('earnedToday')}
      className="inline-flex min-h-11 min-w-11 items-center justify-center gap-2 rounded-full px-2 text-sm
        font-bold hover:bg-raised"
    >
      <HandCoins size={20} aria-hidden />
      <span className="font-medium text-muted max-lg:sr-only">{t('earnedToday')}</span>
      <Extra>
        <EarnedTokens />
      </Extra>
    </Link>
  );
}
