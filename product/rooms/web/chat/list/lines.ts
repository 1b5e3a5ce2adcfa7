import type { ChatMessageView } from '../../../contract.ts';
import {
  NO_ROOMS, roomsAfter, type NewsName, type RoomAction, type RoomEntry, type RoomStore,
} from '../../../rules/course.ts';
import { CHAT_HISTORY_LIMIT, type Restriction } from '../../../rules.ts';

/** What a moderator did, as a line of the chat. */
export interface ModerationLine {
  /** Place in the log of the room, as a message's. */
  readonly id: number;
  readonly type: 'moderation';
  readonly restriction: Restriction;
  readonly action: 'add' | 'remove';
  /** Null for whoever may not know it. */
  readonly name: string | null;
}

export type ChatLineView = ChatMessageView | ModerationLine;

export const isMessage = (line: ChatLineView): line is ChatMessageView => line.type !== 'moderation';

/** Rooms as a page holds them: what their events say, and the lines that moderation leaves in a chat. */
export interface HeldRooms {
  readonly store: RoomStore;
  readonly lines: Readonly<Record<string, readonly ModerationLine[]>>;
  /** Parts of the page that are in a room: it is left when the last of them leaves it. */
  readonly holders: Readonly<Record<string, number>>;
}
export const NO_HELD_ROOMS: HeldRooms = { store: NO_ROOMS, lines: {}, holders: {} };

const isNews = <N extends NewsName>(entry: RoomEntry, name: N): entry is RoomEntry<N> => entry.name === name;

/** The rooms after an action; rooms that are not there stay away. Throws for an action without a room. */
export function heldAfter(before: HeldRooms, action: RoomAction): HeldRooms {
  const { username, type } = action;
  const held = withHolder(before, username, type);
  if (type === 'remove' && (held.holders[username] ?? 0) > 0) return held;
  const store = roomsAfter(held.store, action);
  const known = held.lines[username] ?? [];
  const isHere = store.rooms[username] !== undefined;
  const lines = isHere && type === 'news' ? linesAfter(known, action.entry) : known;
  if (isHere && lines === known) return store === held.store ? held : { ...held, store };
  if (isHere) return { ...held, store, lines: { ...held.lines, [username]: lines } };
  const { [username]: _left, ...others } = held.lines;
  return { ...held, store, lines: others };
}

/** One more part of the page in a room, or one less. */
function withHolder(held: HeldRooms, username: string, type: RoomAction['type']): HeldRooms {
  if (type !== 'open' && type !== 'remove') return held;
  const { [username]: count = 0, ...others } = held.holders;
  const next = type === 'open' ? count + 1 : count - 1;
  return { ...held, holders: next > 0 ? { ...others, [username]: next } : others };
}

/** The name replaces "a user", whichever of the two comes first. A room told anew begins without lines. */
function linesAfter(known: readonly ModerationLine[], entry: RoomEntry): readonly ModerationLine[] {
  if (isNews(entry, 'v3.chat.history')) return known.length === 0 ? known : [];
  if (!isNews(entry, 'v3.chat.moderate')) return known;
  const { id, type: restriction, action, display_name: name } = entry.payload;
  const before = known.find((line) => line.id === id);
  if (before && (before.name !== null || name === null)) return known;
  const line: ModerationLine = { id, type: 'moderation', restriction, action, name };
  return [...known.filter((one) => one.id !== id), line].slice(-CHAT_HISTORY_LIMIT);
}

/** Messages and lines in the order of the room's log, as many as a room keeps. Both come ordered. */
export function mergedLines(
  messages: readonly ChatMessageView[], lines: readonly ModerationLine[],
): readonly ChatLineView[] {
  if (lines.length === 0) return messages;
  const oldest = messages[0]?.id ?? 0;
  const wanted = messages.length < CHAT_HISTORY_LIMIT ? lines : lines.filter(({ id }) => id > oldest);
  return [...messages, ...wanted].toSorted((one, other) => one.id - other.id).slice(-CHAT_HISTORY_LIMIT);
}
