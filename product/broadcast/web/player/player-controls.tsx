import { IconButton } from '#platform/ui/controls/button.tsx';
import { Extra } from '#platform/ui/faults/crash-boundary.tsx';
import { PLAYER_KEYS, shortcutsOf, type PlayerAction } from '#platform/ui/player/keys.ts';
import { hasPictureInPicture, toggleFullScreen, togglePictureInPicture } from '#platform/ui/player/screen.ts';
import type { Sound } from '#platform/ui/player/sound.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Maximize, Pause, PictureInPicture2, Settings2, Volume2, VolumeX } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState, type RefObject } from 'react';
import type { PlayerChoices } from '../playing/choices.ts';
import { formatLatency } from '../playing/latency.ts';
import type { PlaybackSnapshot } from '../playing/playback.ts';

/** Loaded when first opened. */
const PlayerSettings = lazy(async () => ({
  default: (await import('./player-settings.tsx')).PlayerSettings,
}));

/** Loaded after the video, since phones never show it. */
const Slider = lazy(async () => ({
  default: (await import('#platform/ui/controls/slider.tsx')).Slider,
}));

/** Interval of measuring the latency, which changes slowly. */
const LATENCY_EVERY_MS = 2_000;

interface ControlsProps {
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly video: HTMLVideoElement | null;
  readonly sound: Sound;
  readonly snapshot: PlaybackSnapshot;
  readonly latencyMs: () => Promise<number | null>;
  readonly choices: PlayerChoices;
  readonly onChoose: (choices: PlayerChoices) => void;
  readonly onPause: () => void;
}

/** The control bar over the video: visible while the player is hovered or focused, or after a touch. */
export function PlayerControls({
  frame,
  video,
  sound,
  snapshot,
  latencyMs,
  choices,
  onChoose,
  onPause,
}: ControlsProps) {
  const { t } = useTranslation('broadcast');
  const [isOpen, setOpen] = useState(false);
  const settings = useRef<HTMLButtonElement>(null);
  const delayMs = useLatency(latencyMs);
  const keyed = (action: PlayerAction, label: string) => ({
    label,
    title: `${label} (${PLAYER_KEYS[action][0]})`,
    'aria-keyshortcuts': shortcutsOf(action),
  });
  return (
    <div data-controls>
      <div
        className={`absolute right-[var(--controls-end,0px)] bottom-0 left-0 flex items-center gap-1
          bg-linear-to-t from-black/80 to-transparent px-2 pt-8 transition-opacity
          group-hover:opacity-100 group-focus-within:opacity-100
          group-data-touched:opacity-100 pointer-coarse:not-group-data-touched:pointer-events-none
          [&_button]:text-white [&_button:hover]:bg-white/15 ${isOpen ? '' : 'opacity-0'}`}
      >
        <IconButton {...keyed('pause', t('pause'))} onClick={onPause}>
          <Pause size={20} aria-hidden />
        </IconButton>
        <IconButton {...keyed('mute', sound.muted ? t('unmute') : t('mute'))} onClick={sound.toggle}>
          {sound.muted ? <VolumeX size={20} aria-hidden /> : <Volume2 size={20} aria-hidden />}
        </IconButton>
        <div className="flex w-28 px-2 max-sm:hidden">
          <Extra>
            <Slider
              label={t('volume')}
              value={sound.muted ? 0 : sound.volume}
              min={0}
              max={100}
              step={5}
              onChange={sound.setVolume}
            />
          </Extra>
        </div>
        <Delay delayMs={delayMs} isHls={snapshot.state.shown?.via === 'hls'} />
        <span className="grow" />
        <IconButton
          ref={settings}
          label={t('settings.title')}
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Settings2 size={20} aria-hidden />
        </IconButton>
        {hasPictureInPicture()
          ? (
            <IconButton
              {...keyed('pictureInPicture', t('pictureInPicture'))}
              onClick={() => void togglePictureInPicture(video)}
            >
              <PictureInPicture2 size={20} aria-hidden />
            </IconButton>
          )
          : null}
        <IconButton
          {...keyed('fullScreen', t('fullScreen'))}
          onClick={() => toggleFullScreen(frame.current, video)}
        >
          <Maximize size={20} aria-hidden />
        </IconButton>
      </div>
      {isOpen
        ? (
          <Suspense>
            <PlayerSettings
              button={settings}
              choices={choices}
              onChoose={onChoose}
              onClose={() => setOpen(false)}
              snapshot={snapshot}
              video={video}
              delayMs={delayMs}
            />
          </Suspense>
        )
        : null}
    </div>
  );
}

/** How far the video is behind live; hidden on the narrowest phones, which have room only for the buttons. */
function Delay({ delayMs, isHls }: { delayMs: number | null; isHls: boolean }) {
  const { t, i18n } = useTranslation('broadcast');
  if (delayMs === null) return null;
  const seconds = formatLatency(delayMs, i18n.language);
  return (
    <p
      data-testid="delay"
      title={t('delayHint')}
      className="tabular flex items-center gap-2 px-2 text-xs whitespace-nowrap max-[22.5rem]:hidden"
    >
      <span className="size-2 shrink-0 rounded-full bg-pink" aria-hidden />
      {t(isHls ? 'delayHls' : 'delay', { seconds })}
    </p>
  );
}

function useLatency(latencyMs: () => Promise<number | null>): number | null {
  const [delayMs, setDelay] = useState<number | null>(null);
  useEffect(() => {
    let isOver = false;
    const measure = async () => {
      const measured = await latencyMs();
      if (!isOver && measured !== null) setDelay(measured);
    };
    const timer = setInterval(() => void measure(), LATENCY_EVERY_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [latencyMs]);
  return delayMs;
}
