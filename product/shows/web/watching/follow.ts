import { SECOND_MS } from '#platform/time/units.ts';
import { useCallback, useEffect, useState } from 'react';
import { MAX_DRIFT_MS } from '../../rules/private.ts';
import type { WhereNow } from './live.ts';

/** Values of a video's `readyState`: its metadata has loaded, and data beyond the current position. */
const [HAS_METADATA, HAS_FUTURE_DATA] = [1, 3];
/** Interval at which a page checks its video's position. */
const FOLLOW_EVERY_MS = 500;
/** A paused video is moved to the other person's position unless the difference is too small to see. */
const MAX_STILL_DRIFT_MS = 200;
/** A buffering video seeks only when it is off by this much: each seek discards what was loaded. */
const MAX_WAITING_DRIFT_MS = 5 * SECOND_MS;

function mostDrift({ readyState }: HTMLVideoElement, isPlaying: boolean): number {
  if (!isPlaying) return MAX_STILL_DRIFT_MS;
  return readyState < HAS_FUTURE_DATA ? MAX_WAITING_DRIFT_MS : MAX_DRIFT_MS;
}

/** Moves a video to its right position if it is too far off. */
function correct(video: HTMLVideoElement, { positionMs, isPlaying }: ReturnType<WhereNow>): void {
  const last = Number.isFinite(video.duration) ? video.duration : Number.POSITIVE_INFINITY;
  const seconds = Math.min(positionMs / SECOND_MS, last);
  const drift = Math.abs(video.currentTime - seconds) * SECOND_MS;
  if (drift > mostDrift(video, isPlaying)) video.currentTime = seconds;
}

/**
 * Follows the position of a show's video: plays and pauses with it, and seeks when it is too far off.
 * @param video null while there is none
 * @returns whether the browser refuses to play before a click, and what to call on that click
 */
export function useFollow(
  video: HTMLVideoElement | null,
  whereNow: WhereNow,
): { readonly isBlocked: boolean; readonly join: () => void } {
  const [isBlocked, setBlocked] = useState(false);
  const join = useCallback(() => setBlocked(false), []);
  useEffect(() => {
    if (!video || isBlocked) return undefined;
    let isOver = false;
    const follow = () => {
      const now = whereNow();
      // A video that is seeking is left alone: on a slow connection it would never arrive.
      if (video.seeking) return;
      if (video.readyState >= HAS_METADATA) correct(video, now);
      if (!now.isPlaying && !video.paused) video.pause();
      if (!now.isPlaying || !video.paused || video.ended) return;
      // Browsers that save data load nothing of a video until it should play.
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
