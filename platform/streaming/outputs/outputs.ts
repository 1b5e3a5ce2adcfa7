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
  /** The machine runs as many of these as it can. */
  | 'overloaded'
  /** It did not start in time, or its process died; try again. */
  | 'unavailable';

/** Names of the outputs in `features`. */
export const OUTPUT_FEATURES = {
  hls: 'HLS',
  recording: 'Recording',
  thumbnails: 'Thumbnails',
  renditions: 'Renditions',
} as const;

/** One segment of a playlist. */
export interface HlsSegment {
  /** File name, unique within the stream's life: immutable once listed. */
  readonly name: string;
  readonly durationMs: number;
  /** When its first frame was received from the publisher, also for a rendition; milliseconds since 1970. */
  readonly startsAt: number;
  /** File name of the initialisation segment it needs. */
  readonly init: string;
  /** Whether its media does not continue the segment before it. */
  readonly discontinuity: boolean;
}

/** A file of HLS. */
export interface HlsFile {
  readonly bytes: Buffer;
  /** The segment it is; null for an initialisation segment. */
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

/** The result of a recording. */
export interface RecordingEnd {
  readonly recording: string;
  readonly bytes: number;
  readonly durationMs: number;
  readonly width: number;
  readonly height: number;
  /** `stopped` on request; `source` when the stream ended or moved; `full` at a limit; `fault` on error. */
  readonly reason: 'stopped' | 'source' | 'full' | 'fault';
}

export type OutputReport =
  | { readonly kind: 'recording_ended'; readonly end: RecordingEnd }
  | { readonly kind: 'thumbnail'; readonly stream: string }
  /** A child died and was restarted; for the log. */
  | { readonly kind: 'fault'; readonly what: string; readonly detail: string };

/** A running recording. `stop` resolves when its file is complete. */
export interface Recording {
  readonly id: string;
  readonly stop: () => Promise<void>;
}

/** Limits of one recording. */
export interface RecordingOptions {
  /** File to write: an MP4 that is always playable up to its last whole fragment. */
  readonly file: string;
  readonly maxBytes: number;
  readonly maxMs: number;
}

/**
 * Everything made from streams besides WHEP: HLS, lower renditions, recordings, thumbnails, preview clips.
 * Each kind reads the stream as a local reader, in a process of its own. All methods reject with
 * {@link OutputRefused} for an expected "no".
 */
export interface Outputs {
  readonly features: () => readonly MediaFeature[];
  /**
   * The HLS window of a stream. Segmenting starts on demand and stops 30 s after the last call of this or
   * `readHls`. Resolves with the first complete segment; refuses `unavailable` after 10 s.
   * @param isOver asks for the last window of a stream that has ended, up to 32 s after its end
   */
  readonly openHls: (stream: string, isOver?: boolean) => Promise<HlsWindow>;
  /**
   * A listed segment or initialisation segment of a stream that is live, or ended less than 32 s ago;
   * otherwise null.
   */
  readonly readHls: (stream: string, name: string) => Promise<HlsFile | null>;
  /**
   * Makes `{stream}~{height}` available like any other stream, for WHEP and HLS, until nobody has asked for
   * it for 30 s. Resolves with its name once it has media.
   */
  readonly rendition: (stream: string, height: number) => Promise<string>;
  /** Records a stream from its next keyframe. The end is always reported, whatever caused it. */
  readonly record: (stream: string, options: RecordingOptions) => Promise<Recording>;
  /**
   * The newest thumbnail of a stream (JPEG, 320 px wide), made every 15 s while `watched` names it; null
   * before the first. With `preview`, a muted clip of 3 s (MP4, 320 px wide), made on request and cached for
   * a minute.
   */
  readonly picture: (stream: string, kind: 'thumbnail' | 'preview') => Promise<Buffer | null>;
  /** Sets which streams have live thumbnails, replacing the previous list. */
  readonly watch: (streams: readonly string[]) => void;
  /**
   * Removes everything stored of a stream and its derived streams at once, on disk too: their readers are
   * cut, and no segment is readable any more when this resolves. Recordings end when the engine cuts them.
   * @param hasTail whether players that are behind may still get the last HLS window of the ended stream
   */
  readonly forget: (stream: string, hasTail?: boolean) => Promise<void>;
  readonly onReport: (listener: (report: OutputReport) => void) => () => void;
  readonly close: () => Promise<void>;
}
