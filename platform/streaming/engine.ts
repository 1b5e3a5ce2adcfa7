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
  | 'unavailable'
  /** There is no such session, or it is over. */
  | 'session_unknown'
  /** The fragment of a PATCH is not one the engine can take (RFC 9725 §4.3.1). */
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
  /** Peers that watch; processes of our own that read the stream do not count. */
  readonly viewers: number;
  /** Why it cannot be shown, as its ingest reports; null when it can. */
  readonly trouble: IngestTrouble | null;
  /** Null without B-frames. */
  readonly bFrames: BFrameDelivery | null;
}

/** B-frames arrive where they are refused, or a codec nobody can play. */
export type IngestTrouble = 'b_frames' | 'video_codec' | 'audio_codec';

/**
 * How a stream with B-frames is on air: encoded again without them, or as it came. Browsers show B-frames in
 * HLS but not over WebRTC, so a copied stream has no peers as readers.
 */
export type BFrameDelivery = 'transcoded' | 'copied';

/**
 * What one metered reader was sent, in seconds that end at the reports of the stream. A second is named by
 * its age, in reports: 0 ends with this one. Each is sent first, and later received or lost, never both.
 */
export interface ReaderHealth {
  readonly session: string;
  /** It was sent media in the second of age 0. */
  readonly isSent: boolean;
  /** Seconds that its receiver reports have reached since the last report of the stream. */
  readonly received: readonly number[];
  /** Seconds whose media was lost, or on which it never reported. */
  readonly lost: readonly number[];
}

export type StreamReport =
  /** The first media packet of a publish session arrived. */
  | { readonly kind: 'up'; readonly stream: string; readonly session: string }
  /**
   * A publish session ended: by DELETE, a meant stop, silence, replacement, revocation, a lost relay. One
   * that was replaced `wasSending`, or had lost its line and came again by itself.
   */
  | {
    readonly kind: 'down'; readonly stream: string; readonly session: string; readonly reason: DownReason;
    readonly wasSending?: boolean;
  }
  /** One a second of each stream with media; `readers` are those that were let in as metered. */
  | {
    readonly kind: 'health'; readonly health: StreamHealth; readonly readers: readonly ReaderHealth[];
  }
  /** A publish session that has no media to show yet says why. */
  | {
    readonly kind: 'trouble'; readonly stream: string; readonly session: string;
    readonly trouble: IngestTrouble;
  }
  /**
   * A play session is over. `last` is what is still to be said of a metered one, as the next report of the
   * stream would have said it; null of others, and when the relay was lost.
   */
  | {
    readonly kind: 'reader_gone'; readonly stream: string; readonly session: string;
    readonly reason: GoneReason; readonly last: ReaderHealth | null;
  };

/** `ended`: its session or its transport is over; `finished`: it said itself that it means to stop. */
export type DownReason = 'ended' | 'finished' | 'silent' | 'replaced' | 'stopped' | 'relay_lost';

/** `silent`: its transport lives, but it does not report what it receives. */
export type GoneReason = 'ended' | 'silent';

export interface PublishOptions {
  /** A publisher with the same owner replaces a live one; another owner is refused with `stream_taken`. */
  readonly owner: string;
  /** Replaces one whose media has paused for a second, and no other: refused with `stream_taken` else. */
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

/** What became of an ICE fragment (RFC 9725 §4.3): candidates noted, or a restart with its answer. */
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
   * Gives the publisher of a stream another stream name; its session stays. When this resolves no reader of
   * the old name, nor of a stream derived from it, gets another packet. Refuses `stream_offline` when nobody
   * publishes `from` and `stream_taken` when `to` has a publisher.
   */
  readonly move: (from: string, to: string) => Promise<void>;
  readonly onReport: (listener: (report: StreamReport) => void) => () => void;
  readonly close: () => Promise<void>;
}

/**
 * A place at a stream for a process of this machine: a socket and the session it is good for, once, within
 * 10 s. The session id is the credential.
 */
export interface LocalTicket {
  readonly session: string;
  readonly socketPath: string;
}

/**
 * How processes of this machine take part in streams: what records, segments, thumbnails and transcodes is a
 * reader, what comes by other protocols a publisher. Reports of their sessions come through the engine's
 * `onReport`, like all others. Rejects with {@link EngineRefused}.
 */
export interface LocalMedia {
  /** A reader's place. Refuses `stream_offline` while nobody publishes the stream. */
  readonly tap: (stream: string) => Promise<LocalTicket>;
  /** A publisher's place. Refuses `stream_taken`. */
  readonly feed: (stream: string, options: PublishOptions) => Promise<LocalTicket>;
  /** Ends a local session, as `Engine.end` does. */
  readonly end: (session: string) => Promise<boolean>;
}

/** Between a stream's name and what was derived from it: `{stream}~{height}` is a lower rendition. */
export const DERIVED = '~';

/** The stream a derived one was made of; a stream of its own is its own base. */
export const baseOf = (stream: string): string => stream.split(DERIVED, 1)[0] ?? stream;
