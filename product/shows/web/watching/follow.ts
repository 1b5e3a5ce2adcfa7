import { useCallback, useEffect, useState } from 'react';
import { SECOND_MS } from '#platform/time/units.ts';
import { MAX_DRIFT_MS } from '../../rules/private.ts';
import type { WhereNow } from './live.ts';

/** What a video says of what has come of it (`readyState`): its length, and more than where it stands. */
const [HAS_METADATA, HAS_FUTURE_DATA] = [1, 3];
/** How often a page looks whether its video is where it should be. */
const FOLLOW_EVERY_MS = 500;
/** A video that stands still is put where it stands for the other one, to what nobody sees. */
const MAX_STILL_DRIFT_MS = 200;
/** A video that waits for its bytes jumps only when it is this far: each jump throws away what has come. */
const MAX_WAITING_DRIFT_MS = 5 * SECOND_MS;

function mostDrift({ readyState }: HTMLVideoElement, isPlaying: boolean): number {
  if (!isPlaying) return MAX_STILL_DRIFT_MS;
  return readyState < HAS_FUTURE_DATA ? MAX_WAITING_DRIFT_MS : MAX_DRIFT_MS;
}

/** Puts a video where it should be, when it is too far from it. */
function correct(video: HTMLVideoElement, { positionMs, isPlaying }: ReturnType<WhereNow>): void {
  const last = Number.isFinite(video.duration) ? video.duration : Number.POSITIVE_INFINITY;
  const seconds = Math.min(positionMs / SECOND_MS, last);
  const drift = Math.abs(video.currentTime - seconds) * SECOND_MS;
  if (drift > mostDrift(video, isPlaying)) video.currentTime = seconds;
}

/**
 * Keeps a video at the position of a show: it plays and pauses with it, and jumps where it is too far away.
 * @param video null while there is none
 * @returns whether the browser refuses to play before somebody presses something, and what to do then
 */
export function useFollow(
  video: HTMLVideoElement | null, whereNow: WhereNow,
): { readonly isBlocked: boolean; readonly join: () => void } {
  const [isBlocked, setBlocked] = useState(false);
  const join = useCallback(() => setBlocked(false), []);
  useEffect(() => {
    if (!video || isBlocked) return undefined;
    let isOver = false;
    const follow = () => {
      const now = whereNow();
      // What is on its way there is not sent elsewhere: on a slow connection it would never arrive.
      if (video.seeking) return;
      if (video.readyState >= HAS_METADATA) correct(video, now);
      if (!now.isPlaying && !video.paused) video.pause();
      if (!now.isPlaying || !video.paused || video.ended) return;
      // Browsers that save data load nothing at all of a video before it should play.
      video.play().catch((error: unknown) => {
        if (!isOver && error instanceof Error && error.name === 'NotAllowedError') setBlocked(true);
      });
    };
    follow();
    const timer = setInterval(follow, FOLLOW_EVERY_MS);
    video.addEventListener('loadedmetadata', follow);
    return () => {
      isOver = true;
      clearInterval(timer);
      video.removeEventListener('loadedmetadata', follow);
    };
  }, [isBlocked, video, whereNow]);
  return { isBlocked, join };
}
