import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Measured } from '../broadcast/rules.ts';
import { MAX_ANSWER_BYTES, MIN_RECORDING_BYTES, overallOf, partOf, spaceState } from './rules.ts';

const GIB = 1024 ** 3;

describe('space', () => {
  it('warns before it is full, and is full before nothing fits', () => {
    expect(spaceState(0, 10 * GIB)).toBe('ok');
    expect(spaceState(9 * GIB - 1, 10 * GIB)).toBe('ok');
    expect(spaceState(9 * GIB, 10 * GIB)).toBe('near');
    expect(spaceState(10 * GIB - MIN_RECORDING_BYTES, 10 * GIB)).toBe('near');
    expect(spaceState(10 * GIB - MIN_RECORDING_BYTES + 1, 10 * GIB)).toBe('full');
    expect(spaceState(11 * GIB, 10 * GIB)).toBe('full');
    expect(spaceState(0, 0)).toBe('full');
  });

  it('never gets better by using more', () => {
    const rank = { ok: 0, near: 1, full: 2 };
    fc.assert(fc.property(fc.nat(2 ** 40), fc.nat(2 ** 40), fc.nat(2 ** 40), (quota, used, more) => {
      expect(rank[spaceState(used + more, quota)]).toBeGreaterThanOrEqual(rank[spaceState(used, quota)]);
    }));
  });
});

describe('parts of a file', () => {
  it('are what a range asks for (RFC 9110 §14.1.2)', () => {
    expect(partOf('bytes=0-499', 10_000)).toEqual({ from: 0, to: 499 });
    expect(partOf('bytes=500-999', 10_000)).toEqual({ from: 500, to: 999 });
    expect(partOf('bytes=9500-', 10_000)).toEqual({ from: 9_500, to: 9_999 });
    expect(partOf('bytes=-500', 10_000)).toEqual({ from: 9_500, to: 9_999 });
    expect(partOf('bytes=-20000', 10_000)).toEqual({ from: 0, to: 9_999 });
    expect(partOf('bytes=9999-20000', 10_000)).toEqual({ from: 9_999, to: 9_999 });
    expect(partOf(' bytes=0-0 ', 10_000)).toEqual({ from: 0, to: 0 });
  });

  it('cannot be where the file is not', () => {
    for (const range of ['bytes=10000-', 'bytes=10000-10001', 'bytes=-0', 'bytes=999999999999999-']) {
      expect(partOf(range, 10_000)).toBe('unsatisfiable');
    }
    expect(partOf('bytes=0-', 0)).toBe('unsatisfiable');
    expect(partOf('bytes=-1', 0)).toBe('unsatisfiable');
  });

  it('are not honoured when they are no ranges, many, or of another unit', () => {
    const none = [
      null, '', 'bytes', 'bytes=', 'bytes=-', 'bytes=5-2', 'bytes=0-1,4-5', 'bytes=a-b', 'bytes=-1-2',
      'items=0-5', 'bytes=0x0-5', 'bytes=1e3-', `bytes=${'9'.repeat(40)}-`, 'bytes=0-5\r\nx: y', 'BYTES =0-5',
    ];
    for (const range of none) expect(partOf(range, 10_000), String(range)).toBeNull();
  });

  it('are never longer than an answer, and never outside the file', () => {
    const number = fc.option(fc.nat(2 ** 31).map(String), { nil: '' });
    fc.assert(fc.property(number, number, fc.nat(2 ** 31), (first, last, size) => {
      const part = partOf(`bytes=${first}-${last}`, size);
      if (part === null || part === 'unsatisfiable') return;
      expect(part.from).toBeGreaterThanOrEqual(0);
      expect(part.to).toBeGreaterThanOrEqual(part.from);
      expect(part.to).toBeLessThan(size);
      expect(part.to - part.from + 1).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
    }));
  });
});

describe('a test as a whole', () => {
  const one: Measured = {
    videoBitsPerSecond: 1_000_000, audioBitsPerSecond: 60_000, framesPerSecond: 30, lossFraction: 0,
    roundTripMs: null, keyframeIntervalMs: null, trouble: null,
  };

  it('is the mean of its seconds, and the worst of what comes late', () => {
    const worse = {
      ...one, videoBitsPerSecond: 3_000_000, lossFraction: 0.1, roundTripMs: 90, keyframeIntervalMs: 4_000,
      trouble: 'b_frames' as const,
    };
    expect(overallOf([one, worse, { ...worse, roundTripMs: 20, trouble: null }])).toMatchObject({
      videoBitsPerSecond: 7_000_000 / 3, framesPerSecond: 30, roundTripMs: 90, keyframeIntervalMs: 4_000,
      trouble: null,
    });
    expect(overallOf([one])).toEqual(one);
    expect(overallOf([])).toBeNull();
  });
});
