import { fork, type ChildProcess } from 'node:child_process';
import { childEntry } from '../../child-entry.ts';
import type { SourceOptions, SourceTag } from '../signals/flash-and-beep.ts';
import type { MediaReply, MediaRequest, Published, Signals, Timed } from './media-protocol.ts';

/** Makes and measures test media in a process of its own, one request at a time. */
export class MediaProcess {
  readonly #child: ChildProcess;

  constructor() {
    const entry = childEntry(import.meta.url, './media-child');
    this.#child = fork(entry.path, [], { execArgv: [...entry.execArgv], serialization: 'advanced' });
  }

  /** See `flashAndBeep`. */
  async source(options: Partial<SourceOptions> = {}): Promise<SourceTag[]> {
    const tags = await this.#ask({ kind: 'source', options }) as readonly SourceTag[];
    return tags.map((tag) => ({ ...tag, payload: Buffer.from(tag.payload) }));
  }

  /** See `findSignals`. */
  async signals(pictures: readonly Timed[], sounds: readonly Timed[]): Promise<Signals> {
    return await this.#ask({ kind: 'signals', pictures, sounds }) as Signals;
  }

  /** Publishes in real time until `finish`: see `FfmpegPublisher`. Rejects when refused. */
  async publish(url: string, options: Partial<SourceOptions>): Promise<void> {
    await this.#ask({ kind: 'publish', url, options });
  }

  /** Stops publishing as FFmpeg does. Resolves with the packets sent; rejects if one could not be sent. */
  async finish(): Promise<number> {
    return (await this.#ask({ kind: 'finish' }) as Published).packets;
  }

  close(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  #ask(request: MediaRequest): Promise<MediaReply> {
    return new Promise((resolve, reject) => {
      const exited = (): void => reject(new Error('the media process died'));
      this.#child.once('exit', exited);
      this.#child.once('message', (reply) => {
        this.#child.off('exit', exited);
        resolve(reply as MediaReply);
      });
      this.#child.send(request);
    });
  }
}
