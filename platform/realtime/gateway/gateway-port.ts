import type { EventContext } from '#platform/contract/bind.ts';
import type { CallContext, Caller, Scope } from '#platform/contract/context.ts';

/**
 * The topics that a room socket subscribes to: the room's own, and further ones that are not for everybody.
 */
export interface Admitted {
  readonly topic: string;
  readonly beside?: readonly string[];
}

/** What the gateway needs from the product; the wiring provides it from `accounts` and `rooms`. */
export interface GatewayPort {
  /**
   * Redeems a node token (single use, at most 60 s old, bound to its session). Null when it is invalid, or
   * when `context`, the upgrade request, came from another session.
   */
  readonly redeem: (scope: Scope, token: string, context: CallContext) => Promise<Caller | null>;
  /** The `user` field of `v3.authorize.success`. */
  readonly describe: (scope: Scope, caller: Caller) => Promise<unknown>;
  /**
   * Admits a caller to a topic: returns the canonical topic, or a code for `v3.authorize.failed`. `context`
   * is the upgrade request as a call would see it (region, entry cookie).
   */
  readonly admit: (
    scope: Scope,
    caller: Caller,
    room: string,
    context: CallContext,
  ) => Promise<Admitted | { readonly refused: string }>;
  /**
   * A socket joined: send it what it missed since `lastSeq` (null on its first join). New messages of the
   * topic wait until this resolves.
   */
  readonly joined: (context: EventContext, lastSeq: number | null) => Promise<void>;
  readonly left: (context: EventContext) => Promise<void>;
  /** The topics of a lobby: what concerns every page of its place. None without it. */
  readonly lobbyTopics?: (context: CallContext) => readonly string[];
}

/**
 * Closes live sockets on log-out. To remove a person from a room, send an event with `closes` on the channel
 * of that person in the topic.
 */
export interface SocketCloser {
  /** Sends `v3.logout` to the session's sockets and closes them. */
  readonly closeSession: (sessionId: string) => void;
}
