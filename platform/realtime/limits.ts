import type { BucketRate } from '#platform/time/token-bucket.ts';

/** How fast one socket may send. */
export type FrameRate = BucketRate & { readonly perSecond: number };

/** The rate tier of a socket's caller; the product decides who is trusted. */
export type Tier = 'guest' | 'member' | 'trusted';

/** Limits of one gateway process, each with its reason. Tests and bench set their own. */
export interface GatewayLimits {
  /** Sockets of one address: a household, a school or a carrier's NAT with a lobby and a room per tab. */
  readonly socketsPerAddress: number;
  /** Sockets of one session: about ten tabs with a lobby and a room each. */
  readonly socketsPerSession: number;
  /** Upgrades being looked up at once; each of them makes a query. */
  readonly pendingUpgrades: number;
  /** Time for sending a valid `v3.authorize`, in milliseconds. */
  readonly authorizeWithinMs: number;
  /** Token bucket per socket and tier: pages stay below it, floods do not. */
  readonly rates: Readonly<Record<Tier, FrameRate>>;
  /** Messages of one socket that wait for their handler: with more, the sender outruns the database. */
  readonly queuedMessages: number;
  /**
   * The least tick of a topic per subscribed socket, in milliseconds. A write costs about 12 µs, so a longer
   * tick leaves the process time for other rooms, and combines more messages in one write.
   */
  readonly tickMsPerSocket: number;
  /** Bytes a reader may lag before it is cut: minutes of a busy room. It reconnects and gets the history. */
  readonly unreadBytes: number;
}

export const GATEWAY_LIMITS: GatewayLimits = {
  socketsPerAddress: 400,
  socketsPerSession: 24,
  pendingUpgrades: 1_000,
  authorizeWithinMs: 10_000,
  rates: {
    // Guests cannot chat: they answer pings, join rooms and subscribe to lists.
    guest: { burst: 20, perSecond: 4 },
    // Fast typing, and a page that starts up.
    member: { burst: 40, perSecond: 10 },
    // A person who runs a room acts on many people at once.
    trusted: { burst: 120, perSecond: 30 },
  },
  queuedMessages: 32,
  tickMsPerSocket: 0.02,
  unreadBytes: 1024 * 1024,
};

/** Largest message a client may send: a long chat line is 2 kB. */
export const MAX_FRAME_BYTES = 16 * 1024;
/** The most fragments per message; browsers send one. */
export const MAX_FRAGMENTS = 8;
/** The tick of a topic: people do not notice 50 ms, and a busy room costs 20 writes a second per viewer. */
export const TOPIC_TICK_MS = 50;
/** The longest tick, however large the room: a conversation must not stumble. */
export const MAX_TOPIC_TICK_MS = 150;
/** A closing socket has this long to answer before it is cut. */
export const CLOSE_WAIT_MS = 1_000;
/** Ended sessions are remembered for longer than a node token is valid: one may be in use meanwhile. */
export const ENDED_SESSION_MS = 120_000;
/** Most ended sessions remembered; the oldest are dropped first. */
export const MAX_ENDED_SESSIONS = 20_000;
/**
 * The time over which all sockets reconnect after the bus was away: all at once would cause another outage.
 */
export const RESEAT_SPREAD_MS = 5_000;
