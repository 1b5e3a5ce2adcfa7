/**
 * Decode times of pictures given in the order of decoding with the time each is shown: RTP carries no others.
 * With `reorder` pictures ahead, the earliest time of those not yet used is when the next one is decoded.
 */
export class DecodeTimes {
  /** Times of showing that are no picture's decode time yet, earliest first. */
  readonly #shown: number[] = [];
  #last = Number.NEGATIVE_INFINITY;

  /**
   * @param shown in ticks
   * @param reorder of its stream; 0 gives the time of showing itself
   * @returns ticks, later than those of the picture before
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
