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
  /** Token bucket per socket: fast typing and a page starting up stay below it, a flood does not. */
  readonly burstMessages: number;
  readonly messagesPerSecond: number;
  /** Messages of one socket waiting for their handler: more means the sender outruns the database. */
  readonly queuedMessages: number;
  /** Bytes a reader may lag behind before it is cut: minutes of a busy room. It reconnects to the history. */
  readonly unreadBytes: number;
}

export const GATEWAY_LIMITS: GatewayLimits = {
  socketsPerAddress: 400,
  socketsPerSession: 24,
  pendingUpgrades: 1_000,
  authorizeWithinMs: 10_000,
  burstMessages: 40,
  messagesPerSecond: 10,
  queuedMessages: 32,
  unreadBytes: 1024 * 1024,
};

/** Largest message a client may send: a long chat line is 2 kB. */
export const MAX_FRAME_BYTES = 16 * 1024;
/** Fragments one message may come in: browsers send one. */
export const MAX_FRAGMENTS = 8;
/** Topics are written once a tick: people cannot tell 50 ms, and a busy room costs 20 writes a second a
 * viewer. */
export const TOPIC_TICK_MS = 50;
/** A closing socket has this long to answer before it is cut. */
export const CLOSE_WAIT_MS = 1_000;
/** Ended sessions are remembered for longer than a node token lives, against one that is being spent
 * meanwhile. */
export const ENDED_SESSION_MS = 120_000;
/** Most ended sessions remembered; the oldest go first. */
export const MAX_ENDED_SESSIONS = 20_000;
