import type { BucketRate } from '#platform/time/token-bucket.ts';

/** How fast one socket may send. */
export type FrameRate = BucketRate & { readonly perSecond: number };

/** Who a socket speaks for, as far as its pace goes; the product says who is trusted. */
export type Tier = 'guest' | 'member' | 'trusted';

/** What one gateway process allows; each has its reason. Tests and bench set their own. */
export interface GatewayLimits {
  /** Sockets of one address: a household, a school or a carrier's NAT with a lobby and a room per tab. */
  readonly socketsPerAddress: number;
  /** Sockets of one session: about ten tabs with a lobby and a room each. */
  readonly socketsPerSession: number;
  /** Upgrades being looked up at once: each holds a query. */
  readonly pendingUpgrades: number;
  /** Time to send a good `v3.authorize`, in milliseconds. */
  readonly authorizeWithinMs: number;
  /** Token bucket per socket and tier: what its pages do stays below it, a flood does not. */
  readonly rates: Readonly<Record<Tier, FrameRate>>;
  /** Messages of one socket waiting for their handler: more means the sender outruns the database. */
  readonly queuedMessages: number;
  /**
   * The tick of a topic is at least this long for each socket that listens, in milliseconds: a write costs
   * about 12 µs, so that a large room leaves the process time for all others, and more of what it says
   * goes out in one write.
   */
  readonly tickMsPerSocket: number;
  /** Bytes a reader may lag behind before it is cut: minutes of a busy room. It reconnects to the history. */
  readonly unreadBytes: number;
}

export const GATEWAY_LIMITS: GatewayLimits = {
  socketsPerAddress: 400,
  socketsPerSession: 24,
  pendingUpgrades: 1_000,
  authorizeWithinMs: 10_000,
  rates: {
    // Guests may not speak: signs of life, a room asked for, a list started.
    guest: { burst: 20, perSecond: 4 },
    // Fast typing, and a page that starts up.
    member: { burst: 40, perSecond: 10 },
    // Whoever runs a room acts on many people at once.
    trusted: { burst: 120, perSecond: 30 },
  },
  queuedMessages: 32,
  tickMsPerSocket: 0.02,
  unreadBytes: 1024 * 1024,
};

/** Largest message a client may send: a long chat line is 2 kB. */
export const MAX_FRAME_BYTES = 16 * 1024;
/** Fragments one message may come in: browsers send one. */
export const MAX_FRAGMENTS = 8;
/** Topics are written once a tick: people do not notice 50 ms, and a busy room costs 20 writes a second a
 * viewer. */
export const TOPIC_TICK_MS = 50;
/** No tick is longer than this, however large the room: a conversation must not stumble. */
export const MAX_TOPIC_TICK_MS = 150;
/** A closing socket has this long to answer before it is cut. */
export const CLOSE_WAIT_MS = 1_000;
/** Ended sessions are remembered for longer than a node token lives, against one that is being spent
 * meanwhile. */
export const ENDED_SESSION_MS = 120_000;
/** Most ended sessions remembered; the oldest go first. */
export const MAX_ENDED_SESSIONS = 20_000;
/** Time over which all sockets are sent back after the bus was away: a crowd at once would be another
 * outage. */
export const RESEAT_SPREAD_MS = 5_000;
