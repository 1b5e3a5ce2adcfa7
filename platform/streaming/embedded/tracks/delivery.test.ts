import { describe, expect, it } from 'vitest';
import type { ReportBlock } from '../../wire/rtcp.ts';
import { Delivery } from './delivery.ts';

const block = (highestSequence: number, fractionLost = 0): ReportBlock => ({
  ssrc: 1,
  fractionLost,
  packetsLost: 0,
  highestSequence,
  jitter: 0,
  lastSenderReport: 0,
  sinceSenderReport: 0,
});
/** A reader that is sent a hundred video packets a second, and its reports. */
class Viewer {
  readonly delivery = new Delivery();
  nowMs = 0;
  sequence = 65_400;

  second(): void {
    this.nowMs += 1_000;
    this.sequence = (this.sequence + 100) & 0xffff;
    this.delivery.endSecond({ video: this.sequence }, this.nowMs);
  }

  /** Reports on everything sent, with this many of 256 packets lost. */
  reports(fractionLost = 0, behind = 0): void {
    this.delivery.reported('video', block(0x3_0000 + this.sequence - behind, fractionLost), this.nowMs);
  }
}
const taken = ({ delivery }: Viewer): readonly [number, number] => {
  const { received, lost } = delivery.take();
  return [received.length, lost.length];
};

describe('what a metered reader received', () => {
  it('are the seconds whose last packet its reports reach, across the wrap of the numbers', () => {
    const viewer = new Viewer();
    viewer.second();
    expect(taken(viewer)).toEqual([0, 0]);
    viewer.reports();
    expect(taken(viewer)).toEqual([1, 0]);
    viewer.second();
    viewer.second();
    viewer.reports(0, 100);
    expect(taken(viewer)).toEqual([1, 0]);
    viewer.reports();
    expect(taken(viewer)).toEqual([1, 0]);
    viewer.reports();
    expect(taken(viewer)).toEqual([0, 0]);
  });

  it('are not those of which it lost more than half', () => {
    const viewer = new Viewer();
    viewer.second();
    viewer.reports(127);
    expect(taken(viewer)).toEqual([1, 0]);
    const cut = new Viewer();
    for (let second = 0; second < 2; second += 1) cut.second();
    cut.reports(129);
    expect(taken(cut)).toEqual([1, 1]);
    const all = new Viewer();
    all.second();
    all.reports(255);
    expect(taken(all)).toEqual([0, 1]);
  });

  it('ends after three seconds without a report, which are lost, and goes on with the next sign', () => {
    const viewer = new Viewer();
    viewer.second();
    viewer.second();
    expect(viewer.delivery.isPaused).toBe(false);
    viewer.second();
    expect(viewer.delivery.isPaused).toBe(true);
    expect(taken(viewer)).toEqual([0, 3]);
    // A late report says nothing about the pause.
    viewer.reports();
    expect(taken(viewer)).toEqual([0, 0]);
    expect(viewer.delivery.resumes(viewer.nowMs)).toBe(true);
    expect(viewer.delivery.isPaused).toBe(false);
    viewer.second();
    viewer.reports();
    expect(taken(viewer)).toEqual([1, 0]);
  });

  it('names seconds by their age, also those in which nothing was sent', () => {
    const viewer = new Viewer();
    viewer.second();
    viewer.delivery.endSecond({}, 2_000);
    expect(viewer.delivery.take()).toEqual({ isSent: false, received: [], lost: [] });
    viewer.second();
    viewer.reports();
    expect(viewer.delivery.take()).toEqual({ isSent: true, received: [2, 0], lost: [] });
  });

  it('are at its end those it never reported on: all of them are lost', () => {
    const viewer = new Viewer();
    viewer.second();
    viewer.second();
    viewer.delivery.settle();
    expect(viewer.delivery.take()).toEqual({ isSent: true, received: [], lost: [1, 0] });
    viewer.delivery.settle();
    expect(viewer.delivery.take()).toEqual({ isSent: false, received: [], lost: [] });
  });

  it('waits longer for reports on sound, which come every five seconds', () => {
    const delivery = new Delivery();
    for (let second = 1; second <= 7; second += 1) {
      delivery.endSecond({ audio: second * 50 }, second * 1_000);
    }
    expect(delivery.isPaused).toBe(false);
    delivery.reported('audio', block(250), 7_000);
    expect(delivery.take()).toEqual({ isSent: true, received: [6, 5, 4, 3, 2], lost: [] });
    for (let second = 8; second <= 13; second += 1) {
      delivery.endSecond({ audio: second * 50 }, second * 1_000);
    }
    expect(delivery.isPaused).toBe(true);
    expect(delivery.take()).toEqual({ isSent: true, received: [], lost: [7, 6, 5, 4, 3, 2, 1, 0] });
  });

  it(
    'ends for two seconds when two reports in a row say that a quarter was lost; one is a cut that is over',
    () => {
      const viewer = new Viewer();
      viewer.second();
      viewer.reports(200);
      viewer.second();
      viewer.reports(0);
      viewer.second();
      viewer.reports(64);
      expect(viewer.delivery.isPaused).toBe(false);
      viewer.second();
      viewer.reports(64);
      expect(viewer.delivery.isPaused).toBe(true);
      expect(viewer.delivery.resumes(viewer.nowMs + 1_999)).toBe(false);
      expect(viewer.delivery.resumes(viewer.nowMs + 2_000)).toBe(true);
      // What was received before was paid for: reporting loss saves nothing.
      expect(taken(viewer)).toEqual([3, 1]);
      viewer.second();
      viewer.reports(63);
      viewer.second();
      viewer.reports(63);
      expect(viewer.delivery.isPaused).toBe(false);
    },
  );
});
