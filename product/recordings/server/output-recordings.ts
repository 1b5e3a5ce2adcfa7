import type { Outputs, RecordingEnd, RecordingOptions } from '#platform/streaming/outputs/outputs.ts';

/** A running recording of the outputs. */
export interface OutputRecording {
  readonly stop: () => Promise<void>;
}

/**
 * Starts recordings in the outputs and calls back at their end, even when the end is reported before the
 * start has resolved.
 */
export class OutputRecordings {
  readonly #outputs: Outputs;
  readonly #onEnd = new Map<string, (end: RecordingEnd) => void>();
  /** Ends reported before their start resolved; empty while no recording is starting. */
  readonly #early = new Map<string, RecordingEnd>();
  readonly #stopReports: () => void;
  #starting = 0;

  constructor(outputs: Outputs) {
    this.#outputs = outputs;
    this.#stopReports = outputs.onReport((report) => {
      if (report.kind !== 'recording_ended') return;
      const { end } = report;
      const onEnd = this.#onEnd.get(end.recording);
      this.#onEnd.delete(end.recording);
      if (onEnd) onEnd(end);
      else if (this.#starting > 0) this.#early.set(end.recording, end);
    });
  }

  /**
   * Records a stream; rejects with `OutputRefused`.
   * @param onEnd called once; must not throw
   */
  async record(
    stream: string,
    options: RecordingOptions,
    onEnd: (end: RecordingEnd) => void,
  ): Promise<OutputRecording> {
    this.#starting += 1;
    try {
      const { id, stop } = await this.#outputs.record(stream, options);
      const early = this.#early.get(id);
      if (early) onEnd(early);
      else this.#onEnd.set(id, onEnd);
      return { stop };
    } finally {
      this.#starting -= 1;
      if (this.#starting === 0) this.#early.clear();
    }
  }

  close(): void {
    this.#stopReports();
  }
}
