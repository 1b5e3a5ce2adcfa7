import { FanclubAnnouncement } from '#product/fanclubs/web/announcement.tsx';
import { RequestNotice } from '#product/shows/web/private/performer/request-notice.tsx';

/** Above the pages of a performer: what is new, where there is room for it, and who waits for a show. */
export default function PerformerNotices({ bare }: { bare: boolean }) {
  return (
    <>
      {bare ? null : <div className="unless-filled"><FanclubAnnouncement /></div>}
      <RequestNotice />
    </>
  );
}
