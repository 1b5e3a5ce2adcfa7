import type { LoopMedia } from '../../loop-publisher/loop-media.ts';

/** The public and the private loop, which differ in their luma. */
export type Shown = 'bright' | 'dark';

/**
 * A loop that switches between two loops at a keyframe, so that no picture mixes both. Both must have their
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
    // The sender reads the payloads of a frame when it sends it.
    const frames = isKeyframe.map((keyframe, i) => {
      const payloads = (): LoopMedia['frames'][number]['payloads'] => {
        if (keyframe) this.#shown = this.#wanted;
        return loops[this.#shown].frames[i]!.payloads;
      };
      return {
        keyframe,
        get payloads() {
          return payloads();
        },
      };
    });
    this.media = { frames, sound: loops.bright.sound };
  }

  /** Switches at the next keyframe. */
  show(wanted: Shown): void {
    this.#wanted = wanted;
  }

  /** Which loop the last frame was from. */
  get shown(): Shown {
    return this.#shown;
  }
}
