import { SECOND_MS } from '#platform/time/units.ts';
import { useCallAddress } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { clockText } from '#platform/ui/text/measures.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Play } from 'lucide-react';
import { useCallback, useState } from 'react';
import { getWatchedFile } from '../../client.ts';
import type { WatchTogetherView } from '../../contract/private-running.ts';
import { useFollow } from './follow.ts';
import { usePosition, useWatchChange, type WhereNow } from './live.ts';
import { Volume, type Sound } from './volume.tsx';

const clockOf = (ms: number): string => clockText(Math.floor(ms / SECOND_MS));

interface WatchedVideoProps {
  readonly watched: WatchTogetherView;
  readonly whereNow: WhereNow;
  /** Username of the performer. */
  readonly broadcaster: string;
  readonly sound: Sound;
  readonly onSound: (sound: Sound) => void;
  /** Called when the video cannot be read: there may be nothing left to watch. */
  readonly onLost: () => void;
}

/** The video both people in a show watch, at the shared position; each of them controls their own volume. */
export function WatchedVideo(
  { watched, whereNow, broadcaster, sound, onSound, onLost }: WatchedVideoProps,
) {
  const { t } = useTranslation('shows');
  const addressOf = useCallAddress();
  const [video, setVideo] = useState<HTMLVideoElement | null>(null);
  const [tries, setTries] = useState(0);
  const [hasFailed, setFailed] = useState(false);
  const { isBlocked, join } = useFollow(video, whereNow);
  const { positionMs, isPlaying } = usePosition(whereNow);
  const retry = useCallback(() => {
    setFailed(false);
    setTries((count) => count + 1);
  }, []);
  // An unreadable video may be readable now.
  useWatchChange(useCallback(() => {
    if (hasFailed) retry();
  }, [hasFailed, retry]));
  const again = () => {
    retry();
    onLost();
  };
  return (
    <div className="flex max-w-md flex-col gap-2">
      <div className="relative aspect-video overflow-hidden rounded-card bg-black">
        {/* The performer plays and pauses it, so it has no controls of its own. */}
        <video
          key={tries}
          ref={setVideo}
          playsInline
          preload="auto"
          aria-label={t('watch.video')}
          src={addressOf(getWatchedFile, { username: broadcaster, id: watched.id })}
          onError={() => {
            setFailed(true);
            onLost();
          }}
          className="size-full object-contain"
        />
        {isBlocked && !hasFailed
          ? (
            <div className="absolute inset-0 flex items-center justify-center bg-black/60">
              <Button tone="primary" icon={<Play size={20} aria-hidden />} onClick={join}>
                {t('watch.join')}
              </Button>
            </div>
          )
          : null}
      </div>
      {hasFailed
        ? (
          <div className="flex flex-wrap items-center gap-3">
            <p role="alert" className="min-w-0 grow text-sm">{t('watch.failed')}</p>
            <Button onClick={again}>{t('watch.again')}</Button>
          </div>
        )
        : null}
      <div className="flex items-center gap-2">
        <Volume video={video} sound={sound} onSound={onSound} />
        <p className="tabular grow text-end text-sm text-muted">
          {clockOf(positionMs)} / {clockOf(watched.length_ms)}
        </p>
      </div>
      <p role="status" className="text-sm text-muted empty:sr-only">
        {isPlaying ? null : t('watch.paused')}
      </p>
    </div>
  );
}
