import { lazy } from 'react';
import type { PagePartProps } from '../../rooms/web/page-part.ts';
import { ShareOffer } from './sharecam/viewer/share-offer.tsx';

const PrivateOffer = lazy(() => import('./private/viewer/private-offer.tsx'));

/** What a viewer can do with the shows of a performer. */
export default function RoomActions(props: PagePartProps) {
  return (
    <>
      <PrivateOffer {...props} />
      <ShareOffer room={props.room} />
    </>
  );
}
