import type { OutputOf } from '#platform/contract/call.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import { useMe } from '#product/accounts/web/me.ts';
import { storedChoices } from '#product/broadcast/web/playing/choices.ts';
import type { getRoom } from '#product/rooms/contract.ts';
import type { StreamStatus } from '#product/rooms/rules.ts';
import type { StreamCover } from '#product/rooms/web/page-part.ts';
import { CreditCard, KeyRound, LogIn, MoonStar, TvMinimalPlay, Unplug, type LucideIcon } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { useOpenPrompt } from '../../shell/money-prompts.tsx';
import { coverOf } from '../room-parts.tsx';

/** Loaded with the forms library; few rooms have a password. */
const PasswordForm = lazy(() => import('./password-form.tsx'));

type Room = OutputOf<typeof getRoom>;

/** Texts of `rooms` in place of the video; `reconnecting` is one of the two reasons to connect. */
type Said = 'locked' | 'guest' | 'card' | 'offline' | 'connected' | 'reconnecting' | 'standby';

const ICONS: Readonly<Record<Exclude<Said, 'offline'>, LucideIcon>> = {
  locked: KeyRound,
  guest: LogIn,
  card: CreditCard,
  connected: TvMinimalPlay,
  reconnecting: Unplug,
  standby: MoonStar,
};

const SAID: Readonly<Partial<Record<StreamStatus, Said>>> = {
  password_required: 'locked',
  guest_overlay: 'guest',
  cc_required: 'card',
  offline: 'offline',
  connected: 'connected',
  standby: 'standby',
};

/**
 * Shown in place of the video: why there is none, and what to do (spec 2 §4.3). While the video loads it
 * is only the performer's portrait. Statuses that a part of the room owns have that part's cover.
 */
export function StreamFace({ room }: { room: Room }) {
  const { streamStatus, chat, user } = room;
  const said = chat.status === 'reconnecting' && streamStatus === 'connected'
    ? 'reconnecting'
    : SAID[streamStatus] ?? null;
  const cover = coverOf(streamStatus);
  const picture = user.offlinePictureUrl ?? user.profilePictureUrl;
  return (
    <div
      className="relative flex size-full items-center justify-center overflow-hidden"
      data-stream-status={streamStatus}
    >
      {picture
        ? <img src={picture} alt="" className="absolute size-full object-cover opacity-60 blur-md" />
        : null}
      {said === 'offline' ? <OfflinePicture room={room} picture={picture} /> : null}
      {said === null ? null : <Words room={room} said={said} />}
      {cover === null ? null : <CoverWords cover={cover} name={user.displayName} />}
    </div>
  );
}

/** The performer's offline video, else the offline picture: 4:3 whatever the panel is (spec 2 §9). */
function OfflinePicture({ room, picture }: { room: Room; picture: string | null }) {
  const { videoUrl } = room.userSetting.offlineVideo;
  if (videoUrl) return <OfflineVideo url={videoUrl} poster={picture} name={room.user.displayName} />;
  return picture === null
    ? null
    : <img src={picture} alt="" className="relative aspect-4/3 h-full object-cover" data-offline-picture />;
}

/** Loops without audio; starts by itself only for people who want motion and its data use. */
function OfflineVideo({ url, poster, name }: { url: string; poster: string | null; name: string }) {
  const { t } = useTranslation('rooms');
  const video = useRef<HTMLVideoElement>(null);
  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches || storedChoices().saver;
    setAsked(isStill);
    // A video that the browser does not start by itself has controls.
    if (!isStill) video.current?.play().catch(() => setAsked(true));
  }, [url]);
  return (
    <video
      ref={video}
      src={url}
      poster={poster ?? undefined}
      muted
      loop
      playsInline
      preload="none"
      controls={isAsked}
      aria-label={t('offlineVideo', { name })}
      className="relative size-full object-contain"
    />
  );
}

/** Texts of a part of the room, and a link to live performers. */
function CoverWords({ cover, name }: { cover: StreamCover; name: string }) {
  const { Icon, title, text, hasOffer = false } = cover;
  const { t } = useTranslation('screens');
  return (
    <div className={`${WORDS} ${OVER_ALL} ${hasOffer ? 'justify-start sm:pt-8' : ''}`}>
      <Icon size={24} aria-hidden className={`shrink-0 ${hasOffer ? 'max-sm:hidden' : ''}`} />
      <p className="text-lg font-bold text-balance">{t(title, { name })}</p>
      <p className="max-w-md text-sm text-balance text-white/80">{t(text, { name })}</p>
      {hasOffer ? null : <ButtonLink to="/">{t('room.whoIsLive')}</ButtonLink>}
    </div>
  );
}

function Words({ room, said }: { room: Room; said: Said }) {
  const { t } = useTranslation('rooms');
  const { chat, user: { displayName: name } } = room;
  const Icon = said === 'offline' ? null : ICONS[said];
  const isOverVideo = room.userSetting.offlineVideo.videoUrl !== null;
  // The form needs the space that a small panel has.
  const spare = said === 'locked' ? 'max-sm:hidden' : '';
  const place = said === 'offline' ? (isOverVideo ? AT_HEAD : AT_FOOT) : OVER_ALL;
  return (
    <div className={`${WORDS} ${place}`}>
      {Icon === null ? null : <Icon size={24} aria-hidden className={`shrink-0 ${spare}`} />}
      <p className="text-lg font-bold text-balance">{t(`face.${said}.title`, { name })}</p>
      {said === 'offline'
        ? (
          chat.lastOnlineAt
            ? (
              <p className="text-sm text-white/80">
                {t('face.offline.text')} <RelativeTime at={chat.lastOnlineAt} />
              </p>
            )
            : null
        )
        : (
          <p className={`max-w-md text-sm text-balance text-white/80 ${spare}`}>
            {t(`face.${said}.text`, { name })}
          </p>
        )}
      <Action said={said} username={room.user.username} />
    </div>
  );
}

const WORDS = 'absolute flex flex-col items-center gap-2 p-4 text-center text-white';
const OVER_ALL = 'inset-0 justify-center bg-black/55';
/** Over a picture of the performer the text is at the foot, where it covers the least. */
const AT_FOOT = 'pointer-events-none inset-x-0 bottom-0 bg-linear-to-t from-black via-black/70 '
  + 'to-transparent pt-16';
/** A video has its controls at the foot. */
const AT_HEAD = 'pointer-events-none inset-x-0 top-0 bg-linear-to-b from-black via-black/70 to-transparent '
  + 'pb-16';

/** What a viewer can do instead of waiting. */
function Action({ said, username }: { said: Said; username: string }): ReactNode {
  const { t } = useTranslation('rooms');
  const me = useMe();
  const askLogin = useLoginPrompt();
  const openPrompt = useOpenPrompt();
  // Here viewers wait a moment; other live performers are shown below somebody offline.
  if (said === 'connected' || said === 'reconnecting' || said === 'offline') return null;
  if (said === 'guest' || (said === 'card' && !me)) {
    return <Button tone="primary" onClick={() => void askLogin('watch')}>{t('face.guest.action')}</Button>;
  }
  if (said === 'locked') {
    return (
      <Suspense>
        <PasswordForm username={username} />
      </Suspense>
    );
  }
  if (said === 'card') {
    return <Button tone="primary" onClick={() => openPrompt('purchase')}>{t('face.card.action')}</Button>;
  }
  return <ButtonLink to="/">{t('screens:room.whoIsLive')}</ButtonLink>;
}
