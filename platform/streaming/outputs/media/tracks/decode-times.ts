/**
 * Decode times of pictures, given in decoding order with their presentation times: RTP carries no decode
 * times. With `reorder` pictures ahead, the next picture is decoded at the earliest presentation time not yet
 * used.
 */
export class DecodeTimes {
  /** Presentation times not yet used as a decode time, earliest first. */
  readonly #shown: number[] = [];
  #last = Number.NEGATIVE_INFINITY;

  /**
   * @param shown presentation time in ticks
   * @param reorder pictures its stream reorders; 0 returns the presentation time itself
   * @returns ticks, later than for the picture before
   */
  next(shown: number, reorder: number): number {
    const behind = this.#shown.findLastIndex((other) => other <= shown);
    this.#shown.splice(behind + 1, 0, shown);
    const isStarting = this.#shown.length <= reorder;
    const at = isStarting ? this.#shown[0]! : this.#shown.shift()!;
    this.#last = Math.max(this.#last + 1, at);
    return this.#last;
  }
}
