import { Button } from '#platform/ui/controls/button.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Film } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { WatchTogetherView } from '../../contract/private-running.ts';
import { useCheckAgain } from '../private/live.ts';
import { useWhereNow } from './live.ts';
import { LOUD, type Sound } from './volume.tsx';
import { WatchedVideo } from './watched-video.tsx';

interface ViewerWatchingProps {
  /** What is watched; null for nothing. */
  readonly watched: WatchTogetherView | null;
  /** Username and display name of the performer. */
  readonly broadcaster: string;
  readonly name: string;
}

/** The video that the performer shows this viewer, who can follow or hide it. */
export default function ViewerWatching({ watched, broadcaster, name }: ViewerWatchingProps) {
  const [sound, setSound] = useState(LOUD);
  return (
    <>
      <WatchStatus id={watched?.id ?? null} name={name} />
      {watched
        ? (
          <Following
            watched={watched}
            broadcaster={broadcaster}
            name={name}
            sound={sound}
            onSound={setSound}
          />
        )
        : null}
    </>
  );
}

/** For screen readers: a video has started, or is over. */
function WatchStatus({ id, name }: { readonly id: number | null; readonly name: string }) {
  const { t } = useTranslation('shows');
  const [hasBegun, setBegun] = useState(false);
  useEffect(() => {
    if (id !== null) setBegun(true);
  }, [id]);
  return (
    <p role="status" className="sr-only">
      {id === null && !hasBegun
        ? null
        : <span key={id}>{t(id === null ? 'watch.stopped' : 'watch.begun', { name })}</span>}
    </p>
  );
}

function Following({ watched, broadcaster, name, sound, onSound }: ViewerWatchingProps & {
  readonly watched: WatchTogetherView;
  readonly sound: Sound;
  readonly onSound: (sound: Sound) => void;
}) {
  const { t } = useTranslation('shows');
  const again = useCheckAgain(broadcaster);
  const whereNow = useWhereNow(watched);
  const [isHidden, setHidden] = useState(false);
  return (
    // Over a corner of the video if there is room, so that the bar does not change its height.
    <section
      aria-label={t('watch.title')}
      className="flex flex-col gap-2 pt-3 lg:absolute lg:right-2
      lg:bottom-full lg:z-10 lg:mb-1 lg:w-80 lg:rounded-card lg:border lg:border-line lg:bg-surface lg:p-3"
    >
      <div className="flex max-w-md flex-wrap items-center justify-between gap-2">
        <p className="flex min-w-0 items-center gap-2 text-sm">
          <Film size={20} aria-hidden className="shrink-0" />
          <span className="min-w-0 break-words">{t('watch.with', { name })}</span>
        </p>
        <Button onClick={() => setHidden(!isHidden)}>{t(isHidden ? 'watch.show' : 'watch.hide')}</Button>
      </div>
      {isHidden
        ? null
        : (
          <WatchedVideo
            key={watched.id}
            watched={watched}
            whereNow={whereNow}
            broadcaster={broadcaster}
            sound={sound}
            onSound={onSound}
            onLost={again}
          />
        )}
    </section>
  );
}
