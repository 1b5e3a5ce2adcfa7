import { SECOND_MS } from '#platform/time/units.ts';
import { useAction } from '#platform/ui/calls/calls.ts';
import { Button, IconButton } from '#platform/ui/controls/button.tsx';
import { Slider } from '#platform/ui/controls/slider.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Film, Pause, Play } from 'lucide-react';
import { useRef, useState, type ComponentProps } from 'react';
import { stopWatching, watchTogether } from '../../client.ts';
import type { WatchTogetherView } from '../../contract/private-running.ts';
import { useMinutes } from '../private/amounts.tsx';
import { useQueueAgain } from '../private/live.ts';
import { ChooseVideo } from './choose-video.tsx';
import { showWatched, usePosition, useWhereNow, type WhereNow } from './live.ts';
import { useMoves } from './moving.ts';
import { MUTED } from './volume.tsx';
import { WatchedVideo } from './watched-video.tsx';

/** Step of an arrow key on the position slider. */
const KEY_STEP_MS = 5 * SECOND_MS;

interface OwnWatchingProps {
  /** What is watched; null for nothing. */
  readonly watched: WatchTogetherView | null;
  /** Whether the performer may start a video: the setting is on. */
  readonly canChoose: boolean;
  /** Username of the performer. */
  readonly broadcaster: string;
}

/**
 * The performer chooses one of their recordings, and plays it for themselves and the viewer of their show.
 */
export default function OwnWatching({ watched, canChoose, broadcaster }: OwnWatchingProps) {
  const { t } = useTranslation('shows');
  const [isChoosing, setChoosing] = useState(false);
  const [sound, setSound] = useState(MUTED);
  const chooser = useRef<HTMLDivElement>(null);
  return (
    <section aria-label={t('watch.title')} className="flex flex-col items-start gap-2">
      {watched
        ? (
          <Watching
            watched={watched}
            broadcaster={broadcaster}
            sound={sound}
            onSound={setSound}
            onStopped={() => chooser.current?.querySelector('button')?.focus()}
          />
        )
        : null}
      {canChoose
        ? (
          <div ref={chooser}>
            <Button icon={<Film size={20} aria-hidden />} onClick={() => setChoosing(true)}>
              {t(watched ? 'watch.another' : 'watch.choose')}
            </Button>
          </div>
        )
        : null}
      {canChoose && isChoosing ? <ChooseVideo onClose={() => setChoosing(false)} /> : null}
    </section>
  );
}

interface WatchingProps
  extends Pick<ComponentProps<typeof WatchedVideo>, 'watched' | 'broadcaster' | 'sound' | 'onSound'>
{
  /** Called when the controls, one of which was clicked, are about to unmount. */
  readonly onStopped: () => void;
}

function Watching({ watched, broadcaster, sound, onSound, onStopped }: WatchingProps) {
  const { t } = useTranslation('shows');
  const again = useQueueAgain();
  const whereNow = useWhereNow(watched);
  const change = useAction(watchTogether, showWatched);
  const stop = useAction(stopWatching);
  const run = async (to: { readonly is_playing: boolean } | { readonly position_ms: number }) => {
    // If this is refused, watching has ended elsewhere.
    if (!(await change.run({ id: watched.id, ...to }))) again();
  };
  const end = async () => {
    if (await stop.run({})) onStopped();
    again();
  };
  return (
    <div className="flex w-full max-w-md flex-col gap-2">
      <p className="text-sm text-muted">{t('watch.quiet')}</p>
      <WatchedVideo
        key={watched.id}
        watched={watched}
        whereNow={whereNow}
        broadcaster={broadcaster}
        sound={sound}
        onSound={onSound}
        onLost={again}
      />
      <Controls key={`controls ${watched.id}`} watched={watched} whereNow={whereNow} onChange={run} />
      <FormError problem={change.problem ?? stop.problem} />
      <div>
        <Button tone="danger" busy={stop.busy} onClick={() => void end()}>{t('watch.stop')}</Button>
      </div>
    </div>
  );
}

function Controls({ watched, whereNow, onChange }: {
  readonly watched: WatchTogetherView;
  readonly whereNow: WhereNow;
  readonly onChange: (
    to: { readonly is_playing: boolean } | { readonly position_ms: number },
  ) => Promise<void>;
}) {
  const { t } = useTranslation('shows');
  const minutes = useMinutes();
  const { positionMs, isPlaying } = usePosition(whereNow);
  const { dragged, drag, drop } = useMoves((to) => onChange({ position_ms: to }));
  const shownMs = Math.floor(dragged ?? positionMs);
  return (
    <div className="flex items-center gap-2">
      <IconButton
        label={t(isPlaying ? 'watch.pause' : 'watch.play')}
        onClick={() => void onChange({ is_playing: !isPlaying })}
      >
        {isPlaying ? <Pause size={20} aria-hidden /> : <Play size={20} aria-hidden />}
      </IconButton>
      <div className="flex min-w-0 grow px-2">
        <Slider
          label={t('watch.position')}
          value={shownMs}
          min={0}
          max={Math.max(1, watched.length_ms)}
          keyStep={KEY_STEP_MS}
          text={minutes(Math.floor(shownMs / SECOND_MS))}
          onChange={drag}
          onDone={drop}
        />
      </div>
    </div>
  );
}
