import type { PagePartProps } from '../../../rooms/web/page-part.ts';
import { GoalPanel } from '../goals/goal-panel.tsx';
import { PrivateOffer } from '../private/viewer/private-offer.tsx';
import { ShareOffer } from '../sharecam/viewer/share-offer.tsx';
import { TicketOffer } from '../tickets/ticket-offer.tsx';

/** What a viewer can buy of shows here. */
export default function RoomActions(props: PagePartProps) {
  return (
    <>
      <TicketOffer {...props} />
      <PrivateOffer {...props} />
      <ShareOffer room={props.room} />
      <GoalPanel {...props} />
    </>
  );
}
