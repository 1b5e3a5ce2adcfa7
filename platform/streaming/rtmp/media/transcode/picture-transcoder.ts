import { fork, type ChildProcess } from 'node:child_process';
import type { ChildEntry } from '../../../child-entry.ts';
import { joinUnits, splitUnits } from '../../../wire/codecs/h264.ts';
import { MAX_PICTURES_UNDER_WAY, MAX_TRANSCODER_STARTS } from '../../limits.ts';
import type { Picture, Transcoder, TranscoderEvents } from '../tracks/picture-track.ts';
import type { FromTranscoder, ToTranscoder } from './transcode-protocol.ts';

/** Starts transcoders, no more at once than the machine can run. */
export class Transcoders {
  readonly #entry: ChildEntry;
  readonly #most: number;
  readonly #running = new Set<PictureTranscoder>();

  /** @param most how many run at once */
  constructor(entry: ChildEntry, most: number) {
    this.#entry = entry;
    this.#most = most;
  }

  /** Transcoders for one publisher, whose input may kill only a few of them. Null when it gets none. */
  forPublisher(): (events: TranscoderEvents) => Transcoder | null {
    let starts = 0;
    return (events) => {
      if (this.#running.size >= this.#most || starts >= MAX_TRANSCODER_STARTS) return null;
      starts += 1;
      const transcoder = new PictureTranscoder(this.#entry, {
        ...events,
        gone: () => {
          this.#running.delete(transcoder);
          events.gone();
        },
      });
      this.#running.add(transcoder);
      return {
        push: (picture) => transcoder.push(picture),
        requestKeyframe: () => transcoder.requestKeyframe(),
        close: () => {
          this.#running.delete(transcoder);
          transcoder.close();
        },
      };
    };
  }
}

/**
 * Re-encodes video in a process of its own, so that input that breaks a decoder breaks only this stream.
 * Pictures it cannot keep up with are dropped up to a keyframe.
 */
class PictureTranscoder implements Transcoder {
  readonly #child: ChildProcess;
  readonly #events: TranscoderEvents;
  #underWay = 0;
  #skips = false;
  #closed = false;

  constructor(entry: ChildEntry, events: TranscoderEvents) {
    this.#events = events;
    this.#child = fork(entry.path, [], {
      execArgv: [...entry.execArgv],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    this.#child.on('message', (message) => this.#onMessage(message as FromTranscoder));
    this.#child.once('error', () => this.#gone());
    this.#child.once('exit', () => this.#gone());
  }

  push({ keyframe, parameters, units, decodedMs, shownMs }: Picture): void {
    if (this.#underWay >= MAX_PICTURES_UNDER_WAY) this.#skips = true;
    else if (keyframe) this.#skips = false;
    if (this.#skips || this.#closed) return;
    this.#underWay += 1;
    this.#notify({ kind: 'picture', stream: joinUnits([...parameters, ...units]), decodedMs, shownMs });
  }

  requestKeyframe(): void {
    this.#notify({ kind: 'keyframe' });
  }

  close(): void {
    this.#closed = true;
    this.#child.kill('SIGKILL');
  }

  #notify(message: ToTranscoder): void {
    if (this.#child.connected) this.#child.send(message, undefined, undefined, () => undefined);
  }

  #onMessage(message: FromTranscoder): void {
    if (this.#closed) return;
    if (message.kind === 'taken') this.#underWay -= 1;
    else this.#events.picture(splitUnits(Buffer.from(message.stream)), message.shownMs);
  }

  #gone(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#events.gone();
  }
}
