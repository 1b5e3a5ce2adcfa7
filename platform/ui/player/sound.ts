import { useCallback, useEffect, useState } from 'react';

const VOLUME_KEY = 'candela.volume';
const FULL = 100;
/** The change by one press of an arrow key. */
const STEP = 5;

export interface Sound {
  readonly muted: boolean;
  /** Whether the browser refuses audio until somebody clicks or presses a key. */
  readonly blocked: boolean;
  /** 0 to 100. */
  readonly volume: number;
  readonly toggle: () => void;
  readonly unmute: () => void;
  readonly setVolume: (volume: number) => void;
  readonly louder: () => void;
  readonly quieter: () => void;
}

/** The stored volume; full when there is none or it is invalid. */
function readVolume(stored: string | null): number {
  const volume = Number(stored ?? FULL);
  return Number.isFinite(volume) && volume > 0 && volume <= FULL ? volume : FULL;
}

/**
 * Audio is on by default and as loud as last time; playback starts muted where the browser's autoplay rule
 * requires it.
 * @param video may change while it plays: the next element continues with the same volume
 */
export function useSound(video: HTMLVideoElement | null, isPlaying: boolean): Sound {
  const [muted, setMuted] = useState(false);
  const [blocked, setBlocked] = useState(false);
  const [volume, setShownVolume] = useState(FULL);
  const setVolume = useCallback((next: number) => {
    const bounded = Math.min(FULL, Math.max(0, next));
    setShownVolume(bounded);
    setMuted(bounded === 0);
    setBlocked(false);
    keepVolume(bounded);
  }, []);
  const unmute = useCallback(() => {
    setMuted(false);
    setBlocked(false);
    setShownVolume((known) => (known === 0 ? FULL : known));
  }, []);
  useEffect(() => setShownVolume(readVolume(storedVolume())), []);
  useEffect(() => {
    if (!video || !isPlaying) return undefined;
    video.volume = volume / FULL;
    const startSilently = (): void => {
      video.muted = true;
      setMuted(true);
      setBlocked(true);
      void video.play().catch(() => undefined);
    };
    // Chromium pauses a video that is unmuted before any interaction, and logs a warning.
    if (!muted && isUntouched()) return startSilently();
    video.muted = muted;
    video.play().catch(() => {
      if (!muted && video.isConnected) startSilently();
    });
    return undefined;
  }, [video, isPlaying, muted, volume]);
  const toggle = muted ? unmute : () => setMuted(true);
  return {
    muted,
    blocked,
    volume,
    unmute,
    setVolume,
    toggle,
    louder: () => setVolume(muted ? STEP : volume + STEP),
    quieter: () => setVolume(muted ? 0 : volume - STEP),
  };
}

/** Whether there was no interaction with this page yet; false in browsers that do not say. */
const isUntouched = (): boolean => (navigator as Partial<Navigator>).userActivation?.hasBeenActive === false;

/** Storage may be blocked; then each visit begins at full volume. */
function storedVolume(): string | null {
  try {
    return globalThis.localStorage.getItem(VOLUME_KEY);
  } catch {
    return null;
  }
}

function keepVolume(volume: number): void {
  try {
    globalThis.localStorage.setItem(VOLUME_KEY, String(volume));
  } catch {
    // Not stored: current playback doesn't depend on it.
  }
}
