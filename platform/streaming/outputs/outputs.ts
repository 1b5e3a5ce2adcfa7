import type { MediaFeature } from '../engine.ts';

/** A "no" of the outputs; the slice above maps it to a refusal. */
export class OutputRefused extends Error {
  readonly code: OutputRefusalCode;
  constructor(code: OutputRefusalCode, detail: string) {
    super(detail);
    this.code = code;
  }
}

export type OutputRefusalCode =
  /** Nobody publishes the stream. */
  | 'stream_offline'
  /** Its codec cannot be segmented or transcoded (VP8 has no HLS). */
  | 'unsupported_codec'
  /** No more of these at once on this machine. */
  | 'overloaded'
  /** It did not come up in time, or its process died; try again. */
  | 'unavailable';

/** What `features` calls the parts of the outputs. */
export const OUTPUT_FEATURES = {
  hls: 'HLS', recording: 'Recording', thumbnails: 'Thumbnails', renditions: 'Renditions',
} as const;

/** One segment of a playlist as it stands now. */
export interface HlsSegment {
  /** File name, unique within the stream's life: immutable once listed. */
  readonly name: string;
  readonly durationMs: number;
  /** When its first frame was received from the publisher, of a rendition too; milliseconds since 1970. */
  readonly startsAt: number;
  /** File name of the initialisation segment it needs. */
  readonly init: string;
  /** The media does not continue the segment before it. */
  readonly discontinuity: boolean;
}

/** A file of HLS. */
export interface HlsFile {
  readonly bytes: Buffer;
  /** What it is as a segment; null for an initialisation segment. */
  readonly segment: HlsSegment | null;
}

/** The live window of one stream. */
export interface HlsWindow {
  readonly mediaSequence: number;
  readonly discontinuitySequence: number;
  readonly targetDurationSeconds: number;
  readonly segments: readonly HlsSegment[];
  /** For the master playlist: RFC 6381 codecs, size, peak bits per second. */
  readonly codecs: string;
  readonly width: number;
  readonly height: number;
  readonly bitsPerSecond: number;
}

/** What a recording became. */
export interface RecordingEnd {
  readonly recording: string;
  readonly bytes: number;
  readonly durationMs: number;
  readonly width: number;
  readonly height: number;
  /** `stopped` when asked to; `source` when the stream ended or moved; `full` at its own limit; `fault`. */
  readonly reason: 'stopped' | 'source' | 'full' | 'fault';
}

export type OutputReport =
  | { readonly kind: 'recording_ended'; readonly end: RecordingEnd }
  | { readonly kind: 'thumbnail'; readonly stream: string }
  /** A child died and was started again; for the log. */
  | { readonly kind: 'fault'; readonly what: string; readonly detail: string };

/** A recording that runs. `stop` resolves when its file is whole. */
export interface Recording {
  readonly id: string;
  readonly stop: () => Promise<void>;
}

/** Limits of one recording. */
export interface RecordingOptions {
  /** File to write, an MP4 that is playable up to its last whole fragment whatever happens. */
  readonly file: string;
  readonly maxBytes: number;
  readonly maxMs: number;
}

/**
 * What is made of streams besides WHEP: HLS, lower renditions, recordings, thumbnails, preview clips. Each
 * reads the stream as a local reader, in a process of its own kind. All methods reject with
 * {@link OutputRefused} for an expected "no".
 */
export interface Outputs {
  readonly features: () => readonly MediaFeature[];
  /**
   * The HLS window of a stream, started when nobody needed it before and stopped 30 s after the last call of
   * this or `readHls`. Resolves with the first segment that is whole; refuses `unavailable` after 10 s.
   * @param isOver the last window of a stream that has ended, up to 32 s after its end
   */
  readonly openHls: (stream: string, isOver?: boolean) => Promise<HlsWindow>;
  /**
   * A listed segment or initialisation segment of a stream that is open, or ended less than 32 s ago; null
   * for everything else.
   */
  readonly readHls: (stream: string, name: string) => Promise<HlsFile | null>;
  /**
   * Makes `{stream}~{height}` available as a stream like any other, for WHEP and HLS, and keeps it while it
   * is asked for again within 30 s. Resolves with its name once it has media.
   */
  readonly rendition: (stream: string, height: number) => Promise<string>;
  /** Records a stream from its next keyframe. Its end is reported, whoever brought it about. */
  readonly record: (stream: string, options: RecordingOptions) => Promise<Recording>;
  /**
   * The newest picture of a stream (JPEG, 320 px wide), made every 15 s while `watched` names it; null before
   * the first. With `preview` a muted clip of 3 s (MP4, 320 px wide), made on request and cached for a
   * minute.
   */
  readonly picture: (stream: string, kind: 'thumbnail' | 'preview') => Promise<Buffer | null>;
  /** Which streams have live thumbnails from now on: replaces the list before it. */
  readonly watch: (streams: readonly string[]) => void;
  /**
   * Removes everything stored of a stream and derived from it, at once and on disk too: its readers are cut,
   * and no segment of it is readable any more when this resolves. Recordings end as the engine cuts them.
   * @param hasTail the stream has ended, and players that are behind may have the last window of its HLS
   */
  readonly forget: (stream: string, hasTail?: boolean) => Promise<void>;
  readonly onReport: (listener: (report: OutputReport) => void) => () => void;
  readonly close: () => Promise<void>;
}
