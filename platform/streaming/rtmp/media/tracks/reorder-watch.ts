import { CLEAN_PICTURES, HELD_PICTURES } from '../../limits.ts';

/** What is known of a picture before it is decoded. */
export interface PictureOrder {
  readonly keyframe: boolean;
  /** When it is shown, in milliseconds of any timeline, and how long after its decoding. */
  readonly shownMs: number;
  readonly compositionMs: number;
  /** Whether it has a slice of type B. */
  readonly bSlice: boolean;
}

/**
 * - `unclear`: the next pictures will decide.
 * - `plain`: pictures are shown in the order they are sent.
 * - `reordered`: there are B-frames.
 */
export type OrderVerdict = 'unclear' | 'plain' | 'reordered';

/**
 * Watches for B-frames: slices of that type, or pictures shown before one that was sent earlier. A constant
 * composition offset is no sign of them. Once seen, they count as over after a whole group of pictures
 * without any.
 */
export class ReorderWatch {
  #verdict: OrderVerdict = 'unclear';
  /** The picture of this group that is shown last. */
  #latest: PictureOrder | null = null;
  /** Pictures since the last sign of B-frames; once `reordered`, since the first keyframe after that sign. */
  #clean = 0;
  #countsClean = true;

  /**
   * @param mayReorder what the stream's parameters say; when they exclude B-frames, the verdict is immediate
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

  /** Whether it is shown before one that was sent earlier; a clock that steps back changes no offset. */
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
