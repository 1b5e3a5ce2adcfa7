import { keyOf } from '#platform/text/message-keys.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { shortcutsOf, usePlayerKeys } from '#platform/ui/player/keys.ts';
import { toggleFullScreen, togglePictureInPicture } from '#platform/ui/player/screen.ts';
import { useSound, type Sound } from '#platform/ui/player/sound.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Play, RotateCcw, Volume2 } from 'lucide-react';
import {
  useCallback,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
  type PointerEvent,
  type ReactNode,
} from 'react';
import { displayStateOf, type DisplayState, type PlaybackState } from '../playing/playback-state.ts';
import { useChoices, usePlayback } from '../playing/use-playback.ts';
import { PlayerControls } from './player-controls.tsx';

/** How long the player shows that it has switched to HLS. */
const SWITCHED_MS = 6_000;
/** How long the controls stay visible after a touch. */
const TOUCHED_MS = 4_000;

interface PlayerProps {
  readonly username: string;
  /** Whether there is a stream to play now. */
  readonly live: boolean;
  /** Its name, if known; a new name restarts playback. */
  readonly stream?: string | null;
  /** The publisher is reconnecting: shows the cover, and retries nothing. */
  readonly interrupted?: boolean;
  /**
   * Whether this viewer may watch the rest of the stream when it ends: true before the end and after it.
   */
  readonly finishes?: boolean;
  /** Grows with each stream event of the room; playback that is frozen then restarts. */
  readonly resumeCount?: number;
  /** Shown while no video plays. */
  readonly cover: ReactNode;
  /** What the video shows, for screen readers. */
  readonly label: string;
}

/** Placeholder for a stream whose name the page does not have. */
const UNNAMED = 'unnamed';

/**
 * The live player: volume, quality, picture-in-picture, full screen, keyboard shortcuts. Falls back between
 * transports and recovers by itself (`playing/playback-state.ts`).
 */
export function Player(
  {
    username,
    live,
    stream,
    interrupted = false,
    finishes = false,
    resumeCount = 0,
    cover,
    label,
  }: PlayerProps,
) {
  const { t } = useTranslation('broadcast');
  const frame = useRef<HTMLDivElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const [choices, choose] = useChoices();
  const [paused, setPaused] = useState(false);
  const isHidden = useHidden();
  const [isPinned, setPinned] = useState(false);
  // Picture-in-picture is watched while the tab is hidden.
  const isSaving = isHidden && !isPinned && choices?.saver === true;
  const { snapshot, dispatch, latencyMs } = usePlayback(host, username, choices, {
    stream: live ? (stream ?? UNNAMED) : null,
    isAway: interrupted,
    isHalted: paused || isSaving,
    mayFinish: finishes,
  });
  useEffect(() => {
    if (resumeCount > 0) dispatch({ kind: 'resumed' });
  }, [dispatch, resumeCount]);
  const pinned = snapshot?.state.conditions.isPinned ?? false;
  useEffect(() => setPinned(pinned), [pinned]);
  const display: DisplayState = snapshot ? displayStateOf(snapshot.state) : live ? 'connecting' : 'idle';
  const isPlaying = display === 'playing';
  const video = snapshot?.video ?? null;
  const isSoundAlone = !useHasPicture(video) && isPlaying;
  const sound = useSound(video, snapshot?.state.shown?.phase === 'playing');
  const touch = useTouched();
  const pause = () => {
    setPaused(true);
    // The clicked button disappears, so focus moves to the player for its shortcuts.
    frame.current?.focus();
  };
  useEffect(() => video?.setAttribute('aria-label', label), [video, label]);
  usePlayerKeys(frame, {
    mute: sound.toggle,
    louder: sound.louder,
    quieter: sound.quieter,
    pause: () => (live && !paused ? pause() : setPaused(false)),
    fullScreen: () => toggleFullScreen(frame.current, video),
    pictureInPicture: () => void togglePictureInPicture(video),
  });
  return (
    <div
      ref={frame}
      role="group"
      tabIndex={0}
      aria-label={t('player')}
      className="group relative size-full overflow-hidden bg-black text-white -outline-offset-2"
      data-phase={display}
      data-via={snapshot?.state.shown?.via}
      data-touched={touch.isOn || undefined}
      onPointerUp={touch.onPointerUp}
      onDoubleClick={() => toggleFullScreen(frame.current, video)}
    >
      <div ref={host} className={`absolute inset-0 ${isPlaying ? '' : 'invisible'}`} />
      {isPlaying && !isSoundAlone ? null : <div className="absolute inset-0">{cover}</div>}
      <StatusLine display={display} state={snapshot?.state ?? null} isSoundAlone={isSoundAlone} />
      <CenterButton
        display={display}
        sound={sound}
        onPlay={() => setPaused(false)}
        onRetry={() => dispatch({ kind: 'retry' })}
      />
      {isPlaying && snapshot && choices
        ? (
          <PlayerControls
            frame={frame}
            video={video}
            sound={sound}
            snapshot={snapshot}
            latencyMs={latencyMs}
            choices={choices}
            onChoose={choose}
            onPause={pause}
          />
        )
        : null}
    </div>
  );
}

/** Whether the video has frames; without any, it plays audio only. */
function useHasPicture(video: HTMLVideoElement | null): boolean {
  const subscribe = useCallback((changed: () => void) => {
    const events = ['loadedmetadata', 'resize', 'emptied'] as const;
    for (const name of events) video?.addEventListener(name, changed);
    return () => {
      for (const name of events) video?.removeEventListener(name, changed);
    };
  }, [video]);
  return useSyncExternalStore(subscribe, () => (video?.videoWidth ?? 0) > 0, () => false);
}

/** Whether the tab is hidden. */
function useHidden(): boolean {
  const [hidden, setHidden] = useState(false);
  useEffect(() => {
    const look = () => setHidden(document.hidden);
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return hidden;
}

/** Touch has no hover: a tap shows the controls for a while, another hides them. */
function useTouched() {
  const [touchedAt, setTouchedAt] = useState<number | null>(null);
  useEffect(() => {
    if (touchedAt === null) return undefined;
    const timer = setTimeout(() => setTouchedAt(null), TOUCHED_MS);
    return () => clearTimeout(timer);
  }, [touchedAt]);
  return {
    isOn: touchedAt !== null,
    onPointerUp: ({ pointerType, timeStamp, target }: PointerEvent) => {
      if (pointerType === 'mouse') return;
      const isOnControl = (target as Element).closest('[data-controls]') !== null;
      setTouchedAt((known) => (known === null || isOnControl ? timeStamp : null));
    },
  };
}

const WITH_TEXT: ReadonlySet<DisplayState> = new Set([
  'connecting',
  'waiting',
  'lost',
  'full',
  'unplugged',
  'blocked',
  'refused',
  'unsupported',
]);

/** One line about problems and progress, which screen readers speak when it changes. */
function StatusLine({ display, state, isSoundAlone }: {
  display: DisplayState;
  state: PlaybackState | null;
  isSoundAlone: boolean;
}) {
  const { t } = useTranslation('broadcast');
  const isSwitched = useSwitched(display, state);
  const isDirect = state?.can.webrtc !== false || !state.browser.webrtc;
  const text = WITH_TEXT.has(display)
    ? t(
      keyOf('broadcast', 'phase', display),
    )
    : isSoundAlone
    ? t('soundAlone')
    : isSwitched
    ? t(isDirect ? 'switchedToHls' : 'delayedByHls')
    : '';
  return (
    <p role="status" className="pointer-events-none absolute inset-x-0 bottom-14 px-4 text-center text-sm">
      {text === '' ? null : <span className="inline-block rounded-2xl bg-black/70 px-3 py-1">{text}</span>}
    </p>
  );
}

/** True for a moment after the player fell back to HLS. */
function useSwitched(display: DisplayState, state: PlaybackState | null): boolean {
  const isFallback = display === 'playing' && state?.shown?.via === 'hls'
    && state.preference.streamType !== 'hls';
  const [isRecent, setRecent] = useState(false);
  useEffect(() => {
    setRecent(isFallback);
    if (!isFallback) return undefined;
    const timer = setTimeout(() => setRecent(false), SWITCHED_MS);
    return () => clearTimeout(timer);
  }, [isFallback]);
  return isRecent;
}

/** The button shown while there is no video or no sound. */
function CenterButton({ display, sound, onPlay, onRetry }: {
  display: DisplayState;
  sound: Sound;
  onPlay: () => void;
  onRetry: () => void;
}) {
  const { t } = useTranslation('broadcast');
  const button = display === 'paused'
    ? (
      <Button
        tone="primary"
        icon={<Play size={20} aria-hidden />}
        aria-keyshortcuts={shortcutsOf('pause')}
        onClick={onPlay}
      >
        {t('backToLive')}
      </Button>
    )
    : display === 'refused' || display === 'unsupported'
    ? <Button icon={<RotateCcw size={20} aria-hidden />} onClick={onRetry}>{t('tryAgain')}</Button>
    : display === 'playing' && sound.blocked
    ? (
      <Button tone="primary" icon={<Volume2 size={20} aria-hidden />} onClick={sound.unmute}>
        {t('unmute')}
      </Button>
    )
    : null;
  return button === null
    ? null
    : (
      // An offer covers the lower half of a small video, and the left of one that is not wide; on a phone in
      // landscape the chat covers the right.
      <div className="absolute inset-0 flex items-center justify-center
        max-sm:group-has-data-offer:items-start max-sm:group-has-data-offer:pt-4
        sm:max-xl:group-has-data-offer:pl-100 phone-landscape:items-center!
        phone-landscape:group-has-data-offer:pt-0 phone-landscape:group-has-data-offer:pr-(--controls-end,0px)
        phone-landscape:group-has-data-offer:pl-[calc(var(--offer,0px)+0.5rem)]">
        {button}
      </div>
    );
}
