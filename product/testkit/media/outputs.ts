import { randomId } from '#platform/data/ids.ts';
import { baseOf, DERIVED, type MediaFeature } from '#platform/streaming/engine.ts';
import { WINDOW_SEGMENTS } from '#platform/streaming/outputs/limits.ts';
import {
  OUTPUT_FEATURES,
  OutputRefused,
  type HlsSegment,
  type HlsWindow,
  type OutputRefusalCode,
  type OutputReport,
  type Outputs,
  type RecordingEnd,
  type RecordingOptions,
} from '#platform/streaming/outputs/outputs.ts';
import type { TestEngine } from './engine.ts';
import { Film } from './filming.ts';

const SEGMENT_MS = 2_000;
/** The last media of an ended stream stays available for this long. */
const TAIL_MS = 32_000;
const INIT = 'init.mp4';

interface Hls {
  mediaSequence: number;
  discontinuitySequence: number;
  readonly segments: HlsSegment[];
}

interface Running {
  readonly id: string;
  readonly stream: string;
  readonly options: RecordingOptions;
  readonly film: Film;
}

/** A fake of the outputs: it follows the rules of the port but encodes nothing. */
export class TestOutputs implements Outputs {
  readonly #engine: TestEngine;
  readonly #nowMs: () => number;
  readonly #hls = new Map<string, Hls>();
  /** The last media of ended streams, and until when it is available. */
  readonly #tails = new Map<string, { readonly hls: Hls; readonly untilMs: number }>();
  readonly #recordings = new Map<string, Running>();
  readonly #wanted = new Map<string, number>();
  readonly #listeners = new Set<(report: OutputReport) => void>();
  #refusal: OutputRefusalCode | null = null;
  #watched: readonly string[] = [];
  /** Whether the features are on. */
  on = true;
  /** Height of what performers publish, in pixels. */
  publishedHeight = 480;

  constructor(engine: TestEngine, nowMs: () => number) {
    this.#engine = engine;
    this.#nowMs = nowMs;
    engine.onReport((report) => {
      if (report.kind === 'down') this.#sourceEnded(report.stream);
    });
  }

  readonly features = (): readonly MediaFeature[] =>
    Object.values(OUTPUT_FEATURES).map((name) => ({ name, on: this.on, detail: 'simulated' }));

  readonly openHls: Outputs['openHls'] = async (stream, isOver = false) => {
    if (isOver) {
      const tail = this.#tailOf(stream);
      if (!tail) throw new OutputRefused('stream_offline', 'nothing is left');
      return this.#windowOf(stream, tail);
    }
    this.#check(stream);
    if (!this.#hls.has(stream)) {
      this.#hls.set(stream, { mediaSequence: 0, discontinuitySequence: 0, segments: [] });
      this.produce(stream);
    }
    return this.#windowOf(stream, this.#hls.get(stream) as Hls);
  };

  readonly readHls: Outputs['readHls'] = async (stream, name) => {
    const hls = this.#hls.get(stream) ?? this.#tailOf(stream);
    const segment = hls?.segments.find((item) => item.name === name) ?? null;
    const isListed = hls !== null && (name === INIT || segment !== null);
    return isListed ? { bytes: Buffer.from(`${name} of ${stream}`), segment } : null;
  };

  readonly rendition: Outputs['rendition'] = async (stream, height) => {
    this.#check(stream);
    const name = `${stream}${DERIVED}${height}`;
    this.#wanted.set(name, (this.#wanted.get(name) ?? 0) + 1);
    if (!this.#engine.streams.includes(name)) {
      await this.#engine.local.feed(name, { owner: 'outputs' });
      this.#engine.arriveAt(name);
    }
    return name;
  };

  readonly record: Outputs['record'] = async (stream, options) => {
    this.#check(stream);
    const id = randomId();
    this.#recordings.set(id, { id, stream, options, film: new Film(options.file) });
    return { id, stop: async () => this.endRecording(id, 'stopped') };
  };

  readonly picture: Outputs['picture'] = async (stream, kind) => {
    const isThere = this.on && this.#engine.streams.includes(stream)
      && (kind === 'preview' || this.#watched.includes(stream));
    return isThere ? Buffer.from(`${kind} of ${stream}`) : null;
  };

  readonly watch: Outputs['watch'] = (streams) => {
    this.#watched = [...streams];
  };

  readonly forget: Outputs['forget'] = async (stream, hasTail = false) => {
    for (const name of [...this.#hls.keys(), ...this.#tails.keys()]) {
      if (baseOf(name) !== stream) continue;
      this.#sourceEnded(name);
      if (!hasTail) this.#tails.delete(name);
    }
    for (const name of this.#engine.streams) {
      if (name !== stream && baseOf(name) === stream) await this.#engine.stop(name);
    }
  };

  readonly onReport: Outputs['onReport'] = (listener) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly close: Outputs['close'] = async () => {};

  /** How often a rendition was requested. */
  wanted(rendition: string): number {
    return this.#wanted.get(rendition) ?? 0;
  }

  /** Streams that have live thumbnails. */
  get watched(): readonly string[] {
    return this.#watched;
  }

  /** Streams that are segmented now. */
  get segmented(): readonly string[] {
    return [...this.#hls.keys()];
  }

  /** Running recordings. */
  get recordings(): readonly Running[] {
    return [...this.#recordings.values()];
  }

  /** Refuses everything from now on with this code; null ends it. */
  refuseWith(code: OutputRefusalCode | null): void {
    this.#refusal = code;
  }

  /** Produces a segment of an open stream, which continues the last one by default. */
  produce(stream: string, discontinuity = false): HlsSegment {
    const hls = this.#hls.get(stream);
    if (!hls) throw new Error(`${stream} is not segmented`);
    const number = hls.mediaSequence + hls.segments.length;
    const last = hls.segments.at(-1);
    const segment = {
      name: `${number}.m4s`,
      durationMs: SEGMENT_MS,
      init: INIT,
      discontinuity,
      startsAt: Math.max(this.#nowMs() - SEGMENT_MS, last ? last.startsAt + last.durationMs : 0),
    };
    hls.segments.push(segment);
    if (hls.segments.length > WINDOW_SEGMENTS) {
      hls.mediaSequence += 1;
      if (hls.segments.shift()?.discontinuity) hls.discontinuitySequence += 1;
    }
    return segment;
  }

  /** Reports a new live thumbnail of a stream. */
  photograph(stream: string): void {
    this.#report({ kind: 'thumbnail', stream });
  }

  /** Ends a recording with this reason. */
  endRecording(id: string, reason: RecordingEnd['reason']): void {
    const one = this.#recordings.get(id);
    if (!one) return;
    this.#recordings.delete(id);
    const { seconds, missingMs, bytes, parameters: { width, height } } = one.film;
    const end = { recording: id, bytes, durationMs: seconds * 1_000 - missingMs, width, height, reason };
    this.#report({ kind: 'recording_ended', end });
  }

  /** Appends seconds to the recordings of a stream, each at least so many bytes long. */
  film(stream: string, seconds: number, bytesPerSecond = 0): void {
    for (const { id, stream: own, options, film } of this.recordings) {
      if (own !== stream) continue;
      for (let second = 0; second < seconds && this.#recordings.has(id); second += 1) {
        film.second(bytesPerSecond);
        film.missingMs = Math.max(0, Math.round((second + 1 - seconds) * 1_000));
        const isFull = film.bytes >= options.maxBytes || film.seconds * 1_000 >= options.maxMs;
        if (isFull) this.endRecording(id, 'full');
      }
    }
  }

  #tailOf(stream: string): Hls | null {
    const tail = this.#tails.get(stream);
    return tail && this.#nowMs() <= tail.untilMs ? tail.hls : null;
  }

  #sourceEnded(stream: string): void {
    const hls = this.#hls.get(stream);
    if (hls) this.#tails.set(stream, { hls, untilMs: this.#nowMs() + TAIL_MS });
    this.#hls.delete(stream);
    for (const one of this.recordings) {
      if (one.stream === stream) this.endRecording(one.id, 'source');
    }
  }

  #check(stream: string): void {
    if (this.#refusal) throw new OutputRefused(this.#refusal, 'as the test says');
    if (!this.on) throw new OutputRefused('unavailable', 'turned off');
    if (!this.#engine.isLive(stream)) throw new OutputRefused('stream_offline', 'nobody publishes');
  }

  #windowOf(stream: string, hls: Hls): HlsWindow {
    const { mediaSequence, discontinuitySequence, segments } = hls;
    const derived = stream.slice(baseOf(stream).length + 1);
    const height = derived === '' ? this.publishedHeight : Number(derived);
    return {
      mediaSequence,
      discontinuitySequence,
      segments: [...segments],
      targetDurationSeconds: SEGMENT_MS / 1_000,
      codecs: 'avc1.42e01f,mp4a.40.2',
      width: Math.round((height * 4) / 3),
      height,
      bitsPerSecond: height * 4_000,
    };
  }

  #report(report: OutputReport): void {
    for (const listener of this.#listeners) listener(report);
  }
}
