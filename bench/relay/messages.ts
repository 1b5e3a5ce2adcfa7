import type { Summary } from './meter.ts';

/** The viewers of one process: those who look at every packet, or those who only take them. */
export interface Crowd {
  readonly count: number;
  readonly isMeasured: boolean;
}

/** What the bench tells a process of viewers. */
export type ViewerOrder =
  /** Makes this many WebRTC viewers, each of which sends an `offer`. */
  | { readonly kind: 'join'; readonly crowd: Crowd }
  | { readonly kind: 'answer'; readonly viewer: number; readonly answer: string }
  /** Opens this many plain sockets instead, and names their ports. */
  | { readonly kind: 'listen'; readonly crowd: Crowd }
  /** Forgets what came so far. */
  | { readonly kind: 'restart' }
  | { readonly kind: 'report' };

export type ViewerNews =
  | { readonly kind: 'offer'; readonly viewer: number; readonly offer: string }
  | { readonly kind: 'ports'; readonly ports: readonly number[] }
  /** Viewers that are connected; of the measured ones, those that have got picture and sound. */
  | { readonly kind: 'joined'; readonly viewers: number }
  | { readonly kind: 'summary'; readonly summary: Summary };

/** What the bench tells the process with the source of packets. */
export type SourceOrder =
  | { readonly kind: 'publish'; readonly bitsPerSecond: number }
  | { readonly kind: 'answer'; readonly answer: string }
  /** Sends plain packets to a port instead. */
  | { readonly kind: 'send'; readonly bitsPerSecond: number; readonly port: number };

export interface SourceNews {
  readonly kind: 'offer';
  readonly offer: string;
}
