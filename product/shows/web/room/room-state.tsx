import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { PrivateState } from '../private/private-state.tsx';
import { TicketBanner } from '../tickets/ticket-banner.tsx';

/** In the bar of actions: the shows this viewer takes part in, with their time, their cost and their end. */
export default function RoomState(props: PagePartProps) {
  if (props.room.auth.isStreamer) return null;
  return (
    <>
      <PrivateState {...props} />
      <TicketBanner {...props} />
    </>
  );
}
