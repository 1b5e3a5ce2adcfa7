import type { Outputs, RecordingEnd, RecordingOptions } from '../../../platform/streaming/outputs/outputs.ts';

/** A recording of the outputs that somebody began. */
export interface Tape {
  readonly stop: () => Promise<void>;
}

/**
 * Recordings of the outputs, each with what is to happen at its end: also of one that ends before the outputs
 * have said that it began.
 */
export class Tapes {
  readonly #outputs: Outputs;
  readonly #onEnd = new Map<string, (end: RecordingEnd) => void>();
  /** Ends nobody waits for yet; empty when no recording is being begun. */
  readonly #early = new Map<string, RecordingEnd>();
  readonly #unlisten: () => void;
  #beginning = 0;

  constructor(outputs: Outputs) {
    this.#outputs = outputs;
    this.#unlisten = outputs.onReport((report) => {
      if (report.kind !== 'recording_ended') return;
      const { end } = report;
      const onEnd = this.#onEnd.get(end.recording);
      this.#onEnd.delete(end.recording);
      if (onEnd) onEnd(end);
      else if (this.#beginning > 0) this.#early.set(end.recording, end);
    });
  }

  /**
   * Records a stream; rejects with `OutputRefused`.
   * @param onEnd called once, whoever ended it; must not throw
   */
  async record(
    stream: string, options: RecordingOptions, onEnd: (end: RecordingEnd) => void,
  ): Promise<Tape> {
    this.#beginning += 1;
    try {
      const { id, stop } = await this.#outputs.record(stream, options);
      const early = this.#early.get(id);
      if (early) onEnd(early);
      else this.#onEnd.set(id, onEnd);
      return { stop };
    } finally {
      this.#beginning -= 1;
      if (this.#beginning === 0) this.#early.clear();
    }
  }

  close(): void {
    this.#unlisten();
  }
}
