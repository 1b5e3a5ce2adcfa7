import type { PagePartProps } from '../../../rooms/web/page-part.ts';
import { PrivateState } from '../private/private-state.tsx';
import { TicketBanner } from '../tickets/ticket-banner.tsx';

/**
 * In the bar of actions: the shows this viewer takes part in, with their time, their cost and their end. On
 * phones what is long scrolls in what the video, the tabs and the field of the chat leave of the screen; what
 * costs is first and short enough to stand there whole.
 */
export default function RoomState(props: PagePartProps) {
  if (props.room.auth.isStreamer) return null;
  return (
    <div className="relative shrink-0 max-lg:max-h-[max(10rem,calc(100dvh-29rem))] max-lg:overflow-y-auto
      lying:max-h-[60dvh]">
      <PrivateState {...props} />
      <TicketBanner {...props} />
    </div>
  );
}
