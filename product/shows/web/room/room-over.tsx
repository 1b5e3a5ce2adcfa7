import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { RatingReminder } from '../rating/reminder.tsx';
import { TicketOffer } from '../tickets/ticket-offer.tsx';

/** Over the video: the ticket show that is offered, and the question how this show is liked. */
export default function RoomOver(props: PagePartProps) {
  return (
    <>
      <RatingReminder {...props} />
      <TicketOffer {...props} />
    </>
  );
}
