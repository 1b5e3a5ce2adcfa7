import { describe, expect, it } from 'vitest';
import { RETAINED_BEHIND, WINDOW_SEGMENTS } from '../limits.ts';
import { SegmentList } from './segment-list.ts';
import type { WrittenSegment } from './segmenter.ts';

const NOW = 1_800_000_000_000;

const segment = (number: number, over: Partial<WrittenSegment> = {}): WrittenSegment => ({
  name: `${number}.m4s`,
  init: 'a.mp4',
  durationMs: 2_000,
  startsAt: NOW + number * 2_000,
  sent: null,
  bytes: 500_000,
  beginsRun: number === 0,
  codecs: 'avc1.42c01f,mp4a.40.2',
  width: 640,
  height: 360,
  ...over,
});

describe('the list of segments', () => {
  it('has no window before the first segment, then one that slides and counts', () => {
    const list = new SegmentList(NOW);
    expect(list.window()).toBeNull();
    list.add(segment(0));
    const first = list.window()!;
    expect(first).toMatchObject({
      discontinuitySequence: 0,
      targetDurationSeconds: 2,
      bitsPerSecond: 2_000_000,
      width: 640,
      height: 360,
    });
    expect(first.segments).toEqual([
      { name: '0.m4s', init: 'a.mp4', durationMs: 2_000, startsAt: NOW, discontinuity: false },
    ]);
    for (let i = 1; i < 20; i++) list.add(segment(i));
    const last = list.window()!;
    expect(last.segments.map(({ name }) => name)).toEqual(
      Array.from({ length: WINDOW_SEGMENTS }, (_, i) => `${20 - WINDOW_SEGMENTS + i}.m4s`),
    );
    expect(last.mediaSequence - first.mediaSequence).toBe(20 - WINDOW_SEGMENTS);
  });

  it('names each file that is of no use any more, once, and reads no others', () => {
    const list = new SegmentList(NOW);
    const gone: string[] = [];
    for (let i = 0; i < 40; i++) {
      const init = i < 10 ? 'a.mp4' : 'b.mp4';
      gone.push(...list.add(segment(i, { init, beginsRun: i === 0 || i === 10 })));
    }
    const retained = WINDOW_SEGMENTS + RETAINED_BEHIND;
    const segments = Array.from({ length: 40 - retained }, (_, i) => `${i}.m4s`);
    expect(gone.filter((name) => name.endsWith('.m4s'))).toEqual(segments);
    expect(gone.filter((name) => name.endsWith('.mp4'))).toEqual(['a.mp4']);
    expect(list.has('39.m4s') && list.has(`${40 - retained}.m4s`) && list.has('b.mp4')).toBe(true);
    for (const name of ['27.m4s', 'a.mp4', '../b.mp4', '', 'c.mp4']) expect(list.has(name)).toBe(false);
    list.clear();
    expect([list.has('39.m4s'), list.window()]).toEqual([false, null]);
  });

  it('counts discontinuities as they leave the window (RFC 8216 §6.2.2)', () => {
    const list = new SegmentList(NOW);
    const seen: [number, number][] = [];
    for (let i = 0; i < 30; i++) {
      list.add(segment(i, { beginsRun: i % 5 === 0 }));
      const { discontinuitySequence, segments } = list.window()!;
      seen.push([discontinuitySequence, segments.filter(({ discontinuity }) => discontinuity).length]);
    }
    // The first run is not a discontinuity. Every other run is in the window or counted as gone, never both.
    seen.forEach(([left, listed], i) => expect(left + listed).toBe(Math.floor(i / 5)));
  });

  it('keeps its target duration once it grew, and goes on counting when the stream is reopened', () => {
    const list = new SegmentList(NOW);
    list.add(segment(0, { durationMs: 4_000 }));
    for (let i = 1; i < 20; i++) list.add(segment(i));
    expect(list.window()!.targetDurationSeconds).toBe(4);
    const again = new SegmentList(NOW + 40_000);
    again.add(segment(0));
    expect(again.window()!.mediaSequence).toBeGreaterThan(list.window()!.mediaSequence + WINDOW_SEGMENTS);
  });
});
