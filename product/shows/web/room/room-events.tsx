import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { GoalEvents } from '../goals/goal-events.tsx';
import { PrivateEvents } from '../private/private-events.tsx';
import { TicketEvents } from '../tickets/ticket-events.tsx';

/** Handles the events of each kind of show on a page. */
export default function RoomEvents(props: PagePartProps) {
  return (
    <>
      <PrivateEvents {...props} />
      <TicketEvents {...props} />
      <GoalEvents {...props} />
    </>
  );
}
