import { lazy, Suspense, useState } from 'react';
import { IconButton } from '../../../../platform/ui/controls/button.tsx';
import { Dialog } from '../../../../platform/ui/surfaces/dialog.tsx';
import { Skeleton } from '../../../../platform/ui/surfaces/states.tsx';
import { TokenGlyph } from '../../../../platform/ui/text/amounts.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '../../../accounts/web/login-prompt.tsx';
import { useMe } from '../../../accounts/web/me.ts';
import type { PagePartProps } from '../../../rooms/web/page-part.ts';
import type { TipPrompt } from '../send-tip.ts';
import { TipPanel } from '../tip-panel.tsx';

/** Menu and split come after what most people do: tip. */
const TipExtras = lazy(() => import('./extras.tsx'));

/** The tip panel; in their own room performers read where tips appear. */
export function TipHere({ room, onMoneyPrompt }: PagePartProps) {
  const { t } = useTranslation('tips');
  const me = useMe();
  const askLogin = useLoginPrompt();
  const target = {
    username: room.user.username, displayName: room.user.displayName, guest: !me, balance: me?.tokens ?? 0,
    onLogin: () => void askLogin('tip'),
    // Whoever lacks tokens sees first what would be enough.
    onPrompt: (prompt: TipPrompt) => onMoneyPrompt(prompt === 'purchase' ? 'low_tokens' : prompt),
  };
  return (
    <div className="flex flex-col gap-6">
      {room.auth.isStreamer ? <p className="text-sm text-muted">{t('ownRoom')}</p>
        : <TipPanel {...target} />}
      <Suspense fallback={<Skeleton className="h-32" />}>
        <TipExtras {...target} me={me?.user.username ?? null} canModerate={room.auth.canModerate} />
      </Suspense>
    </div>
  );
}

/** On a phone: tipping beside the chat input, one thumb away. */
export function TipButton(props: PagePartProps) {
  const { room } = props;
  const { t } = useTranslation('tips');
  const [isOpen, setOpen] = useState(false);
  if (room.auth.isStreamer) return null;
  const title = t('title', { name: room.user.displayName });
  return (
    <>
      <IconButton label={title} onClick={() => setOpen(true)}><TokenGlyph className="size-6" /></IconButton>
      {isOpen ? (
        <Dialog title={title} onClose={() => setOpen(false)}><TipHere {...props} /></Dialog>
      ) : null}
    </>
  );
}
