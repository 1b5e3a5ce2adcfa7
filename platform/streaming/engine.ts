/**
 * The media plane's port. One noun, the stream: at most one publisher, any number of readers; every protocol
 * is only a publisher or a reader of it. Implementations: `embedded/` (relay children), later `livekit/`.
 */

/** A "no" of the engine; the slice above maps it to a refusal. */
export class EngineRefused extends Error {
  readonly code: EngineRefusalCode;
  constructor(code: EngineRefusalCode, detail: string) {
    super(detail);
    this.code = code;
  }
}

export type EngineRefusalCode =
  /** The offer is not SDP the engine can answer (RFC 9725 §4.2: 400 or 422). */
  | 'malformed_offer'
  /** No H.264 or VP8 video, or no Opus audio, in common. */
  | 'unsupported_codec'
  /** The publisher's place is taken by another session that is alive. */
  | 'stream_taken'
  /** Nobody publishes this stream now. */
  | 'stream_offline'
  /** The relay's admission limit is reached. */
  | 'overloaded'
  /** The relay is restarting. */
  | 'unavailable';

export interface Negotiated {
  /** Id of the publish or play session: part of its resource address, opaque, unguessable. */
  readonly session: string;
  /** SDP answer. */
  readonly answer: string;
}

/** Health of one live publisher, measured over the last report period (1 s). */
export interface StreamHealth {
  readonly stream: string;
  readonly session: string;
  readonly codec: 'H264' | 'VP8' | null;
  readonly videoBitsPerSecond: number;
  readonly audioBitsPerSecond: number;
  readonly framesPerSecond: number;
  /** 0–1, before retransmission. */
  readonly lossFraction: number;
  readonly roundTripMs: number | null;
  readonly keyframeIntervalMs: number | null;
  readonly viewers: number;
}

export type StreamReport =
  /** The first media packet of a publish session arrived. */
  | { readonly kind: 'up'; readonly stream: string; readonly session: string }
  /** A publish session ended: by DELETE, silence, replacement, revocation, or loss of the relay. */
  | { readonly kind: 'down'; readonly stream: string; readonly session: string; readonly reason: DownReason }
  | { readonly kind: 'health'; readonly health: StreamHealth }
  | { readonly kind: 'reader_gone'; readonly stream: string; readonly session: string };

export type DownReason = 'ended' | 'silent' | 'replaced' | 'stopped' | 'relay_lost';

export interface PublishOptions {
  /** A publisher with the same owner replaces a live one; another owner is refused with `stream_taken`. */
  readonly owner: string;
}

export interface MediaFeature {
  readonly name: string;
  readonly on: boolean;
  readonly detail: string;
}

/** The engine. All methods reject with {@link EngineRefused} for an expected "no". */
export interface Engine {
  readonly start: () => Promise<void>;
  /** What this machine can do, for the start banner. */
  readonly features: () => readonly MediaFeature[];
  /** Answers a publisher's offer (WHIP). */
  readonly publish: (stream: string, offer: string, options: PublishOptions) => Promise<Negotiated>;
  /** Answers a reader's offer (WHEP). */
  readonly play: (stream: string, offer: string) => Promise<Negotiated>;
  /** Ends one publish or play session; false when there is none. */
  readonly end: (session: string) => Promise<boolean>;
  /** Cuts the publisher and every reader of a stream. */
  readonly stop: (stream: string) => Promise<void>;
  /** Where the stream of a descriptor is played. */
  readonly describe: (stream: string) => { readonly kind: 'whep'; readonly path: string };
  readonly onReport: (listener: (report: StreamReport) => void) => () => void;
  readonly close: () => Promise<void>;
}
