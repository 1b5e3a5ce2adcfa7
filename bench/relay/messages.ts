export type Kind = 'video' | 'audio';

/** The media sections of a viewer's session, whichever side offers. */
export const VIEWED = {
  video: { mid: 'v', payloadType: 108 },
  audio: { mid: 'a', payloadType: 109 },
} as const;

/** The viewers of one process. Only measured viewers record delays; all count packets received and missed. */
export interface Crowd {
  readonly count: number;
  readonly isMeasured: boolean;
}

export interface Counts {
  /** Packets received, each counted once. */
  readonly packets: number;
  /** Packets never received, even after requests. */
  readonly lost: number;
  /** Requests for packets that were missing. */
  readonly asked: number;
}

/** Measurements of one process of viewers. */
export interface Summary {
  readonly video: Counts;
  readonly audio: Counts;
  readonly packetsPerSecond: number;
  /** Packets per delay step. */
  readonly delays: readonly number[];
}

/** Orders of the bench to a process of viewers. */
export type ViewerOrder =
  /** Makes WebRTC viewers on an address. Each sends an `offer`, or `wants` one when the server offers. */
  | {
    readonly kind: 'join';
    readonly crowd: Crowd;
    readonly address: string;
    readonly serverOffers: boolean;
    /** Each viewer requests one in so many received video packets again; 0 for none. */
    readonly askEvery: number;
  }
  /** The server's part of the negotiation: an answer, or an offer. */
  | { readonly kind: 'described'; readonly viewer: number; readonly description: string }
  /** Opens this many plain sockets instead, and names their ports. */
  | { readonly kind: 'listen'; readonly crowd: Crowd }
  /** Resets the measurements. */
  | { readonly kind: 'restart' }
  | { readonly kind: 'report' };

export type ViewerNews =
  | { readonly kind: 'wants'; readonly viewer: number }
  /** The viewer's part of the negotiation: an offer, or an answer. */
  | { readonly kind: 'described'; readonly viewer: number; readonly description: string }
  | { readonly kind: 'ports'; readonly ports: readonly number[] }
  /** Viewers that have received video and audio. */
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

/** Orders of the bench to the process that sends packets. */
export type SourceOrder =
  | { readonly kind: 'publish'; readonly bitsPerSecond: number; readonly address: string }
  | { readonly kind: 'answer'; readonly answer: string }
  /** Sends plain packets to ports of 127.0.0.1 instead. */
  | { readonly kind: 'send'; readonly bitsPerSecond: number; readonly ports: RtpPorts };

export interface SourceNews {
  readonly kind: 'offer';
  readonly offer: string;
}
