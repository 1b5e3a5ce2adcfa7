import type { PagePartProps } from '../../../rooms/web/page-part.ts';
import { PrivateBanner } from '../private/private-banner.tsx';
import { TicketBanner } from '../tickets/ticket-banner.tsx';

/** Under the performer's name: the shows this viewer takes part in. */
export default function RoomBanner(props: PagePartProps) {
  return (
    <>
      <TicketBanner {...props} />
      <PrivateBanner {...props} />
    </>
  );
}
