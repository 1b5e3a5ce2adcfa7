import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { GoalAction } from '../goals/goal-panel.tsx';
import { PrivateOffer } from '../private/viewer/private-offer.tsx';
import { ShareOffer } from '../sharecam/viewer/share-offer.tsx';
import { TicketAction } from '../tickets/ticket-offer.tsx';

/** The shows that a viewer can buy here. */
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
