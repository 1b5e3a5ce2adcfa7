import type { EngineRefusalCode, Patched, StreamReport } from '../../engine.ts';
import type { PeerAddress } from '../../wire/sdp.ts';

/** What a relay child is started with, as JSON in its first argument. */
export interface RelaySettings {
  readonly address: PeerAddress;
  /** UDP port of a {@link TurnBridge}; null without one. */
  readonly turnPort: number | null;
  /** The local socket: a file in a private directory, or a named pipe. */
  readonly socketPath: string;
  readonly maxReaders: number;
  readonly graceMs: number;
}

/** Parent to relay. */
export type RelayRequest =
  | {
    readonly kind: 'publish';
    readonly session: string;
    readonly stream: string;
    readonly owner: string;
    readonly onlyPaused: boolean;
    readonly offer: string;
  }
  | {
    readonly kind: 'play';
    readonly session: string;
    readonly stream: string;
    readonly offer: string;
    readonly isMetered: boolean;
  }
  | { readonly kind: 'tap'; readonly session: string; readonly stream: string }
  | {
    readonly kind: 'feed';
    readonly session: string;
    readonly stream: string;
    readonly owner: string;
    readonly onlyPaused: boolean;
  }
  | { readonly kind: 'patch'; readonly session: string; readonly fragment: string }
  | { readonly kind: 'end'; readonly session: string }
  | { readonly kind: 'stop'; readonly stream: string }
  | { readonly kind: 'move'; readonly from: string; readonly to: string }
  /** The stream continues at another relay: refused while its publisher is live here, else readers leave. */
  | { readonly kind: 'vacate'; readonly stream: string };

/** A request with its number, which comes back with the outcome. */
export interface Numbered {
  readonly request: number;
  readonly ask: RelayRequest;
}

/** An SDP answer, the moved session, the result of a fragment, or whether there was a session to end. */
export type RelayOutcome = string | boolean | Patched;

/** Relay to parent. */
export type RelayMessage =
  | { readonly kind: 'ready' }
  /** The relay cannot run at all, for example because its port is taken. */
  | { readonly kind: 'unfit'; readonly detail: string }
  | { readonly kind: 'done'; readonly request: number; readonly outcome: RelayOutcome }
  | {
    readonly kind: 'refused';
    readonly request: number;
    readonly code: EngineRefusalCode;
    readonly detail: string;
  }
  | { readonly kind: 'reports'; readonly reports: readonly StreamReport[] };
