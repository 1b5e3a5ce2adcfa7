import type { Measured } from '#product/broadcast/rules.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteRangeOf, MAX_RESPONSE_BYTES, MIN_RECORDING_BYTES, overallOf, spaceState } from './rules.ts';

const GIB = 1024 ** 3;

describe('space', () => {
  it('warns before it is full, and is full when no recording fits', () => {
    expect(spaceState(0, 10 * GIB)).toBe('ok');
    expect(spaceState(9 * GIB - 1, 10 * GIB)).toBe('ok');
    expect(spaceState(9 * GIB, 10 * GIB)).toBe('near');
    expect(spaceState(10 * GIB - MIN_RECORDING_BYTES, 10 * GIB)).toBe('near');
    expect(spaceState(10 * GIB - MIN_RECORDING_BYTES + 1, 10 * GIB)).toBe('full');
    expect(spaceState(11 * GIB, 10 * GIB)).toBe('full');
    expect(spaceState(0, 0)).toBe('full');
  });

  it('never improves with more usage', () => {
    const rank = { ok: 0, near: 1, full: 2 };
    fc.assert(fc.property(fc.nat(2 ** 40), fc.nat(2 ** 40), fc.nat(2 ** 40), (quota, used, more) => {
      expect(rank[spaceState(used + more, quota)]).toBeGreaterThanOrEqual(rank[spaceState(used, quota)]);
    }));
  });
});

describe('byte ranges of a file', () => {
  it('are as requested (RFC 9110 §14.1.2)', () => {
    expect(byteRangeOf('bytes=0-499', 10_000)).toEqual({ from: 0, to: 499 });
    expect(byteRangeOf('bytes=500-999', 10_000)).toEqual({ from: 500, to: 999 });
    expect(byteRangeOf('bytes=9500-', 10_000)).toEqual({ from: 9_500, to: 9_999 });
    expect(byteRangeOf('bytes=-500', 10_000)).toEqual({ from: 9_500, to: 9_999 });
    expect(byteRangeOf('bytes=-20000', 10_000)).toEqual({ from: 0, to: 9_999 });
    expect(byteRangeOf('bytes=9999-20000', 10_000)).toEqual({ from: 9_999, to: 9_999 });
    expect(byteRangeOf(' bytes=0-0 ', 10_000)).toEqual({ from: 0, to: 0 });
  });

  it('are unsatisfiable outside the file', () => {
    for (const range of ['bytes=10000-', 'bytes=10000-10001', 'bytes=-0', 'bytes=999999999999999-']) {
      expect(byteRangeOf(range, 10_000)).toBe('unsatisfiable');
    }
    expect(byteRangeOf('bytes=0-', 0)).toBe('unsatisfiable');
    expect(byteRangeOf('bytes=-1', 0)).toBe('unsatisfiable');
  });

  it('are ignored when malformed, several, or of another unit', () => {
    const none = [
      null,
      '',
      'bytes',
      'bytes=',
      'bytes=-',
      'bytes=5-2',
      'bytes=0-1,4-5',
      'bytes=a-b',
      'bytes=-1-2',
      'items=0-5',
      'bytes=0x0-5',
      'bytes=1e3-',
      `bytes=${'9'.repeat(40)}-`,
      'bytes=0-5\r\nx: y',
      'BYTES =0-5',
    ];
    for (const range of none) expect(byteRangeOf(range, 10_000), String(range)).toBeNull();
  });

  it('are never longer than a response, and never outside the file', () => {
    const number = fc.option(fc.nat(2 ** 31).map(String), { nil: '' });
    fc.assert(fc.property(number, number, fc.nat(2 ** 31), (first, last, size) => {
      const part = byteRangeOf(`bytes=${first}-${last}`, size);
      if (part === null || part === 'unsatisfiable') return;
      expect(part.from).toBeGreaterThanOrEqual(0);
      expect(part.to).toBeGreaterThanOrEqual(part.from);
      expect(part.to).toBeLessThan(size);
      expect(part.to - part.from + 1).toBeLessThanOrEqual(MAX_RESPONSE_BYTES);
    }));
  });
});

describe('the summary of a test', () => {
  const one: Measured = {
    videoBitsPerSecond: 1_000_000,
    audioBitsPerSecond: 60_000,
    framesPerSecond: 30,
    lossFraction: 0,
    roundTripMs: null,
    keyframeIntervalMs: null,
    trouble: null,
    bFrames: null,
  };

  it('has mean rates and the worst delays', () => {
    const worse = {
      ...one,
      videoBitsPerSecond: 3_000_000,
      lossFraction: 0.1,
      roundTripMs: 90,
      keyframeIntervalMs: 4_000,
      trouble: 'b_frames' as const,
    };
    expect(overallOf([one, worse, { ...worse, roundTripMs: 20, trouble: null }])).toMatchObject({
      videoBitsPerSecond: 7_000_000 / 3,
      framesPerSecond: 30,
      roundTripMs: 90,
      keyframeIntervalMs: 4_000,
      trouble: null,
    });
    expect(overallOf([one])).toEqual(one);
    expect(overallOf([])).toBeNull();
  });
});
