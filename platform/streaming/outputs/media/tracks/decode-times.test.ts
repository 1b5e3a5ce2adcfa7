import { describe, expect, it } from 'vitest';
import { DecodeTimes } from './decode-times.ts';

/**
 * ffprobe's pts and dts, in 90 kHz, of 20 pictures that x264 encoded with its defaults and a keyframe every
 * 12.
 */
const PROBED = [
  [0, -6000],
  [12000, -3000],
  [6000, 0],
  [3000, 3000],
  [9000, 6000],
  [24000, 9000],
  [18000, 12000],
  [15000, 15000],
  [21000, 18000],
  [33000, 21000],
  [27000, 24000],
  [30000, 27000],
  [36000, 30000],
  [48000, 33000],
  [42000, 36000],
  [39000, 39000],
  [45000, 42000],
  [57000, 45000],
  [51000, 48000],
  [54000, 51000],
] as const;
const REORDER = 2;

describe('decode times', () => {
  it('are those the encoder wrote, once as many pictures came as may be ahead', () => {
    const times = new DecodeTimes();
    const found = PROBED.map(([pts]) => times.next(pts, REORDER));
    // No time lies before the first picture: where x264 goes below 0, decode times are a tick apart.
    expect(found.slice(0, 3)).toEqual([0, 1, 2]);
    expect(found.slice(3)).toEqual(PROBED.slice(3).map(([, dts]) => dts));
    expect(PROBED.every(([pts], i) => pts >= found[i]!)).toBe(true);
  });

  it('are the times of showing where no picture is ahead, and never go back', () => {
    const times = new DecodeTimes();
    expect([0, 3000, 6000, 5990, 9000].map((pts) => times.next(pts, 0))).toEqual([0, 3000, 6000, 6001, 9000]);
  });
});
