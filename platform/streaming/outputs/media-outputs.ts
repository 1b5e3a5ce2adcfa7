import { systemClock, type Clock } from '#platform/data/clock.ts';
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { childEntry, type ChildEntry } from '../child-entry.ts';
import { baseOf, type LocalMedia, type MediaFeature } from '../engine.ts';
import { HlsRooms } from './hls/hls-rooms.ts';
import { HLS_ROOMS_PER_CORE, RECORDINGS_PER_CORE, RENDITIONS_PER_CORE, SWEEP_MS } from './limits.ts';
import { OUTPUT_FEATURES, OutputRefused, type OutputReport, type Outputs } from './outputs.ts';
import { Previews } from './pictures/previews.ts';
import { Thumbnails } from './pictures/thumbnails.ts';
import { probeLibrary } from './probe.ts';
import { Recordings } from './recording/recordings.ts';
import { Renditions } from './rendition/renditions.ts';

export interface MediaOutputsOptions {
  readonly local: LocalMedia;
  /** A directory of its own for segments. Whatever an earlier run left in it is removed. */
  readonly directory: string;
  readonly clock?: Clock;
  /** How many of each run at once; depends on the number of cores when absent. */
  readonly maxHlsRooms?: number;
  readonly maxRecordings?: number;
  readonly maxRenditions?: number;
}

/** Process ids of the children, for operators and tests. */
export interface ChildPids {
  /** By stream. */
  readonly hls: ReadonlyMap<string, number>;
  /** By recording. */
  readonly recordings: ReadonlyMap<string, number>;
  /** By the name of the derived stream. */
  readonly renditions: ReadonlyMap<string, number>;
  readonly thumbnails: number | undefined;
  readonly previews: number | undefined;
}

interface Bounds {
  readonly hls: number;
  readonly recordings: number;
  readonly renditions: number;
}

/** The outputs on node-av, each kind in processes of its own. */
export class MediaOutputs implements Outputs {
  readonly #bounds: Bounds;
  readonly #trouble: string | null;
  readonly #hls: HlsRooms;
  readonly #renditions: Renditions;
  readonly #recordings: Recordings;
  readonly #thumbnails: Thumbnails;
  readonly #previews: Previews;
  readonly #listeners = new Set<(report: OutputReport) => void>();
  readonly #cancelSweep: () => void;

  /** @param trouble why the library does not run here; null when it does */
  constructor(options: MediaOutputsOptions, clock: Clock, trouble: string | null) {
    const { local, directory } = options;
    const cores = availableParallelism();
    this.#trouble = trouble;
    this.#bounds = {
      hls: options.maxHlsRooms ?? HLS_ROOMS_PER_CORE * cores,
      recordings: options.maxRecordings ?? RECORDINGS_PER_CORE * cores,
      renditions: options.maxRenditions ?? RENDITIONS_PER_CORE * cores,
    };
    const own = (child: string): { local: LocalMedia; clock: Clock; entry: ChildEntry } => ({
      local,
      clock,
      entry: childEntry(import.meta.url, child),
    });
    const onError = (what: string) => (stream: string, detail: string): void =>
      this.#report({ kind: 'fault', what: `${what} of ${stream}`, detail });
    this.#hls = new HlsRooms({
      ...own('./hls/hls-child'),
      directory: join(directory, 'hls'),
      maxRooms: this.#bounds.hls,
      onError: onError('HLS'),
    });
    this.#renditions = new Renditions({
      ...own('./rendition/rendition-child'),
      maxRenditions: this.#bounds.renditions,
      onError: onError('rendition'),
    });
    this.#recordings = new Recordings({
      ...own('./recording/recording-child'),
      maxRecordings: this.#bounds.recordings,
      onError: onError('recording'),
      ended: (end) => this.#report({ kind: 'recording_ended', end }),
    });
    this.#thumbnails = new Thumbnails({
      ...own('./pictures/thumbnail-child'),
      made: (stream) => this.#report({ kind: 'thumbnail', stream }),
      onError: (detail) => this.#report({ kind: 'fault', what: 'thumbnails', detail }),
    });
    this.#previews = new Previews({ ...own('./pictures/preview-child'), onError: onError('preview') });
    this.#cancelSweep = clock.every('outputs', SWEEP_MS, () => void this.#sweep());
  }

  /** Process ids of the children, for operators and tests. */
  readonly pids = (): ChildPids => ({
    hls: this.#hls.pids,
    recordings: this.#recordings.pids,
    renditions: this.#renditions.pids,
    thumbnails: this.#thumbnails.pid,
    previews: this.#previews.pid,
  });

  readonly features = (): readonly MediaFeature[] => {
    const { hls, recordings, renditions } = this.#bounds;
    const feature = (name: string, detail: string): MediaFeature =>
      this.#trouble === null
        ? { name, on: true, detail }
        : { name, on: false, detail: `node-av does not run here: ${this.#trouble}` };
    return [
      feature(OUTPUT_FEATURES.hls, `H.264 and AAC in fragmented MP4; at most ${hls} streams`),
      feature(OUTPUT_FEATURES.recording, `fragmented MP4; at most ${recordings} at once`),
      feature(OUTPUT_FEATURES.thumbnails, 'a live picture of every stream, and previews'),
      feature(OUTPUT_FEATURES.renditions, `H.264 by x264; at most ${renditions} at once`),
    ];
  };

  readonly openHls: Outputs['openHls'] = async (stream, isOver = false) => {
    this.#check();
    if (isOver) return this.#hls.last(stream);
    this.#renditions.touch(stream);
    return this.#hls.open(stream);
  };

  readonly readHls: Outputs['readHls'] = async (stream, name) => {
    this.#renditions.touch(stream);
    return this.#hls.read(stream, name);
  };

  readonly rendition: Outputs['rendition'] = async (stream, height) => {
    this.#check();
    return this.#renditions.need(stream, height);
  };

  readonly record: Outputs['record'] = async (stream, options) => {
    this.#check();
    return this.#recordings.record(stream, options);
  };

  readonly picture: Outputs['picture'] = async (stream, kind) => {
    if (kind === 'thumbnail') return this.#thumbnails.picture(stream);
    this.#check();
    return this.#previews.clip(stream);
  };

  readonly watch: Outputs['watch'] = (streams) => {
    if (this.#trouble === null) this.#thumbnails.watch(streams);
  };

  readonly forget: Outputs['forget'] = async (stream, hasTail = false) => {
    const isMeant = (name: string): boolean => name === stream || baseOf(name) === stream;
    this.#thumbnails.forget(isMeant);
    await Promise.all([
      hasTail ? this.#hls.finish(isMeant) : this.#hls.forget(isMeant),
      this.#renditions.forget(isMeant),
      this.#previews.forget(isMeant),
    ]);
  };

  readonly onReport: Outputs['onReport'] = (listener) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly close: Outputs['close'] = async () => {
    this.#cancelSweep();
    await Promise.all([
      this.#hls.forget(() => true),
      this.#renditions.forget(() => true),
      this.#recordings.close(),
      this.#thumbnails.close(),
      this.#previews.close(),
    ]);
  };

  #check(): void {
    if (this.#trouble === null) return;
    throw new OutputRefused('unavailable', `node-av does not run here: ${this.#trouble}`);
  }

  #report(report: OutputReport): void {
    for (const listener of this.#listeners) listener(report);
  }

  async #sweep(): Promise<void> {
    await Promise.all([
      this.#hls.sweep(),
      this.#renditions.sweep(),
      this.#thumbnails.rest(),
      this.#previews.rest(),
    ]);
  }
}

/** Makes the outputs, on node-av in child processes. Where the library does not run, all are refused. */
export async function createOutputs(options: MediaOutputsOptions): Promise<MediaOutputs> {
  const clock = options.clock ?? systemClock;
  await rm(join(options.directory, 'hls'), { recursive: true, force: true });
  const trouble = await probeLibrary(childEntry(import.meta.url, './media/probe-child'), clock);
  return new MediaOutputs(options, clock, trouble);
}
