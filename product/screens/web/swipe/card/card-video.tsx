import type { Problem } from '#platform/contract/client.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { ErrorState } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Player } from '#product/broadcast/web/player/player.tsx';
import { useChoices } from '#product/broadcast/web/playing/use-playback.ts';
import type { ListingEntryView } from '#product/browse/contract.ts';
import type { RoomDataView } from '#product/rooms/contract.ts';
import { mayFinishStream, maySeeStream } from '#product/rooms/rules.ts';
import { conditionsOf } from '#product/rooms/rules/room-data.ts';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { useGuestOverlay } from '../../room/entry/guest-overlay.ts';
import { StreamFace } from '../../room/entry/stream-face.tsx';

/** The thumbnail of a performer, else their initial. */
export function Still({ entry: { displayName, liveThumbUrl, thumbUrl } }: { entry: ListingEntryView }) {
  const [broken, setBroken] = useState<readonly string[]>([]);
  const src = [liveThumbUrl, thumbUrl].find((url) => url !== null && !broken.includes(url));
  if (!src) {
    return (
      <span
        aria-hidden
        className="flex size-full items-center justify-center bg-raised text-2xl font-bold text-muted"
      >
        {displayName[0]?.toUpperCase()}
      </span>
    );
  }
  return (
    <img
      src={src}
      alt=""
      decoding="async"
      className="size-full object-cover"
      onError={() => setBroken([...broken, src])}
    />
  );
}

interface VideoProps {
  readonly entry: ListingEntryView;
  /** Undefined until it is read. */
  readonly room: RoomDataView | undefined;
  /** Why the room could not be read. */
  readonly problem: Problem | null;
  readonly onRetry: () => void;
  readonly onNext: () => void;
}

/** The live video of the current card, or the reason why there is none. */
export function CardVideo({ entry, room, problem, onRetry, onNext }: VideoProps) {
  const { t } = useTranslation('screens');
  // Refused now, whatever was read before: removed, blocked by region, gone.
  if (problem && problem.status >= 400 && problem.status < 500) {
    return <Away text={t('swipe.unavailable', { name: entry.displayName })} onNext={onNext} />;
  }
  if (room?.streamStatus === 'offline') {
    return <Away text={t('swipe.gone', { name: entry.displayName })} onNext={onNext} />;
  }
  if (room) return <Watched entry={entry} data={room} />;
  if (!problem) return <Still entry={entry} />;
  return (
    <div className="flex size-full items-center justify-center bg-surface">
      <ErrorState text={problem.message || t('swipe.roomFailed')} problem={problem} onRetry={onRetry} />
    </div>
  );
}

/** Plays by itself; for people who save data, only on request. */
function Watched({ entry, data }: { entry: ListingEntryView; data: RoomDataView }) {
  const { t } = useTranslation('screens');
  const room = useGuestOverlay(data);
  const [choices] = useChoices();
  const [isAsked, setAsked] = useState(false);
  const mayPlay = maySeeStream(conditionsOf(room));
  if (choices === null) return <Still entry={entry} />;
  if (choices.saver && !isAsked && mayPlay) {
    return (
      <>
        <Still entry={entry} />
        <div className="absolute inset-0 flex items-center justify-center">
          <Button icon={<Play size={20} aria-hidden />} onClick={() => setAsked(true)}>
            {t('swipe.play')}
          </Button>
        </div>
      </>
    );
  }
  return (
    <Player
      username={entry.username}
      live={mayPlay}
      stream={room.stream.stream_name}
      interrupted={room.chat.status === 'reconnecting'}
      finishes={mayFinishStream(conditionsOf(room))}
      cover={room.streamStatus === 'online' ? <Still entry={entry} /> : <StreamFace room={room} />}
      label={t('room.video', { name: entry.displayName })}
    />
  );
}

/** Nothing to see here any more, with a button to the next performer. */
function Away({ text, onNext }: { text: string; onNext: () => void }) {
  const { t } = useTranslation('screens');
  return (
    <div
      role="status"
      className="flex size-full flex-col items-center justify-center gap-4 bg-raised p-4 text-center"
    >
      <p className="text-lg font-bold text-balance">{text}</p>
      <Button onClick={onNext}>{t('swipe.next')}</Button>
    </div>
  );
}
