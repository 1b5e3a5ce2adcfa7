import { lazy, Suspense } from 'react';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { useMe } from '../../../accounts/web/me.ts';
import type { PagePartProps } from '../../../rooms/web/page-part.ts';
import { RatingReminder } from '../rating/reminder.tsx';
import { SharecamBanner } from '../sharecam/sharecam-banner.tsx';
import { useSpyOutcome } from '../spying/live.ts';
import { ViewerShow } from './viewer/viewer-show.tsx';

const SpyPanel = lazy(() => import('../spying/spy-panel.tsx'));
const ShowQueue = lazy(() => import('./performer/show-queue.tsx'));

/** Under the performer's name, whatever panel of a phone is open: the show one requested or is in. */
export function PrivateBanner(props: PagePartProps) {
  const { t } = useTranslation('shows');
  const isMember = useMe() !== null;
  const { room: { auth: { isStreamer }, chat, user } } = props;
  const [spied] = useSpyOutcome(user.username);
  // A guest sees what can be spied on, too.
  const hasSpying = !isStreamer && (chat.status === 'private' || chat.mode === 'spy' || spied !== null);
  const spying = hasSpying ? <Suspense><SpyPanel {...props} /></Suspense> : null;
  if (!isMember) return spying;
  return (
    <>
      {spying}
      <section aria-label={t('private.yours')}
        className="relative shrink-0 border-b border-line bg-surface px-4 py-3 empty:hidden lying:hidden
          max-lg:group-data-keyboard:hidden">
        {isStreamer ? <Suspense><ShowQueue isBanner /></Suspense> : <ViewerShow {...props} />}
      </section>
      <SharecamBanner {...props} />
      <RatingReminder {...props} />
    </>
  );
}
