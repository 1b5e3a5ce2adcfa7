import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { PrivateState } from '../private/private-state.tsx';
import { TicketBanner } from '../tickets/ticket-banner.tsx';

/** In the bar of actions: this viewer's shows, with their time, their cost, and the button to end each. */
export default function RoomState(props: PagePartProps) {
  if (props.room.auth.isStreamer) return null;
  return (
    <>
      <PrivateState {...props} />
      <TicketBanner {...props} />
    </>
  );
}
