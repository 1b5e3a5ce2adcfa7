import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { GoalAction } from '../goals/goal-panel.tsx';
import { PrivateOffer } from '../private/viewer/private-offer.tsx';
import { ShareOffer } from '../sharecam/viewer/share-offer.tsx';
import { TicketAction } from '../tickets/ticket-offer.tsx';

/** What a viewer can buy of shows here. */
export default function RoomActions(props: PagePartProps) {
  return (
    <>
      <PrivateOffer {...props} />
      <TicketAction {...props} />
      <ShareOffer room={props.room} />
      <GoalAction {...props} />
    </>
  );
}
