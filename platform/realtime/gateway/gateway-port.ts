import type { EventContext } from '#platform/contract/bind.ts';
import type { CallContext, Caller, Scope } from '#platform/contract/context.ts';

/** What a room socket subscribes to: its topic, and topics beside it that are not for everybody. */
export interface Admitted {
  readonly topic: string;
  readonly beside?: readonly string[];
}

/** What the gateway asks of the product; filled by `accounts` and `rooms` in the wiring. */
export interface GatewayPort {
  /**
   * Spends a node token (single use, at most 60 s old, bound to its session). Null when it is not good, or
   * `context`, the upgrade request, came from another session.
   */
  readonly redeem: (scope: Scope, token: string, context: CallContext) => Promise<Caller | null>;
  /** The `user` field of `v3.authorize.success`. */
  readonly describe: (scope: Scope, caller: Caller) => Promise<unknown>;
  /** Whether this caller may join a topic; the canonical topic, or a code for `v3.authorize.failed`.
   * `context` is the upgrade request as a call would see it (region, entry cookie). */
  readonly admit: (
    scope: Scope, caller: Caller, room: string, context: CallContext,
  ) => Promise<Admitted | { readonly refused: string }>;
  /**
   * A socket joined: send it what it missed since `lastSeq` (null: it comes for the first time). What the
   * topic says meanwhile waits until this resolves.
   */
  readonly joined: (context: EventContext, lastSeq: number | null) => Promise<void>;
  readonly left: (context: EventContext) => Promise<void>;
}

/**
 * Closes live sockets; used on log-out. Who is removed from a room is sent an event with `closes` on the
 * channel of that person in the topic.
 */
export interface SocketCloser {
  /** Sends `v3.logout` to the session's sockets and closes them. */
  readonly closeSession: (sessionId: string) => void;
}
