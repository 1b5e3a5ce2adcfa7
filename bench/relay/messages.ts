export type Kind = 'video' | 'audio';

/** The sections of a viewer's session, whoever offers: a server that offers is set up to offer these. */
export const VIEWED = {
  video: { mid: 'v', payloadType: 108 },
  audio: { mid: 'a', payloadType: 109 },
} as const;

/** The viewers of one process. Delays are those of the measured; all count what they get and miss. */
export interface Crowd {
  readonly count: number;
  readonly isMeasured: boolean;
}

export interface Counts {
  /** Packets that came, each counted once. */
  readonly packets: number;
  /** Packets that never came, also when asked for again. */
  readonly lost: number;
  /** Requests for packets that were missing. */
  readonly asked: number;
}

/** What one process of viewers saw. */
export interface Summary {
  readonly video: Counts;
  readonly audio: Counts;
  readonly packetsPerSecond: number;
  /** Packets per delay step. */
  readonly delays: readonly number[];
}

/** What the bench tells a process of viewers. */
export type ViewerOrder =
  /** Makes WebRTC viewers on an address. Each sends an `offer`, or `wants` one when the server offers. */
  | {
    readonly kind: 'join'; readonly crowd: Crowd; readonly address: string; readonly serverOffers: boolean;
    /** One in so many video packets each viewer asks for again though it came; 0 for none. */
    readonly askEvery: number;
  }
  /** The server's part of the negotiation: an answer, or an offer. */
  | { readonly kind: 'described'; readonly viewer: number; readonly description: string }
  /** Opens this many plain sockets instead, and names their ports. */
  | { readonly kind: 'listen'; readonly crowd: Crowd }
  /** Forgets what came so far. */
  | { readonly kind: 'restart' }
  | { readonly kind: 'report' };

export type ViewerNews =
  | { readonly kind: 'wants'; readonly viewer: number }
  /** The viewer's part of the negotiation: an offer, or an answer. */
  | { readonly kind: 'described'; readonly viewer: number; readonly description: string }
  | { readonly kind: 'ports'; readonly ports: readonly number[] }
  /** Viewers that have got picture and sound. */
  | { readonly kind: 'joined'; readonly viewers: number }
  | { readonly kind: 'summary'; readonly summary: Summary };

/** Ports plain packets go to. */
export interface RtpPorts {
  readonly video: number;
  readonly audio: number;
  /** Ports of sender reports; absent when they go with the packets. */
  readonly videoReports?: number;
  readonly audioReports?: number;
}

/** What the bench tells the process with the source of packets. */
export type SourceOrder =
  | { readonly kind: 'publish'; readonly bitsPerSecond: number; readonly address: string }
  | { readonly kind: 'answer'; readonly answer: string }
  /** Sends plain packets to ports of 127.0.0.1 instead. */
  | { readonly kind: 'send'; readonly bitsPerSecond: number; readonly ports: RtpPorts };

export interface SourceNews {
  readonly kind: 'offer';
  readonly offer: string;
}
