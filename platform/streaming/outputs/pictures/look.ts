import { systemClock } from '#platform/data/clock.ts';
import { JITTER_WAIT_MS } from '../limits.ts';
import { StreamReader, type Picture } from '../media/stream-reader.ts';
import { Tap } from '../media/tap.ts';
import type { PictureOrder } from './picture-messages.ts';

export interface LookOptions {
  readonly limitMs: number;
  /** Takes a picture, the first one being a keyframe; returns whether it wants another. */
  readonly picture: (picture: Picture) => boolean;
  /** Reading is over: enough was seen, the stream is gone, or time is up. Called once. */
  readonly over: () => void;
}

/** Reads a stream for a moment. */
export function look({ ticket }: PictureOrder, options: LookOptions): void {
  let looking = true;
  const end = (): void => {
    if (!looking) return;
    looking = false;
    cancel();
    tap.close();
    options.over();
  };
  const cancel = systemClock.after('look', options.limitMs, end);
  const reader = new StreamReader({
    waitMs: JITTER_WAIT_MS,
    picture: (picture) => {
      if (looking && !options.picture(picture)) end();
    },
    keyframeWanted: () => tap.requestKeyframe(),
  });
  const tap = new Tap({
    attached: ({ videoCodec }) => {
      if (videoCodec !== 'H264') end();
    },
    take: (type, packet, nowMs) => {
      if (looking) reader.take(type, packet, nowMs);
    },
    tick: (nowMs) => reader.advance(nowMs),
    detached: end,
  });
  tap.attach(ticket);
}
