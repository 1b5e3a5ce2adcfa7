/** Messages between the ingest process and a transcoder, in Node's own serialisation: bytes stay bytes. */
export type ToTranscoder =
  | {
    readonly kind: 'picture';
    /** Annex B, with parameter sets before a keyframe. */
    readonly stream: Uint8Array;
    readonly decodedMs: number;
    readonly shownMs: number;
  }
  /** The next picture is to be a keyframe. */
  | { readonly kind: 'keyframe' };

export type FromTranscoder =
  | { readonly kind: 'picture'; readonly stream: Uint8Array; readonly shownMs: number }
  /** One picture was taken in; what came of it was sent before. */
  | { readonly kind: 'taken' };
