import { useCall } from '#platform/ui/calls/calls.ts';
import { useServerClock } from '#platform/ui/time/server-clock.ts';
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import { getPlayback } from '../../client.ts';
import { storeChoices, storedChoices, type PlayerChoices } from './choices.ts';
import type { Conditions, PlaybackEvent } from './playback-state.ts';
import { Playback, type PlaybackSnapshot } from './playback.ts';

/** The choices of this browser; null while rendering on the server. */
export function useChoices(): [PlayerChoices | null, (choices: PlayerChoices) => void] {
  const [choices, setChoices] = useState<PlayerChoices | null>(null);
  useEffect(() => setChoices(storedChoices()), []);
  const choose = useCallback((chosen: PlayerChoices) => {
    storeChoices(chosen);
    setChoices(chosen);
  }, []);
  return [choices, choose];
}

export interface Playing {
  /** Null before hydration. */
  readonly snapshot: PlaybackSnapshot | null;
  readonly dispatch: (event: PlaybackEvent) => void;
  readonly latencyMs: () => Promise<number | null>;
}

/**
 * Plays a performer's stream into `host` while mounted.
 * @param scene the stream, whether its publisher is away, whether it is paused, whether its end may be played
 */
export function usePlayback(
  host: RefObject<HTMLElement | null>,
  username: string,
  choices: PlayerChoices | null,
  { stream, isAway, isHalted, mayFinish }: Omit<Conditions, 'isOnline' | 'isPinned'>,
): Playing {
  const call = useCall();
  const { now } = useServerClock();
  const playback = useRef<Playback | null>(null);
  const [snapshot, setSnapshot] = useState<PlaybackSnapshot | null>(null);
  const isReady = choices !== null;
  const first = useRef(choices);
  first.current = choices;
  useEffect(() => {
    if (!host.current || !first.current) return undefined;
    const { quality, streamType } = first.current;
    const opened = new Playback({
      host: host.current,
      preference: { quality, streamType },
      onChange: setSnapshot,
      nowMs: now,
      describe: ({ via }) => call(getPlayback, { username, kind: via }),
    });
    playback.current = opened;
    return () => {
      opened.stop();
      playback.current = null;
      setSnapshot(null);
    };
  }, [call, host, isReady, now, username]);
  useEffect(() => {
    playback.current?.dispatch({ kind: 'conditions', conditions: { stream, isAway, isHalted, mayFinish } });
  }, [isReady, username, stream, isAway, isHalted, mayFinish]);
  const quality = choices?.quality;
  const streamType = choices?.streamType;
  useEffect(() => {
    if (quality && streamType) {
      playback.current?.dispatch(
        { kind: 'preference', preference: { quality, streamType } },
      );
    }
  }, [quality, streamType]);
  const dispatch = useCallback((event: PlaybackEvent) => playback.current?.dispatch(event), []);
  const latencyMs = useCallback(async () => (await playback.current?.latencyMs()) ?? null, []);
  return { snapshot, dispatch, latencyMs };
}
