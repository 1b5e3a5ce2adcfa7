import type { EngineRefusalCode, StreamReport } from '../engine.ts';
import type { PeerAddress } from './peer.ts';

/** What a relay child is started with, as JSON in its first argument. */
export interface RelaySettings {
  readonly address: PeerAddress;
  readonly maxReaders: number;
  readonly graceMs: number;
}

/** Parent to relay. `request` comes back with the outcome. */
export type RelayRequest =
  | {
    readonly kind: 'publish';
    readonly request: number;
    readonly session: string;
    readonly stream: string;
    readonly owner: string;
    readonly offer: string;
  }
  | {
    readonly kind: 'play';
    readonly request: number;
    readonly session: string;
    readonly stream: string;
    readonly offer: string;
  }
  | { readonly kind: 'end'; readonly request: number; readonly session: string }
  | { readonly kind: 'stop'; readonly request: number; readonly stream: string };

/** Relay to parent. */
export type RelayMessage =
  | { readonly kind: 'ready' }
  /** The relay cannot run at all, for example because its port is taken. */
  | { readonly kind: 'unfit'; readonly detail: string }
  | { readonly kind: 'done'; readonly request: number; readonly outcome: string | boolean }
  | {
    readonly kind: 'refused';
    readonly request: number;
    readonly code: EngineRefusalCode;
    readonly detail: string;
  }
  | { readonly kind: 'reports'; readonly reports: readonly StreamReport[] };
