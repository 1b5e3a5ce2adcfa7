import { useMe } from '#product/accounts/web/me.ts';
import type { PagePartProps, RoomPagePart } from '#product/rooms/web/page-part.ts';
import { ReportButton } from './report-button.tsx';

/** In the panel about the performer, for everybody except the performer. */
function ReportRoom({ room: { user, auth } }: PagePartProps) {
  const me = useMe();
  if (auth.isStreamer || me?.user.username === user.username) return null;
  const { username, displayName: name } = user;
  return (
    <div>
      <ReportButton target={{ kind: 'room', username, name }} />
    </div>
  );
}

export const moderationOnPage: RoomPagePart = { texts: ['moderation'], About: ReportRoom };
