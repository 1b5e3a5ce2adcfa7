import { parametersOf, type ParameterSets } from '#platform/streaming/wire/codecs/h264-parameters.ts';
import { splitUnits } from '#platform/streaming/wire/codecs/h264.ts';
import {
  sampleParts,
  VIDEO_TIMESCALE,
  VIDEO_TRACK,
  writeFragment,
  writeInit,
} from '#platform/streaming/wire/files/fmp4.ts';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const LOOP = fileURLToPath(new URL('../loops/candle.h264', import.meta.url));
const IDR_SLICE = 5;
/** Filler data (H.264 §7.3.2.7): decoders skip it. */
const FILLER = 12;

/**
 * A simulated recording: a real fragmented MP4 that grows by a fragment of one second and one keyframe at a
 * time.
 */
export class Film {
  readonly file: string;
  readonly parameters: ParameterSets;
  seconds = 0;
  /** How much shorter than a second the last one is. */
  missingMs = 0;
  bytes: number;
  readonly #picture: Buffer;

  constructor(file: string) {
    const units = splitUnits(readFileSync(LOOP));
    const parameters = parametersOf(units.slice(0, 8), null);
    const picture = units.find((unit) => (unit[0] ?? 0) % 32 === IDR_SLICE);
    if (!parameters || !picture) throw new Error('the loop has no keyframe');
    this.file = file;
    this.parameters = parameters;
    this.#picture = picture;
    const head = writeInit(parameters, null);
    this.bytes = head.length;
    writeFileSync(file, head);
  }

  /** Appends a second of at least `bytes` bytes. */
  second(bytes = 0): void {
    const filler = Buffer.alloc(Math.max(1, bytes - this.#picture.length), 0xff);
    filler[0] = FILLER;
    const parts = sampleParts([this.#picture, filler]);
    const fragment = writeFragment(this.seconds + 1, [{
      track: VIDEO_TRACK,
      decodeTime: this.seconds * VIDEO_TIMESCALE,
      samples: [{ parts, duration: VIDEO_TIMESCALE, composition: 0, keyframe: true }],
    }]);
    appendFileSync(this.file, fragment);
    this.bytes += fragment.length;
    this.seconds += 1;
  }
}
