import { Maximize, PictureInPicture2, Volume2, VolumeX } from 'lucide-react';
import { useCallback, useEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import { useCall } from '../../../platform/ui/calls/calls.ts';
import { Button, IconButton } from '../../../platform/ui/controls/button.tsx';
import { getPlayback } from '../contract.ts';
import { readStream, type ReaderPhase } from './whep-reader.ts';

const VOLUME_KEY = 'candela.volume';

interface PlayerProps {
  readonly username: string;
  /** Whether there is a stream to play now. */
  readonly live: boolean;
  /** The publisher is away for a moment: the last picture gives way to the cover, and nothing is retried. */
  readonly interrupted?: boolean;
  /** Shown instead of the picture while not live, and behind it while connecting. */
  readonly cover: ReactNode;
  /** What the video shows, for screen readers. */
  readonly label: string;
}

/**
 * The live picture with sound, volume, picture-in-picture and full screen. Heals by itself (see
 * `readStream`).
 */
export function Player({ username, live, interrupted = false, cover, label }: PlayerProps) {
  const { t } = useTranslation('broadcast');
  const frame = useRef<HTMLDivElement>(null);
  const video = useRef<HTMLVideoElement>(null);
  const phase = useReader(video, username, live, interrupted);
  const sound = useSound(video, phase === 'playing');
  const playing = live && !interrupted && phase === 'playing';
  return (
    <div
      ref={frame}
      className="group relative size-full overflow-hidden bg-black text-white"
      data-phase={phase}
      onDoubleClick={() => toggleFullScreen(frame.current)}>
      <video
        ref={video}
        autoPlay
        playsInline
        muted={sound.muted}
        aria-label={label}
        className={`size-full object-contain ${playing ? '' : 'invisible'}`}
      />
      {playing ? null : <div className="absolute inset-0">{cover}</div>}
      {live && !interrupted && !playing ? (
        <p role="status" className="absolute inset-x-0 bottom-4 text-center text-sm">
          <span className="rounded-full bg-black/70 px-3 py-1">{t(`phase.${phase}`)}</span>
        </p>
      ) : null}
      {playing && sound.blocked ? (
        <div className="absolute inset-0 flex items-center justify-center">
          <Button tone="primary" icon={<Volume2 size={20} aria-hidden />} onClick={sound.unmute}>
            {t('unmute')}
          </Button>
        </div>
      ) : null}
      {playing ? <Controls frame={frame} video={video} sound={sound} /> : null}
    </div>
  );
}

function Controls({ frame, video, sound }: {
  frame: RefObject<HTMLDivElement | null>; video: RefObject<HTMLVideoElement | null>; sound: Sound;
}) {
  const { t } = useTranslation('broadcast');
  return (
    <div
      className="absolute inset-x-0 bottom-0 flex items-center gap-1 bg-linear-to-t from-black/80
      to-transparent px-2 pt-8 opacity-0 transition-opacity group-hover:opacity-100 focus-within:opacity-100
      pointer-coarse:opacity-100 [&_button]:text-white [&_button:hover]:bg-white/15">
      <IconButton
        label={sound.muted ? t('unmute') : t('mute')}
        onClick={sound.muted ? sound.unmute : sound.mute}>
        {sound.muted ? <VolumeX size={20} aria-hidden /> : <Volume2 size={20} aria-hidden />}
      </IconButton>
      <input
        type="range"
        min={0}
        max={100}
        step={5}
        value={sound.muted ? 0 : sound.volume}
        aria-label={t('volume')}
        className="h-11 w-24 accent-(--brand-pink) max-sm:hidden"
        onChange={(change) => sound.setVolume(Number(change.target.value))}
      />
      <span className="grow" />
      {'pictureInPictureEnabled' in globalThis.document ? (
        <IconButton label={t('pictureInPicture')} onClick={() => void togglePictureInPicture(video.current)}>
          <PictureInPicture2 size={20} aria-hidden />
        </IconButton>
      ) : null}
      <IconButton label={t('fullScreen')} onClick={() => toggleFullScreen(frame.current)}>
        <Maximize size={20} aria-hidden />
      </IconButton>
    </div>
  );
}

function useReader(
  video: RefObject<HTMLVideoElement | null>, username: string, live: boolean, interrupted: boolean,
): ReaderPhase {
  const call = useCall();
  const [phase, setPhase] = useState<ReaderPhase>('connecting');
  const away = useRef(interrupted);
  away.current = interrupted;
  useEffect(() => {
    if (!live || !video.current) return undefined;
    return readStream({
      video: video.current,
      describe: () => call(getPlayback, { username }),
      onPhase: setPhase,
      isExpected: () => !away.current,
    });
  }, [call, live, username, video]);
  return phase;
}

interface Sound {
  readonly muted: boolean;
  /** The browser refused sound until somebody presses something. */
  readonly blocked: boolean;
  /** 0 to 100. */
  readonly volume: number;
  readonly mute: () => void;
  readonly unmute: () => void;
  readonly setVolume: (volume: number) => void;
}

/**
 * Sound on by default and as loud as last time; silent start where the browser's autoplay rule asks for it.
 */
function useSound(video: RefObject<HTMLVideoElement | null>, playing: boolean): Sound {
  const [muted, setMuted] = useState(false);
  const [blocked, setBlocked] = useState(false);
  const [volume, setShownVolume] = useState(100);
  const setVolume = useCallback((next: number) => {
    setShownVolume(next);
    setMuted(next === 0);
    if (video.current) video.current.volume = next / 100;
    globalThis.localStorage.setItem(VOLUME_KEY, String(next));
  }, [video]);
  const unmute = useCallback(() => {
    setMuted(false);
    setBlocked(false);
    if (video.current) video.current.muted = false;
    void video.current?.play();
  }, [video]);
  useEffect(() => {
    const kept = Number(globalThis.localStorage.getItem(VOLUME_KEY) ?? 100);
    if (Number.isFinite(kept) && kept > 0 && kept <= 100) setVolume(kept);
  }, [setVolume]);
  useEffect(() => {
    const element = video.current;
    if (!playing || !element) return;
    element.play().catch(() => {
      element.muted = true;
      setMuted(true);
      setBlocked(true);
      void element.play().catch(() => undefined);
    });
  }, [playing, video]);
  return { muted, blocked, volume, unmute, setVolume, mute: () => setMuted(true) };
}

function toggleFullScreen(frame: HTMLElement | null): void {
  if (document.fullscreenElement) void document.exitFullscreen();
  else void frame?.requestFullscreen?.();
}

async function togglePictureInPicture(video: HTMLVideoElement | null): Promise<void> {
  if (document.pictureInPictureElement) await document.exitPictureInPicture();
  else await video?.requestPictureInPicture?.();
}
