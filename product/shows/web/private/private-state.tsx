import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { lazy, Suspense } from 'react';
import { STATE_ROW } from '../room/state-row.ts';
import { SharecamBanner } from '../sharecam/sharecam-banner.tsx';
import { useSpyOutcome } from '../spying/live.ts';
import { ViewerShow } from './viewer/viewer-show.tsx';

const SpyPanel = lazy(() => import('../spying/spy-panel.tsx'));

/**
 * The private show that a viewer requested, is in, or can spy on, their spying, and the camera they share.
 */
export function PrivateState(props: PagePartProps) {
  const { t } = useTranslation('shows');
  const isMember = useMe() !== null;
  const { room: { chat, user } } = props;
  const [spied] = useSpyOutcome(user.username);
  // Guests also see that they could spy.
  const hasSpying = chat.status === 'private' || chat.mode === 'spy' || spied !== null;
  const spying = hasSpying
    ? (
      <Suspense>
        <SpyPanel {...props} />
      </Suspense>
    )
    : null;
  if (!isMember) return spying;
  return (
    <>
      {spying}
      <section aria-label={t('private.yours')} className={STATE_ROW}>
        <ViewerShow {...props} />
      </section>
      <SharecamBanner {...props} />
    </>
  );
}
