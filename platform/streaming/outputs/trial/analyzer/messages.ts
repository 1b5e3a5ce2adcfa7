/** What a media file contains: everything a viewer would perceive. */
export interface Inspection {
  /** Each decoded frame: its time, its mean luma from 0 to 255, and its size. */
  readonly pictures: readonly { readonly atMs: number; readonly light: number; readonly width: number }[];
  /** Loudness (root mean square, 0 to 1) in steps of 5 ms since `fromMs`. */
  readonly sound: { readonly fromMs: number; readonly loudness: readonly number[] } | null;
  /** Packets that could not be decoded. */
  readonly broken: number;
}

/** Video as an Annex B byte stream, a keyframe each second, and Opus packets of 20 ms, with beeps. */
export interface DrawnMedia {
  readonly video: Uint8Array;
  readonly sound: readonly Uint8Array[];
}

export type AnalyzerRequest =
  | { readonly kind: 'inspect'; readonly request: number; readonly file: string }
  | {
    readonly kind: 'draw';
    readonly request: number;
    readonly seconds: number;
    readonly width: number;
    /** Luma of all frames, 16 to 235; null for a flash at the start of each second. */
    readonly light: number | null;
  };

export interface AnalyzerReply {
  readonly request: number;
  readonly outcome: Inspection | DrawnMedia | null;
}

export const LOUDNESS_STEP_MS = 5;
export const FLASH_FRAMES_PER_SECOND = 30;
/** How long the flash and the beep last. */
export const FLASH_MS = 100;
