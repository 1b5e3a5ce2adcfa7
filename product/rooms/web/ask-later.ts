import { mediaWaitMs } from '../rules/course.ts';

/** From 0 up to 1. */
const chance = (): number => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32;

/**
 * Asks once, a random while after it was told to; what it is told in between the same question answers. Pages
 * of a full room so do not ask in one moment (spec 2 §4.13).
 */
export class AskLater {
  readonly #ask: () => void;
  readonly #chance: () => number;
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** @param roll from 0 up to 1 */
  constructor(ask: () => void, roll: () => number = chance) {
    this.#ask = ask;
    this.#chance = roll;
  }

  ask(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#ask();
    }, mediaWaitMs(this.#chance()));
  }

  /** Asks no more. */
  drop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
