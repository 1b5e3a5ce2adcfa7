import { useCallback, useEffect, useState } from 'react';
import { SECOND_MS } from '../../../../platform/time/units.ts';
import { MAX_DRIFT_MS } from '../../rules/private.ts';
import type { WhereNow } from './live.ts';

/** How often a page looks whether its video is where it should be. */
const FOLLOW_EVERY_MS = 500;
/** A video that stands still is put where it stands for the other one, to what nobody sees. */
const MAX_STILL_DRIFT_MS = 200;

/** Puts a video where it should be, when it is too far from it. */
function correct(video: HTMLVideoElement, { positionMs, isPlaying }: ReturnType<WhereNow>): void {
  const last = Number.isFinite(video.duration) ? video.duration : Number.POSITIVE_INFINITY;
  const seconds = Math.min(positionMs / SECOND_MS, last);
  const most = isPlaying ? MAX_DRIFT_MS : MAX_STILL_DRIFT_MS;
  if (Math.abs(video.currentTime - seconds) * SECOND_MS > most) video.currentTime = seconds;
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
      if (video.readyState < HTMLMediaElement.HAVE_METADATA || video.seeking) return;
      correct(video, now);
      if (!now.isPlaying && !video.paused) video.pause();
      if (!now.isPlaying || !video.paused || video.ended) return;
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
