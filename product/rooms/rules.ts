import { mayUse } from '../accounts/rules.ts';

/** Union of the spec and readings.md. */
export const CHAT_STATUSES = [
  'offline', 'online', 'online_ai', 'standby', 'private', 'limited', 'connected', 'reconnecting',
] as const;
export type ChatStatus = (typeof CHAT_STATUSES)[number];
export const CHAT_MODES = ['public', 'private', 'spy', 'limited'] as const;

/** Longest chat message in characters: two lines on a phone, ten at most. */
export const MAX_CHAT_MESSAGE_LENGTH = 400;
/** Longest message read at all: what is longer than this never came from a page. */
export const MAX_SENT_LENGTH = 4_000;
/** The room keeps this many messages, on the server and in the page (spec 2 §4.12, §9). */
export const CHAT_HISTORY_LIMIT = 200;
/** User list and counts go out at most this often (spec 2 §4.12). */
export const COUNT_THROTTLE_MS = 5_000;
/** Members named in one user list: what a person can scan. `count` says how many there are. */
export const MAX_USER_LIST = 200;
/** Live rooms offered when the one asked for is not there: one row of tiles. */
export const MAX_SUGGESTIONS = 8;
/** Live rooms looked at for suggestions; some of them this viewer may not perceive. */
export const SUGGESTION_CANDIDATES = 64;
/** Chat messages of one person at once, and then per second: typing, not flooding. */
export const CHAT_BURST = 5;
export const CHAT_PER_SECOND = 0.5;
/** People whose chat pace is remembered; a full bucket is forgotten first, so it costs nobody anything. */
export const MAX_PACED_PEOPLE = 20_000;
/** How long a shown fact is remembered: delivery gives up repeating long before. */
export const SHOWN_FACT_MS = 24 * 3_600_000;
/** Accents stacked on one letter; real writing has up to three. */
const MAX_STACKED_MARKS = 4;

/** Usernames in addresses and the video panel are lower-cased and trimmed (spec 2 §5). */
export const normalizeUsername = (username: string): string => username.trim().toLowerCase();

/** Appends to a history that never exceeds the limit and never holds an id twice. Shared by page and server.
 * */
export function appendMessages<M extends { readonly id: number }>(
  history: readonly M[], added: readonly M[],
): M[] {
  const known = new Set(history.map((message) => message.id));
  const fresh = added.filter((message) => !known.has(message.id) && known.add(message.id));
  return [...history, ...fresh].slice(-CHAT_HISTORY_LIMIT);
}

/** Lone surrogates, control characters, line breaks, and what only turns or hides text around it. */
const UNSHOWN =
  /[\p{Cs}\p{Cc}\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/gu;
const STACKED_MARKS = new RegExp(`(\\p{M}{${MAX_STACKED_MARKS}})\\p{M}+`, 'gu');

/**
 * What a person typed as one line that cannot disturb the lines around it: composed (NFC), without control
 * and direction characters, with single spaces. Joiners inside emoji stay.
 */
export function cleanText(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[\t\r\n\v\f\u2028\u2029]/gu, ' ')
    .replaceAll(UNSHOWN, '')
    .replaceAll(STACKED_MARKS, '$1')
    .replaceAll(/\p{Z}+/gu, ' ')
    .trim();
}

/** Why a message was not shown; texts under `rooms:errors.*`. */
export type ChatFault = 'log_in' | 'empty' | 'too_long' | 'too_fast' | 'unknown_command';

/** What of a message can be judged without knowing who says it; null when it may be shown.
 * @param cleaned from {@link cleanText} */
export function faultOfMessage(cleaned: string): ChatFault | null {
  if (cleaned === '') return 'empty';
  if ([...cleaned].length > MAX_CHAT_MESSAGE_LENGTH) return 'too_long';
  // A command nobody understands is a slip; shown to all it would tell what was meant for the room alone.
  return cleaned.startsWith('/') ? 'unknown_command' : null;
}

/** A token bucket: what is left of it, and when that was counted. */
export interface Pace {
  readonly left: number;
  readonly atMs: number;
}

/** Whether one more message goes at this pace, and the pace after it. */
export function nextPace(
  pace: Pace | undefined, nowMs: number,
): { readonly allowed: boolean; readonly pace: Pace } {
  const earned = pace ? (Math.max(0, nowMs - pace.atMs) / 1000) * CHAT_PER_SECOND : 0;
  const left = pace ? Math.min(CHAT_BURST, pace.left + earned) : CHAT_BURST;
  const allowed = left >= 1;
  return { allowed, pace: { left: allowed ? left - 1 : left, atMs: nowMs } };
}

/** Whether a pace is as good as none. */
export const isRested = (pace: Pace, nowMs: number): boolean =>
  pace.left + (Math.max(0, nowMs - pace.atMs) / 1000) * CHAT_PER_SECOND >= CHAT_BURST;

/** What everybody sees of a room's course. */
export interface RoomState {
  readonly status: ChatStatus;
  /** Stream to play; null when there is none. */
  readonly stream: string | null;
}
export const EMPTY_ROOM: RoomState = { status: 'offline', stream: null };

/** A broadcast as it stands: `ready` is one whose first media is still awaited. */
export interface BroadcastStanding {
  readonly state: 'offline' | 'ready' | 'online' | 'reconnecting';
  readonly stream: string | null;
}

/**
 * The room after its broadcast changed. It takes how the broadcast stands and not what happened to it, so
 * news that come twice, late or in another order lead to the same room. Answers the same object when nothing
 * changed.
 */
export function followBroadcast(room: RoomState, { state, stream }: BroadcastStanding): RoomState {
  const isOn = (state === 'online' || state === 'reconnecting') && stream !== null;
  const next: RoomState = isOn ? { status: state, stream } : EMPTY_ROOM;
  return next.status === room.status && next.stream === room.stream ? room : next;
}

/** What somebody is in a room (spec 2 §6). */
export interface Place {
  /** The logged-in person who equals the owner of the room. */
  readonly isStreamer: boolean;
  readonly isModerator: boolean;
  /** Sees the user list: the streamer and site moderators. */
  readonly seesUsers: boolean;
}

export function placeOf(
  caller: { readonly personId: number | null; readonly roles: readonly string[] }, ownerId: number,
): Place {
  const isStreamer = caller.personId !== null && caller.personId === ownerId;
  const isModerator = caller.personId !== null && mayUse('moderator', caller.roles);
  return { isStreamer, isModerator, seesUsers: isStreamer || isModerator };
}

/** What the sockets of a room join; it outlives a change of username. */
export const roomTopic = (performerId: number): string => `room:${performerId}`;

/** The performer whose room a topic is. Throws for any other topic. */
export function performerOfTopic(topic: string | null): number {
  const id = /^room:(\d+)$/u.exec(topic ?? '')?.[1];
  if (id === undefined) throw new Error('the socket has joined no room');
  return Number(id);
}

/** Genders of the comma list `gender-hide`; what is no gender is left out. */
export const hiddenGenders = (list: string | undefined): ReadonlySet<string> =>
  new Set((list ?? '').split(',').map((code) => code.trim()).filter((code) => code !== ''));

/** Whether there is a picture to play, or one that is about to come back. */
export const isWatchable = (status: ChatStatus): boolean =>
  status === 'online' || status === 'online_ai' || status === 'reconnecting';
