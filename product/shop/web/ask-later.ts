import { mediaWaitMs } from '../rules.ts';

/** From 0 up to 1. */
const chance = (): number => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32;

/**
 * Asks once, a random time after the first request; that one question answers further requests in between. So
 * the pages of a full room do not ask in one moment (spec 2 §4.13).
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

  /** Cancels the question. */
  cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
