import type { FormatContext, Rational, Stream } from 'node-av/lib';
import { setTimeout as delay } from 'node:timers/promises';
import { allocated } from '../../rtmp/media/transcode/codec-context.ts';
import { loadCodecs, type Codecs } from '../../rtmp/media/transcode/codecs.ts';
import {
  encode,
  sourcesOf,
  type Encoded,
  type Source,
  type SourceOptions,
} from '../signals/flash-and-beep.ts';

/** A packet, and the moment at which an encoder would send it. */
interface Due extends Encoded {
  readonly atMs: number;
  readonly stream: Stream;
  readonly timeBase: Rational;
}

/**
 * Publishes video and audio with FFmpeg's own FLV writer and RTMP client, as its program does with `-re … -f
 * flv rtmp://…`: none of our code writes to the wire.
 */
export class FfmpegPublisher {
  readonly #codecs: Codecs;
  readonly #output: FormatContext;
  #isOver = false;
  #packets = 0;
  #sending: Promise<void> = Promise.resolve();

  private constructor(codecs: Codecs, output: FormatContext) {
    this.#codecs = codecs;
    this.#output = output;
  }

  /** Resolves when the server has admitted it. Rejects when it is refused. */
  static async publish(url: string, options: Partial<SourceOptions>): Promise<FfmpegPublisher> {
    const codecs = await loadCodecs();
    const output = new codecs.lib.FormatContext();
    check('an output', output.allocOutputContext2(null, 'flv', url));
    const publisher = new FfmpegPublisher(codecs, output);
    const { pictures, sounds } = sourcesOf(codecs, options);
    const queue = [pictures, sounds].flatMap((source) => publisher.#add(source))
      .toSorted((a, b) => a.atMs - b.atMs);
    check('publish', await output.openOutput());
    check('a header', await output.writeHeader());
    publisher.#sending = publisher.#send(queue);
    // `finish` rejects with this error.
    publisher.#sending.catch(() => undefined);
    return publisher;
  }

  /** Says goodbye. Resolves with the packets sent; rejects if one could not be sent. */
  async finish(): Promise<number> {
    this.#isOver = true;
    await this.#sending;
    check('a trailer', await this.#output.writeTrailer());
    await this.#output.closeOutput();
    return this.#packets;
  }

  /** Adds a stream with all packets of its source, whose encoder ends with it. */
  #add(source: Source): Due[] {
    const stream = this.#output.newStream();
    check('parameters', stream.codecpar.fromContext(source.encoder));
    const { timeBase } = source.encoder;
    stream.timeBase = timeBase;
    const encoded = encode(this.#codecs, source);
    const toMs = (ticks: number): number => (ticks * 1_000 * timeBase.num) / timeBase.den;
    return encoded.map((item) => ({ ...item, atMs: toMs(item.dts - encoded[0]!.dts), stream, timeBase }));
  }

  async #send(queue: readonly Due[]): Promise<void> {
    const beganAtMs = performance.now();
    for (const { atMs, stream, timeBase, data, pts, dts, isKeyframe } of queue) {
      await delay(Math.max(0, beganAtMs + atMs - performance.now()));
      if (this.#isOver) return;
      const packet = allocated(new this.#codecs.lib.Packet());
      Object.assign(packet, {
        data,
        pts: BigInt(pts),
        dts: BigInt(dts),
        isKeyframe,
        streamIndex: stream.index,
      });
      packet.rescaleTs(timeBase, stream.timeBase);
      check('a packet', await this.#output.interleavedWriteFrame(packet));
      packet.free();
      this.#packets += 1;
    }
  }
}

function check(what: string, outcome: number): void {
  if (outcome < 0) throw new Error(`FFmpeg refuses ${what} (${outcome})`);
}
