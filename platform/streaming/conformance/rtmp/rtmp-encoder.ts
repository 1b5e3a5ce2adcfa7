import { systemClock } from '#platform/data/clock.ts';
import type { SourceTag } from '../signals/flash-and-beep.ts';
import type { Watched } from '../signals/watched.ts';
import { RtmpClient, type RtmpClientView } from './rtmp-client.ts';

export interface RtmpEncoderOptions {
  readonly port: number;
  readonly key: string;
  /** The tags it sends in a loop: see `MediaProcess.source`. */
  readonly tags: readonly SourceTag[];
  /** Length of the loop. */
  readonly seconds: number;
}

/** Tags are sent in small batches, as an encoder sends them. */
const PERIOD_MS = 10;

/** An encoder such as OBS: publishes its source in real time until it is stopped or cut. */
export class RtmpEncoder {
  readonly seen: Watched<RtmpClientView>;
  readonly #options: RtmpEncoderOptions;
  readonly #client: RtmpClient;
  readonly #beganAtMs = performance.now();
  #sent = 0;
  #cancel: () => void = () => undefined;

  private constructor(options: RtmpEncoderOptions) {
    this.#options = options;
    this.#client = new RtmpClient(options.port);
    this.seen = this.#client.seen;
  }

  /** Resolves when it publishes. Rejects when it is refused. */
  static async publish(options: RtmpEncoderOptions): Promise<RtmpEncoder> {
    const encoder = new RtmpEncoder(options);
    const { statuses } = await encoder.#client.publish(options.key);
    const last = statuses.at(-1);
    if (last?.code !== 'NetStream.Publish.Start') throw new Error(last?.description ?? 'no answer');
    encoder.#cancel = systemClock.every('encoder', PERIOD_MS, () => encoder.#sendDue());
    return encoder;
  }

  /** Stops as OBS does, with a goodbye. */
  finish(): void {
    this.#cancel();
    this.#client.command(0, 'FCUnpublish', 6, null, this.#options.key);
  }

  /** Disconnects without a goodbye. */
  close(): void {
    this.#cancel();
    this.#client.close();
  }

  #sendDue(): void {
    const passedMs = performance.now() - this.#beganAtMs;
    const { tags, seconds } = this.#options;
    for (;;) {
      const tag = tags[this.#sent % tags.length]!;
      const timestamp = tag.timestamp + Math.floor(this.#sent / tags.length) * seconds * 1_000;
      if (timestamp > passedMs) return;
      this.#sent += 1;
      void this.#client.send(tag.type, timestamp, tag.payload);
    }
  }
}
