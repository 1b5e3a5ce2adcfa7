import { CLEAN_PICTURES, HELD_PICTURES } from '../../limits.ts';

/** What is known of a picture before it is decoded. */
export interface PictureOrder {
  readonly keyframe: boolean;
  /** When it is shown, on any line of milliseconds, and how long after it is decoded. */
  readonly shownMs: number;
  readonly compositionMs: number;
  /** It has a slice of type B. */
  readonly bSlice: boolean;
}

/**
 * - `unclear`: the next pictures will decide.
 * - `plain`: pictures are shown in the order they are sent.
 * - `reordered`: there are B-frames.
 */
export type OrderVerdict = 'unclear' | 'plain' | 'reordered';

/**
 * Watches for B-frames: slices of that type, or pictures that are shown before one that was sent earlier. A
 * constant composition offset is none. Once there were some, a whole group without any ends it.
 */
export class ReorderWatch {
  #verdict: OrderVerdict = 'unclear';
  /** The picture of this group that is shown last. */
  #latest: PictureOrder | null = null;
  /** Pictures since the last sign or, for a verdict of `reordered`, since the first keyframe after it. */
  #clean = 0;
  #countsClean = true;

  /**
   * @param mayReorder what the stream's parameters say; when they rule B-frames out, nothing is waited for
   */
  take(picture: PictureOrder, mayReorder: boolean): OrderVerdict {
    if (picture.keyframe) this.#keyframe();
    const isSign = picture.bSlice || (mayReorder && this.#isEarlier(picture));
    if (!this.#latest || picture.shownMs >= this.#latest.shownMs) this.#latest = picture;
    if (isSign) {
      this.#verdict = 'reordered';
      this.#countsClean = false;
      this.#clean = 0;
    } else if (this.#countsClean) {
      this.#clean += 1;
      if (this.#verdict === 'unclear' && (!mayReorder || this.#clean >= HELD_PICTURES)) {
        this.#verdict = 'plain';
      }
    }
    return this.#verdict;
  }

  /** Shown before one that was sent earlier; a clock that steps back changes no offset. */
  #isEarlier({ shownMs, compositionMs }: PictureOrder): boolean {
    const latest = this.#latest;
    return latest !== null && shownMs < latest.shownMs && compositionMs < latest.compositionMs;
  }

  /** A keyframe is shown after everything before it: the order restarts. */
  #keyframe(): void {
    this.#latest = null;
    if (this.#verdict !== 'reordered') return;
    if (this.#countsClean && this.#clean >= CLEAN_PICTURES) this.#verdict = 'plain';
    if (!this.#countsClean || this.#verdict === 'plain') this.#clean = 0;
    this.#countsClean = true;
  }
}
