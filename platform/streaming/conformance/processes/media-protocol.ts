import type { SourceOptions, SourceTag } from '../signals/flash-and-beep.ts';

/** Encoded media with its times, as it came out of RTP. */
export interface Timed {
  readonly data: Uint8Array;
  /** Milliseconds on any clock, the same one for video and audio. */
  readonly ms: number;
}

/** Times of flashes and beeps, in milliseconds on the clock of the input. */
export interface Signals {
  readonly flashesMs: readonly number[];
  readonly beepsMs: readonly number[];
  /** Video frames and audio samples that could be decoded. */
  readonly pictures: number;
  readonly seconds: number;
}

export type MediaRequest =
  | { readonly kind: 'source'; readonly options: Partial<SourceOptions> }
  /** Answered when the server has admitted it. */
  | { readonly kind: 'publish'; readonly url: string; readonly options: Partial<SourceOptions> }
  /** Says goodbye; answered with the packets sent. */
  | { readonly kind: 'finish' }
  /** H.264 frames in Annex B, and Opus packets. */
  | { readonly kind: 'signals'; readonly pictures: readonly Timed[]; readonly sounds: readonly Timed[] };

/** Packets handed to FFmpeg so far. */
export interface Published {
  readonly packets: number;
}

export type MediaReply = readonly SourceTag[] | Signals | Published;
