import { Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import { useMe } from '#product/accounts/web/me.ts';
import { ActionButton } from '#product/rooms/web/action-button.tsx';
import { BarPanel } from '#product/rooms/web/bar-panel.tsx';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { ChevronUp } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { QuickTip, type TipTarget } from '../tip-panel.tsx';

/** Comment, menu and split are loaded later: most people just tip. */
const TipPanel = lazy(() => import('../tip-form.tsx'));
const TipExtras = lazy(() => import('./extras.tsx'));

/** The performer tipped here, and what opens when a tip is refused. */
export function useTipTarget(
  { room, onMoneyPrompt }: Pick<PagePartProps, 'room' | 'onMoneyPrompt'>,
): TipTarget {
  const me = useMe();
  const askLogin = useLoginPrompt();
  const { username, displayName } = room.user;
  return {
    username,
    displayName,
    guest: !me,
    balance: me?.tokens ?? 0,
    onLogin: () => void askLogin('tip'),
    onPrompt: onMoneyPrompt,
  };
}

/**
 * Tipping in the bar of actions: an amount and its button, and a panel with everything else, which has the
 * whole form while open. In their own room, performers are shown where tips appear.
 */
export function TipHere({ room, onMoneyPrompt }: PagePartProps) {
  const { t } = useTranslation('tips');
  const me = useMe();
  const target = useTipTarget({ room, onMoneyPrompt });
  const [isOpen, setOpen] = useState(false);
  const [amount, setAmount] = useState<string | null>(null);
  const isOwn = room.auth.isStreamer;
  const title = t('title', { name: target.displayName });
  return (
    <>
      {isOwn ? null : (
        <div className={isOpen ? 'invisible' : 'contents'}>
          <QuickTip {...target} onAmount={setAmount} />
        </div>
      )}
      <ActionButton
        label={t('menu.title')}
        text={t('menu.title')}
        icon={<ChevronUp size={20} aria-hidden />}
        expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen
        ? (
          <BarPanel title={isOwn ? t('menu.title') : title} isWide={!isOwn} onClose={() => setOpen(false)}>
            <div className={`flex flex-col gap-6 ${isOwn ? '' : 'lg:grid lg:grid-cols-2'}`}>
              {isOwn ? <p className="text-sm text-muted">{t('ownRoom')}</p> : null}
              <Suspense fallback={<Skeleton className="h-64" />}>
                {isOwn ? null : <TipPanel {...target} begins={amount} />}
                <TipExtras {...target} me={me?.user.username ?? null} />
              </Suspense>
            </div>
          </BarPanel>
        )
        : null}
    </>
  );
}
