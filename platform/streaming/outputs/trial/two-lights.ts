import type { LoopMedia } from '../../loop-publisher/loop-media.ts';

/** What is shown in public and what in private; they differ in their light. */
export type Shown = 'bright' | 'dark';

/**
 * A loop that shows one of two, and changes with a keyframe: no picture is made of both. Both must have their
 * keyframes at the same frames.
 */
export class TwoLights {
  readonly media: LoopMedia;
  #wanted: Shown = 'bright';
  #shown: Shown = 'bright';

  constructor(loops: Readonly<Record<Shown, LoopMedia>>) {
    const isKeyframe = loops.bright.frames.map(({ keyframe }) => keyframe);
    const dark = loops.dark.frames.map(({ keyframe }) => keyframe);
    if (isKeyframe.join() !== dark.join()) throw new Error('the keyframes of the two do not meet');
    // A sender reads the payloads of a frame when it is its turn.
    const frames = isKeyframe.map((keyframe, i) => {
      const payloads = (): LoopMedia['frames'][number]['payloads'] => {
        if (keyframe) this.#shown = this.#wanted;
        return loops[this.#shown].frames[i]!.payloads;
      };
      return { keyframe, get payloads() { return payloads(); } };
    });
    this.media = { frames, sound: loops.bright.sound };
  }

  /** Changes with the next keyframe. */
  show(wanted: Shown): void {
    this.#wanted = wanted;
  }

  /** What the last frame that was sent shows. */
  get shown(): Shown {
    return this.#shown;
  }
}
