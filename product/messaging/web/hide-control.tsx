import { useAction } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import { useMe } from '#product/accounts/web/me.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { EyeOff } from 'lucide-react';
import { Link } from 'react-router';
import { hidePerformer, messagingPart, unhidePerformer } from '../client.ts';
import { showRelation } from './live.ts';
import { useProblemToast } from './problem-toast.ts';

/** Hides the performer from every listing of this viewer, or shows them again. */
export function HideControl({ room }: PagePartProps) {
  const { t } = useTranslation('messaging');
  const me = useMe();
  const askLogin = useLoginPrompt();
  const hide = useAction(hidePerformer, showRelation);
  const show = useAction(unhidePerformer, showRelation);
  useProblemToast(hide.problem ?? show.problem);
  const { username, displayName: name } = room.user;
  if (room.auth.isStreamer) return null;
  if (readPart(room, messagingPart).auth.isHidden) {
    return (
      <p className="flex flex-wrap items-center gap-x-3 text-sm" role="status">
        <span>{t('hide.done', { name })}</span>
        <Button tone="quiet" busy={show.busy} onClick={() => void show.run({ username })}>
          {t('hide.undo')}
        </Button>
        <Link to="/account/hidden" className="text-link underline">{t('hide.all')}</Link>
      </p>
    );
  }
  const press = async () => {
    if (me || (await askLogin('hide'))) await hide.run({ username });
  };
  return (
    <div className="flex flex-wrap items-center gap-x-3 text-sm text-muted">
      <Button
        tone="quiet"
        busy={hide.busy}
        icon={<EyeOff size={20} aria-hidden />}
        onClick={() => void press()}
      >
        {t('hide.do', { name })}
      </Button>
      <span>{t('hide.hint')}</span>
    </div>
  );
}
