/** Messages between the ingest process and a transcoder, serialised by Node, so that bytes stay bytes. */
export type ToTranscoder =
  | {
    readonly kind: 'picture';
    /** Annex B, with parameter sets before a keyframe. */
    readonly stream: Uint8Array;
    readonly decodedMs: number;
    readonly shownMs: number;
  }
  /** The next picture should be a keyframe. */
  | { readonly kind: 'keyframe' };

export type FromTranscoder =
  | { readonly kind: 'picture'; readonly stream: Uint8Array; readonly shownMs: number }
  /** One picture was processed; its results were sent before. */
  | { readonly kind: 'taken' };
