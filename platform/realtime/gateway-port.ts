import type { FrameContext } from '../contract/bind.ts';
import type { AnyEvent, PayloadOf } from '../contract/event.ts';
import type { CallContext, Caller, Scope } from '../contract/context.ts';

/** What the gateway asks of the product; filled by `accounts` and `rooms` in the wiring. */
export interface GatewayPort {
  /** Spends a node token (single use, at most 60 s old, bound to its session). Null when it is not good. */
  readonly redeem: (scope: Scope, token: string) => Promise<Caller | null>;
  /** The `user` field of `v3.authorize.success`. */
  readonly describe: (scope: Scope, caller: Caller) => Promise<unknown>;
  /** Whether this caller may join a topic; the canonical topic, or a code for `v3.authorize.failed`.
   * `context` is the upgrade request as a call would see it (region, entry cookie). */
  readonly admit: (
    scope: Scope, caller: Caller, room: string, context: CallContext,
  ) => Promise<{ readonly topic: string } | { readonly refused: string }>;
  /** A socket joined: send it what it missed. */
  readonly joined: (context: FrameContext) => Promise<void>;
  readonly left: (context: FrameContext) => Promise<void>;
}

/** Closes live sockets; used on log-out and bans. */
export interface SocketCloser {
  /** Tells `v3.logout` to the session's sockets and closes them. */
  readonly closeSession: (sessionId: string) => void;
  /** Closes one person's sockets on a topic, after sending them `event`. */
  readonly closeOnTopic: <E extends AnyEvent>(
    topic: string, personId: number, event: E, payload: PayloadOf<E>,
  ) => void;
}
