import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { RatingReminder } from '../rating/reminder.tsx';
import { TicketOffer } from '../tickets/ticket-offer.tsx';

/** Over the video: the offered ticket show, and the question how the viewer liked a show. */
export default function RoomOver(props: PagePartProps) {
  return (
    <>
      <RatingReminder {...props} />
      <TicketOffer {...props} />
    </>
  );
}
