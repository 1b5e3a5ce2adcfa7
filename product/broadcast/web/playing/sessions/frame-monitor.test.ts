import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countFrames, NO_FRAMES, type FrameProgress } from './frame-monitor.ts';

/** Progress after counts, and the change at each. */
function monitor(counts: readonly number[], isExpected: (at: number) => boolean = () => true) {
  let frames: FrameProgress = NO_FRAMES;
  const change = counts.map((counted, at) => {
    const next = countFrames(frames, counted, isExpected(at));
    frames = next.frames;
    return next.change;
  });
  return { frames, change };
}

describe('the frame monitor of a session', () => {
  it('reports frozen once, after four counts without a new frame', () => {
    const { change } = monitor([3, 3, 3, 3, 3, 3, 3, 3]);
    expect(change).toEqual([null, null, null, null, 'frozen', null, null, null]);
  });

  it('is never frozen while frames arrive or none are expected', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 60 });
    fc.assert(fc.property(steps, (grown) => {
      let sum = 0;
      const counts = grown.map((step) => (sum += step));
      expect(monitor(counts, () => false).change).not.toContain('frozen');
      const longestStill = Math.max(0, ...grown.join('').split(/[1-9]/u).map((zeros) => zeros.length));
      expect(monitor(counts).change.includes('frozen')).toBe(longestStill >= 4);
    }));
  });

  it('is steady after ten counts in a row with new frames', () => {
    expect(monitor([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]).change.indexOf('steady')).toBe(9);
    expect(monitor([1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 10, 11]).change).not.toContain('steady');
  });

  it('recovers when a decoder restarts its count', () => {
    const { change } = monitor([500, 3, 6, 9, 12, 15, 18]);
    expect(change).not.toContain('frozen');
  });
});
