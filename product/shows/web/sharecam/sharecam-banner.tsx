import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { lazy, Suspense, useRef } from 'react';
import { showsPart } from '../../client.ts';

const OwnCamera = lazy(() => import('./viewer/own-camera.tsx'));
const CameraList = lazy(() => import('./performer/camera-list.tsx'));

/** Under the performer's name: the cameras the performer sees, or the camera this viewer shows them. */
export function SharecamBanner(props: PagePartProps) {
  const { t } = useTranslation('shows');
  const { userSetting: { sharecam } } = readPart(props.room, showsPart);
  // When cameras are turned off, the server ends a running one, and its end still has to be shown here.
  const isUsed = useRef(false);
  isUsed.current ||= sharecam.isAllowedInPrivate || sharecam.isAllowedInPublic;
  if (!isUsed.current) return null;
  return (
    <section
      aria-label={t(props.room.auth.isStreamer ? 'sharecam.list.title' : 'sharecam.yours')}
      className="relative shrink-0 border-b border-line bg-surface px-4 py-2 empty:hidden max-lg:px-3"
    >
      <Suspense>
        {props.room.auth.isStreamer ? <CameraList isBanner /> : <OwnCamera {...props} />}
      </Suspense>
    </section>
  );
}
