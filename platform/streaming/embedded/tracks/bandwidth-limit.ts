import {
  BANDWIDTH_ROOM,
  CONGESTED_SHARE,
  FIRST_VIDEO_BITS_PER_SECOND,
  MAX_VIDEO_BITS_PER_SECOND,
} from '../../limits.ts';

/**
 * How much a publisher may send: some room above what arrived, so that sharp video gets what its line
 * carries, and less again when packets are lost.
 */
export class BandwidthLimit {
  #bitsPerSecond = FIRST_VIDEO_BITS_PER_SECOND;
  #bytes = 0;
  #atMs: number | null = null;

  /**
   * The new limit in bits per second. Called with each report.
   * @param bytes total bytes of video so far
   * @param lostShare share of packets lost since the last report, 0 to 1
   */
  next(bytes: number, lostShare: number, nowMs: number): number {
    const passedMs = this.#atMs === null ? 0 : nowMs - this.#atMs;
    const arrived = passedMs > 0 ? ((bytes - this.#bytes) * 8_000) / passedMs : 0;
    this.#bytes = bytes;
    this.#atMs = nowMs;
    const room = Math.min(
      MAX_VIDEO_BITS_PER_SECOND,
      Math.max(FIRST_VIDEO_BITS_PER_SECOND, arrived * BANDWIDTH_ROOM),
    );
    this.#bitsPerSecond = lostShare > CONGESTED_SHARE ? room : Math.max(this.#bitsPerSecond, room);
    return this.#bitsPerSecond;
  }
}
