/**
 * The media plane's port. Its one noun is the stream: at most one publisher, any number of readers. Every
 * protocol is only a way to publish or read one. Implementations: `embedded/` (relay children), later
 * `livekit/`.
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
  /** Another live session publishes the stream. */
  | 'stream_taken'
  /** Nobody publishes this stream now. */
  | 'stream_offline'
  /** The relay's admission limit is reached. */
  | 'overloaded'
  /** The relay is restarting. */
  | 'unavailable'
  /** There is no such session, or it is over. */
  | 'session_unknown'
  /** The fragment of a PATCH is malformed or unsupported (RFC 9725 §4.3.1). */
  | 'malformed_fragment';

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
  /** Peers that watch; our own processes that read the stream do not count. */
  readonly viewers: number;
  /** What prevents it from being shown, as its ingest reports; null when nothing does. */
  readonly trouble: IngestTrouble | null;
  /** Null without B-frames. */
  readonly bFrames: BFrameDelivery | null;
}

/** Its B-frames are refused by policy, or no browser can play its codec. */
export type IngestTrouble = 'b_frames' | 'video_codec' | 'audio_codec';

/**
 * How a stream with B-frames is on air: re-encoded without them, or copied. Browsers show B-frames in HLS but
 * not over WebRTC, so a copied stream has no peers as readers.
 */
export type BFrameDelivery = 'transcoded' | 'copied';

/**
 * What one metered reader was sent, in seconds that end at the reports of the stream. A second is named by
 * its age in reports: 0 ends with this one. Each second is first sent, and later received or lost, never
 * both.
 */
export interface ReaderHealth {
  readonly session: string;
  /** It was sent media in the second of age 0. */
  readonly isSent: boolean;
  /** Seconds that the reader's receiver reports reached since the last report of the stream. */
  readonly received: readonly number[];
  /** Seconds whose media was lost, or that the reader never reported on. */
  readonly lost: readonly number[];
}

export type StreamReport =
  /** The first media packet of a publish session arrived. */
  | { readonly kind: 'up'; readonly stream: string; readonly session: string }
  /**
   * A publish session ended: by DELETE, on purpose, by silence, replacement, revocation, or the loss of its
   * relay. `wasSending` is about a replaced session: true when it still sent media, false when it had lost
   * its line and came back by itself.
   */
  | {
    readonly kind: 'down';
    readonly stream: string;
    readonly session: string;
    readonly reason: DownReason;
    readonly wasSending?: boolean;
  }
  /** Once a second for each stream with media; `readers` are the metered ones. */
  | {
    readonly kind: 'health';
    readonly health: StreamHealth;
    readonly readers: readonly ReaderHealth[];
  }
  /** Why a publish session has no media to show yet. */
  | {
    readonly kind: 'trouble';
    readonly stream: string;
    readonly session: string;
    readonly trouble: IngestTrouble;
  }
  /**
   * A play session is over. `last` is what the next report of the stream would have said of a metered reader;
   * null for other readers, and when the relay was lost.
   */
  | {
    readonly kind: 'reader_gone';
    readonly stream: string;
    readonly session: string;
    readonly reason: GoneReason;
    readonly last: ReaderHealth | null;
  };

/** `ended`: its session or its transport is over; `finished`: the publisher stopped on purpose. */
export type DownReason = 'ended' | 'finished' | 'silent' | 'replaced' | 'stopped' | 'relay_lost';

/** `silent`: its transport lives, but it does not report what it receives. */
export type GoneReason = 'ended' | 'silent';

export interface PublishOptions {
  /** A publisher with the same owner replaces a live one; another owner is refused with `stream_taken`. */
  readonly owner: string;
  /** Replaces only a publisher whose media has paused for a second; otherwise refused with `stream_taken`. */
  readonly onlyPaused?: boolean;
}

export interface PlayOptions {
  /** Each health report of its stream says what this reader was sent. False by default. */
  readonly isMetered?: boolean;
}

export interface MediaFeature {
  readonly name: string;
  readonly on: boolean;
  readonly detail: string;
}

/** Outcome of an ICE fragment (RFC 9725 §4.3): candidates noted, or a restart with its answer. */
export type Patched =
  | { readonly kind: 'noted' }
  | { readonly kind: 'restarted'; readonly fragment: string }
  /** The engine cannot restart ICE: the peer makes a new session (RFC 9725 §4.3.1, 422). */
  | { readonly kind: 'restart_unsupported' };

/** The engine. All methods reject with {@link EngineRefused} for an expected "no". */
export interface Engine {
  /** How its streams are played; `livekit` has no WHEP of its own. */
  readonly plays: 'whep' | 'livekit';
  readonly start: () => Promise<void>;
  /** What this machine can do, for the start banner. */
  readonly features: () => readonly MediaFeature[];
  /** Answers a publisher's offer (WHIP). */
  readonly publish: (stream: string, offer: string, options: PublishOptions) => Promise<Negotiated>;
  /** Answers a reader's offer (WHEP). */
  readonly play: (stream: string, offer: string, options?: PlayOptions) => Promise<Negotiated>;
  /** Takes an ICE fragment of a session (application/trickle-ice-sdpfrag, RFC 8840). */
  readonly patch: (session: string, fragment: string) => Promise<Patched>;
  /** Ends one publish or play session; false when there is none. */
  readonly end: (session: string) => Promise<boolean>;
  /** Cuts the publisher and every reader of a stream, and of the streams derived from it. */
  readonly stop: (stream: string) => Promise<void>;
  /**
   * Gives the publisher of a stream another stream name; its session stays. Once this resolves, no reader of
   * the old name, or of a stream derived from it, gets another packet. Refuses `stream_offline` when nobody
   * publishes `from` and `stream_taken` when `to` has a publisher.
   */
  readonly move: (from: string, to: string) => Promise<void>;
  readonly onReport: (listener: (report: StreamReport) => void) => () => void;
  readonly close: () => Promise<void>;
}

/**
 * Lets a process of this machine attach to a stream: a socket, and a session id that is valid once, for 10 s.
 * The session id is the credential.
 */
export interface LocalTicket {
  readonly session: string;
  readonly socketPath: string;
}

/**
 * How processes of this machine take part in streams: recorders, segmenters, thumbnailers and transcoders are
 * readers, and ingest over other protocols is a publisher. Their sessions are reported through the engine's
 * `onReport`, like all others. Rejects with {@link EngineRefused}.
 */
export interface LocalMedia {
  /** A ticket to read. Refuses `stream_offline` while nobody publishes the stream. */
  readonly tap: (stream: string) => Promise<LocalTicket>;
  /** A ticket to publish. Refuses `stream_taken`. */
  readonly feed: (stream: string, options: PublishOptions) => Promise<LocalTicket>;
  /** Ends a local session, as `Engine.end` does. */
  readonly end: (session: string) => Promise<boolean>;
}

/** Separates a stream's name from what was derived from it: `{stream}~{height}` is a lower rendition. */
export const DERIVED = '~';

/** The stream that a derived one was made from; any other stream is its own base. */
export const baseOf = (stream: string): string => stream.split(DERIVED, 1)[0] ?? stream;
