import { describe, expect, it } from 'vitest';
import { FIRST_VIDEO_BITS_PER_SECOND, MAX_VIDEO_BITS_PER_SECOND } from '../../limits.ts';
import { BandwidthLimit } from './bandwidth-limit.ts';

const GROWTH = 1.08;

/** A publisher like Chromium: 8% more each second, up to what it wants and may; its line loses the rest. */
class Sender {
  sends = 300_000;
  limit = FIRST_VIDEO_BITS_PER_SECOND;
  readonly #limits = new BandwidthLimit();
  #bytes = 0;
  #nowMs = 0;

  /** Runs a page that wants to send so much, for so many seconds, on a line. */
  passes(seconds: number, wants: number, line: number): void {
    for (let second = 0; second < seconds; second += 1) {
      const arrives = Math.min(this.sends, line);
      this.#nowMs += 1_000;
      this.#bytes += arrives / 8;
      this.limit = this.#limits.next(this.#bytes, 1 - arrives / this.sends, this.#nowMs);
      const lossy = arrives < this.sends * 0.9;
      const grows = lossy ? this.sends * (1 - 0.5 * (1 - arrives / this.sends)) : this.sends * GROWTH;
      // At the start Chromium sends as much as it may.
      this.sends = Math.min(wants, this.limit, second === 0 && !lossy ? this.limit : grows);
    }
  }
}

describe('what a publisher may send', () => {
  it('is 6 Mbit/s and more for 1080p, seconds after its start', () => {
    const sender = new Sender();
    sender.passes(20, 6_000_000, 10_000_000);
    expect(sender.sends).toBe(6_000_000);
    expect(sender.limit).toBe(MAX_VIDEO_BITS_PER_SECOND);
  });

  it('stays near what it sends for the usual video, so that a loss is answered at once', () => {
    const sender = new Sender();
    sender.passes(60, 2_000_000, 10_000_000);
    expect([sender.sends, sender.limit]).toEqual([2_000_000, 3_000_000]);
  });

  it('falls with what a line carries, and not with a picture that stands still', () => {
    const sender = new Sender();
    sender.passes(30, 6_000_000, 10_000_000);
    sender.passes(5, 500_000, 10_000_000);
    expect(sender.limit).toBe(MAX_VIDEO_BITS_PER_SECOND);
    sender.passes(1, 6_000_000, 10_000_000);
    sender.sends = 6_000_000;
    sender.passes(3, 6_000_000, 2_000_000);
    expect(sender.limit).toBe(3_000_000);
    sender.passes(20, 6_000_000, 10_000_000);
    expect(sender.sends).toBe(6_000_000);
  });
});
