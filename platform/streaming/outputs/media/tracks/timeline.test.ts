import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SenderReport } from '../../../wire/rtcp.ts';
import { CLOCK_JUMP_MS, MAX_SOUND_SHIFT_MS } from '../../limits.ts';
import { Timeline } from './timeline.ts';

const START = 1_800_000_000_000;
const FRAME_MS = 40;
const SOUND_MS = 20;

/** A sender whose clocks begin at any value. */
class Sender {
  readonly #videoZero: number;
  readonly #soundZero: number;
  readonly #ntpZeroMs: number;

  constructor(videoZero: number, soundZero: number, ntpZeroMs: number) {
    this.#videoZero = videoZero;
    this.#soundZero = soundZero;
    this.#ntpZeroMs = ntpZeroMs;
  }

  video(atMs: number): number {
    return (this.#videoZero + Math.round(atMs * 90)) >>> 0;
  }

  sound(atMs: number): number {
    return (this.#soundZero + Math.round(atMs * 48)) >>> 0;
  }

  report(timestamp: number, atMs: number): SenderReport {
    const ntpMs = this.#ntpZeroMs + atMs;
    return {
      kind: 'sender_report',
      ssrc: 1,
      packets: 0,
      octets: 0,
      timestamp,
      ntpSeconds: Math.floor(ntpMs / 1_000),
      ntpFraction: Math.floor(((ntpMs % 1_000) / 1_000) * 2 ** 32),
    };
  }
}

const uint32 = fc.integer({ min: 0, max: 0xffffffff });

describe('one time for pictures and sound', () => {
  it('puts sound beside its pictures, however late it comes and wherever clocks begin', () => {
    const lateness = fc.integer({ min: 0, max: MAX_SOUND_SHIFT_MS - 100 });
    fc.assert(fc.property(uint32, uint32, lateness, lateness, (video, sound, videoLate, soundLate) => {
      fc.pre(Math.abs(videoLate - soundLate) < MAX_SOUND_SHIFT_MS - 50);
      const sender = new Sender(video, sound, 3_900_000_000_000);
      const timeline = new Timeline();
      let shown = 0;
      let played = 0;
      for (let at = 0; at <= 4_000; at += SOUND_MS) {
        if (at % FRAME_MS === 0) shown = timeline.picture(sender.video(at), START + at + videoLate).timeMs;
        played = timeline.sound(sender.sound(at), START + at + soundLate);
        if (at === 1_000) timeline.noteVideoReport(sender.report(sender.video(at), at), START + at);
        if (at === 1_200) timeline.noteSoundReport(sender.report(sender.sound(at), at), START + at);
      }
      expect(Math.abs(played - shown)).toBeLessThan(3);
    }));
  });

  it('goes by arrival before both reports are there, and when they cannot be true', () => {
    const sender = new Sender(1, 2, 0);
    const timeline = new Timeline();
    const playedAt = (atMs: number, report: SenderReport | null): number => {
      timeline.picture(sender.video(atMs), START + atMs);
      if (report) timeline.noteSoundReport(report, START + atMs);
      return timeline.sound(sender.sound(atMs), START + atMs) - START - atMs;
    };
    expect(playedAt(0, null)).toBe(0);
    timeline.noteVideoReport(sender.report(sender.video(0), 0), START);
    expect(Math.abs(playedAt(40, null))).toBeLessThan(2);
    expect(Math.abs(playedAt(80, sender.report(sender.sound(80), 90_000)))).toBeLessThan(2);
  });

  it('follows a new publisher behind the same session: old reports say nothing about its clocks', () => {
    const [before, after] = [new Sender(5, 6, 1_000_000), new Sender(5, 6, 9_000_000)];
    const timeline = new Timeline();
    for (let at = 0; at < 2_000; at += FRAME_MS) {
      timeline.picture(before.video(at), START + at);
      timeline.sound(before.sound(at), START + at);
    }
    timeline.noteVideoReport(before.report(before.video(1_960), 1_960), START + 1_960);
    timeline.noteSoundReport(before.report(before.sound(1_960), 1_960), START + 1_960);
    // Its audio is 500 ms ahead of its video, and its first report is of the video alone.
    timeline.noteVideoReport(after.report(after.video(2_000), 2_000), START + 2_000);
    timeline.picture(after.video(2_000), START + 2_000);
    const byArrival = timeline.sound(after.sound(2_000), START + 2_000);
    expect(Math.abs(byArrival - START - 2_000)).toBeLessThan(3);
    timeline.noteSoundReport(after.report(after.sound(2_000), 2_500), START + 2_500);
    expect(Math.abs(timeline.sound(after.sound(2_000), START + 2_000) - START - 2_500)).toBeLessThan(5);
  });

  it('says when a picture was sent, in numbers of its own, however long an encoder had it', () => {
    const late = fc.integer({ min: 0, max: 2_000 });
    fc.assert(fc.property(uint32, uint32, late, (zero, otherZero, lateMs) => {
      const sentOf = (zeroOfIts: number, byMs: number) => {
        const sender = new Sender(zeroOfIts, 0, 3_900_000_000_000);
        const timeline = new Timeline();
        const times = [];
        for (let at = 0; at <= 4_000; at += FRAME_MS) {
          times.push(timeline.picture(sender.video(at), START + at + byMs).sent);
          if (at === 1_000) timeline.noteVideoReport(sender.report(sender.video(at), at), START + at);
        }
        return times;
      };
      const [source, small] = [sentOf(zero, 0), sentOf(otherZero, lateMs)];
      expect([source[25], small[25]]).toEqual([null, null]);
      for (let at = 26; at <= 100; at += 1) {
        expect(Math.abs(source[at]!.atMs - small[at]!.atMs)).toBeLessThan(1);
        expect(Math.abs(source[at]!.behindMs - small[at]!.behindMs)).toBeLessThan(1);
      }
    }));
  });

  it('forgets how late a sender is with its clock', () => {
    const [before, after] = [new Sender(5, 6, 1_000_000), new Sender(5, 6, 1_005_000)];
    const timeline = new Timeline();
    timeline.picture(before.video(0), START);
    timeline.noteVideoReport(before.report(before.video(0), 0), START);
    expect(timeline.picture(before.video(40), START + 40).sent?.behindMs).toBeCloseTo(START - 1_000_000, 0);
    timeline.noteVideoReport(after.report(after.video(80), 80), START + 80);
    expect(timeline.picture(after.video(120), START + 120).sent?.behindMs).toBeCloseTo(START - 1_005_000, 0);
    timeline.noteVideoReport(before.report(before.video(160), 160), START + 160);
    expect(timeline.picture(before.video(200), START + 200).sent?.behindMs).toBeCloseTo(START - 1_000_000, 0);
  });

  it('says when a clock was reset, and never runs away from the time of day', () => {
    fc.assert(fc.property(fc.array(uint32, { minLength: 2, maxLength: 60 }), (timestamps) => {
      const timeline = new Timeline();
      timestamps.forEach((timestamp, i) => {
        const { timeMs } = timeline.picture(timestamp, START + i * FRAME_MS);
        const far = CLOCK_JUMP_MS * 1.01;
        expect(Math.abs(timeMs - START - i * FRAME_MS)).toBeLessThanOrEqual(far);
        const played = timeline.sound(timestamp, START + i * FRAME_MS);
        expect(Math.abs(played - START - i * FRAME_MS)).toBeLessThanOrEqual(far + MAX_SOUND_SHIFT_MS);
      });
    }));
    const timeline = new Timeline();
    expect(timeline.picture(0, START).jumped).toBe(false);
    expect(timeline.picture(90 * FRAME_MS, START + FRAME_MS).jumped).toBe(false);
    expect(timeline.picture(90 * 60_000, START + 2 * FRAME_MS)).toEqual(
      { timeMs: START + 80, jumped: true, sent: null },
    );
  });

  it('follows a clock that runs a little fast for hours without a jump', () => {
    const timeline = new Timeline();
    for (let at = 0; at < 6 * 3_600_000; at += 1_000) {
      const { jumped } = timeline.picture((at * 90 * 1.0002) >>> 0, START + at);
      expect(jumped).toBe(false);
    }
  });
});
