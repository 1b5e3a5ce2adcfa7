import { useFocusPlace } from '#platform/ui/focus-place.ts';
import { Pill } from '#platform/ui/surfaces/card.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { StaffBadge } from '#platform/ui/text/person-name.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { RoomDataView } from '#product/rooms/contract.ts';
import type { RoomLink } from '#product/rooms/web/live.ts';
import { useRef } from 'react';
import { Link } from 'react-router';
import { KeepOpen } from '../connection/keep-open.tsx';
import { RoomParts } from '../room-parts.tsx';

/** Who the performer is, in their own words. */
export function About({ room, link }: { room: RoomDataView; link: RoomLink }) {
  const { t } = useTranslation('screens');
  const { user, chat } = room;
  const own = useRef<HTMLElement>(null);
  useFocusPlace(own);
  return (
    <section ref={own} aria-labelledby="about-title" className="flex flex-col gap-3">
      <h2 id="about-title" className="text-lg font-bold">{t('room.about', { name: user.displayName })}</h2>
      <RoomParts position="About" room={room} link={link} />
      <span className="sm:hidden">
        <KeepOpen room={room} />
      </span>
      <p className="text-sm text-muted">{user.isStaff ? <StaffBadge /> : null}@{user.username}</p>
      <p className="whitespace-pre-line break-words">
        {user.about ? <Typed>{user.about}</Typed> : t('room.noAbout')}
      </p>
      <p>
        <Link
          to={`/${user.username}/bio`}
          className="inline-flex min-h-11 items-center text-link hover:underline"
        >
          {t('room.bio', { name: user.displayName })}
        </Link>
      </p>
      {user.tagListNew.length
        ? (
          <ul className="flex flex-wrap gap-2" aria-label={t('room.tags')}>
            {user.tagListNew.map((tag) => (
              <li key={tag}>
                <Pill>#{tag}</Pill>
              </li>
            ))}
          </ul>
        )
        : null}
      {chat.lastOnlineAt && chat.status === 'offline'
        ? (
          <p className="text-sm text-muted">
            {t('rooms:face.offline.text')} <RelativeTime at={chat.lastOnlineAt} />
          </p>
        )
        : null}
    </section>
  );
}
