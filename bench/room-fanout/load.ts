import { textFrame } from '#platform/realtime/gateway/socket.ts';

/** Who delivers: our gateway, Socket.IO, or one `send` of a string per socket on plain `ws`. */
export const KINDS = ['ours', 'socket.io', 'ws'] as const;
export type Kind = (typeof KINDS)[number];

export const EVENT = 'v3.chat.message';

/** Milliseconds of the machine's monotonic clock, the same in every process. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1e6;
}

/** Numbers from 0 up to 1 that are the same in every process (mulberry32). */
function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6D_2B_79_F5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const WORDS = [
  'hello',
  'wow',
  'great',
  'show',
  'tonight',
  'schön',
  'merci',
  'ciao',
  'hola',
  '😀',
  'love',
  'it',
];

/** A chat line of a room, the same for every kind. `at` counts from 0. */
export function payloadOf(at: number): Readonly<Record<string, unknown>> {
  const chance = chances(at + 1);
  const words = Array.from(
    { length: 2 + Math.floor(chance() * 14) },
    () => WORDS[Math.floor(chance() * WORDS.length)],
  );
  const username = `viewer_${Math.floor(chance() * 5_000)}`;
  return {
    id: at + 1,
    username,
    display_name: username,
    message: words.join(' '),
    type: 'message',
    is_tip: false,
    value: 0,
    recent_tips: Math.floor(chance() * 500),
    error: false,
    errorMessage: null,
    is_model: false,
    is_moderator: false,
    is_guest: false,
    user_language: 'en',
    subject_username: null,
    is_invisible_mode: false,
    is_moderation_message: false,
    action: null,
    background: null,
    fontStyle: null,
    color: null,
    weight: null,
    at: '2026-01-15T12:00:00.000Z',
  };
}

/** The bytes a receiver reads for message `at`: the same payload in each kind's envelope. */
export function frameOf(kind: Kind, at: number): Buffer {
  const text = JSON.stringify([EVENT, payloadOf(at), at + 1]);
  return textFrame(kind === 'socket.io' ? `42${text}` : text);
}

/** When each message is due, in milliseconds from the start, at random intervals. */
export function schedule(perSecond: number, seconds: number): readonly number[] {
  const chance = chances(4_711);
  const due: number[] = [];
  for (let atMs = 0;;) {
    atMs += (-Math.log(1 - chance()) / perSecond) * 1_000;
    if (atMs >= seconds * 1_000) return due;
    due.push(atMs);
  }
}

/** What is offered in one trial. */
export interface Offer {
  readonly perSecond: number;
  readonly seconds: number;
  /** By {@link monotonicMs}. */
  readonly startAtMs: number;
}

export type ToServer =
  | { readonly kind: 'measure' }
  | { readonly kind: 'publish'; readonly offer: Offer };
export type FromServer =
  | { readonly kind: 'listening'; readonly port: number }
  | {
    readonly kind: 'measured';
    readonly joined: number;
    readonly cpuSeconds: number;
    readonly heapBytes: number;
    readonly rssBytes: number;
  };

export type ToReceivers =
  | { readonly kind: 'join'; readonly port: number; readonly sockets: number }
  | { readonly kind: 'leave' }
  | { readonly kind: 'receive'; readonly offer: Offer };
export type FromReceivers =
  | { readonly kind: 'joined' }
  | { readonly kind: 'left' }
  | {
    readonly kind: 'received';
    readonly frames: number;
    readonly bytes: number;
    readonly wrong: number;
    /** Deliveries by latency, in buckets of {@link BUCKET_MS}. */
    readonly latency: readonly (readonly [bucket: number, count: number])[];
  };

export type ToViewers =
  | { readonly kind: 'join'; readonly port: number; readonly count: number }
  /** The server is about to be killed: report once every client receives messages again. */
  | { readonly kind: 'lose' };
export type FromViewers =
  | { readonly kind: 'joined' }
  | { readonly kind: 'back'; readonly repeated: number; readonly missed: number };

/** Width of a bucket of latencies. */
export const BUCKET_MS = 0.5;
