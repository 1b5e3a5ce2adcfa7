import { FanclubAnnouncement } from '#product/fanclubs/web/announcement.tsx';
import { RequestNotice } from '#product/shows/web/private/performer/request-notice.tsx';

/** Above a performer's pages: news, where there is room for it, and requests for shows. */
export default function PerformerNotices({ bare }: { bare: boolean }) {
  return (
    <>
      {bare ? null : (
        <div className="unless-filled">
          <FanclubAnnouncement />
        </div>
      )}
      <RequestNotice />
    </>
  );
}
