import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { NARROW_VIDEO_ASPECT, videoAspect } from '#product/broadcast/rules.ts';
import { Player } from '#product/broadcast/web/player/player.tsx';
import type { RoomDataView } from '#product/rooms/contract.ts';
import { mayFinishStream, maySeeStream } from '#product/rooms/rules.ts';
import { conditionsOf } from '#product/rooms/rules/room-data.ts';
import type { RoomLink } from '#product/rooms/web/live.ts';
import { StreamFace } from './entry/stream-face.tsx';
import { RoomParts } from './room-parts.tsx';
import { CloseSmallVideo } from './small-video.tsx';

/** Shape of the video panel (spec 2 §9). */
const aspectOf = (
  room: RoomDataView,
): string => (videoAspect(room) === NARROW_VIDEO_ASPECT ? 'aspect-4/3' : 'aspect-video');

/**
 * As wide as there is room for name and actions below it; a paid show and theatre view have no name. On a
 * phone it leaves space for tabs, actions, running costs and the chat, also while somebody types.
 */
export const PICTURE_HEIGHT = '[--phone:calc(var(--room,100dvh)_-_var(--around,57px)_-_23.5rem)] '
  + 'max-lg:max-h-[clamp(5rem,var(--phone),45dvh)] [--name:64px] '
  + 'lg:group-has-data-costs:[--name:0px] lg:group-data-theatre:[--name:0px] '
  + 'lg:max-h-[calc(var(--room,100dvh)-var(--around,57px)-var(--bar,62px)-var(--name))]';

/** When scrolled away, it continues in the corner of its column. */
const SMALL = 'lg:group-data-scrolled:fixed lg:group-data-scrolled:right-[376px] '
  + 'lg:group-data-scrolled:bottom-4 lg:group-data-scrolled:z-10 lg:group-data-scrolled:h-auto '
  + 'lg:group-data-scrolled:w-104 lg:group-data-scrolled:aspect-video lg:group-data-scrolled:rounded-card '
  + 'lg:group-data-scrolled:overflow-hidden lg:group-data-scrolled:shadow-float '
  + 'lg:group-data-scrolled:group-data-theatre:right-4';

interface PictureProps {
  readonly room: RoomDataView;
  readonly link: RoomLink;
  /** Usernames that this viewer ignores. */
  readonly ignored: ReadonlySet<string>;
  /** Closes the small video; null while there is none. */
  readonly onCloseSmall: (() => void) | null;
}

/** The live video, or its replacement, and the overlays on it. */
export function Picture({ room, link, ignored, onCloseSmall }: PictureProps) {
  const { t } = useTranslation('screens');
  const { user, chat, stream } = room;
  return (
    <div
      className={`${aspectOf(room)} ${PICTURE_HEIGHT} w-full shrink-0 bg-black phone-landscape:aspect-auto
      phone-landscape:h-full phone-landscape:max-h-none
      phone-landscape:group-data-chat:[--controls-end:max(40%,224px)]
      phone-landscape:[--offer:min(24rem,calc(100%_-_var(--controls-end,0px)_-_12rem))]`}
    >
      <div className={`relative size-full ${SMALL}`}>
        <Player
          username={user.username}
          live={maySeeStream(conditionsOf(room))}
          stream={stream.stream_name}
          interrupted={chat.status === 'reconnecting'}
          finishes={mayFinishStream(conditionsOf(room))}
          resumeCount={link.streamChanges}
          cover={<StreamFace room={room} />}
          label={t('room.video', { name: user.displayName })}
        />
        <RoomParts position="Over" room={room} link={link} ignored={ignored} />
        {onCloseSmall ? <CloseSmallVideo onClose={onCloseSmall} /> : null}
      </div>
    </div>
  );
}
