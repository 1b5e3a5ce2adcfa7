import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { lazy, Suspense } from 'react';
import { SharecamBanner } from '../sharecam/sharecam-banner.tsx';

const ShowQueue = lazy(() => import('../private/performer/show-queue.tsx'));

/** In the performer's own room: requests for shows, the running show, and viewers' cameras. */
export default function RoomBanner(props: PagePartProps) {
  const { t } = useTranslation('shows');
  if (!props.room.auth.isStreamer) return null;
  return (
    <div className="relative shrink-0 max-lg:max-h-[max(8rem,calc(100dvh-30rem))] max-lg:overflow-y-auto">
      <section
        aria-label={t('private.yours')}
        className="relative shrink-0 border-b border-line bg-surface px-4 py-3 empty:hidden
          phone-landscape:hidden
          max-lg:group-data-keyboard:hidden"
      >
        <Suspense>
          <ShowQueue isBanner />
        </Suspense>
      </section>
      <SharecamBanner {...props} />
    </div>
  );
}
