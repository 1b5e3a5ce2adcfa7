import type { PagePartProps } from '../../../rooms/web/page-part.ts';
import { PrivateBanner } from '../private/private-banner.tsx';
import { TicketBanner } from '../tickets/ticket-banner.tsx';

/**
 * Under the performer's name: the shows this viewer takes part in. On phones they scroll in what the video,
 * the name, the tabs and the field of the chat leave of the screen.
 */
export default function RoomBanner(props: PagePartProps) {
  return (
    <div className="relative shrink-0 max-lg:max-h-[max(8rem,calc(100dvh-30rem))] max-lg:overflow-y-auto">
      <TicketBanner {...props} />
      <PrivateBanner {...props} />
    </div>
  );
}
