import type { ChatMessageView } from '../../../contract.ts';
import { CHAT_HISTORY_LIMIT, type Restriction } from '../../../rules.ts';
import {
  NO_ROOMS,
  reduceRooms,
  type LiveRooms,
  type OwnEntry,
  type RoomAction,
  type RoomEntry,
  type RoomEventName,
} from '../../../rules/live-room.ts';

/** A moderation, as a line of the chat. */
export interface ModerationLine {
  /** Sequence number in the log of the room, like that of a message. */
  readonly id: number;
  readonly type: 'moderation';
  readonly restriction: Restriction;
  readonly action: 'add' | 'remove';
  /** Null for viewers who may not know it. */
  readonly name: string | null;
  readonly username: string | null;
}

export type ChatLineView = ChatMessageView | ModerationLine;

export const isMessage = (line: ChatLineView): line is ChatMessageView => line.type !== 'moderation';

/** The rooms of a page: their state, and the lines of moderations in their chats. */
export interface PageRooms {
  readonly live: LiveRooms;
  readonly lines: Readonly<Record<string, readonly ModerationLine[]>>;
  /** Components that use a room: it is left when the last of them unmounts. */
  readonly holders: Readonly<Record<string, number>>;
}
export const NO_PAGE_ROOMS: PageRooms = { live: NO_ROOMS, lines: {}, holders: {} };

const isEntry = <N extends RoomEventName>(entry: RoomEntry, name: N): entry is OwnEntry<N> =>
  entry.name === name;

/** The rooms after an action. Throws for an action without a username. */
export function reducePageRooms(before: PageRooms, action: RoomAction): PageRooms {
  const { username, type } = action;
  const page = withHolder(before, username, type);
  if (type === 'remove' && (page.holders[username] ?? 0) > 0) return page;
  const live = reduceRooms(page.live, action);
  const known = page.lines[username] ?? [];
  const isHere = live.rooms[username] !== undefined;
  const lines = isHere && type === 'event' ? linesAfter(known, action.entry) : known;
  if (isHere && lines === known) return live === page.live ? page : { ...page, live };
  if (isHere) return { ...page, live, lines: { ...page.lines, [username]: lines } };
  const { [username]: _left, ...others } = page.lines;
  return { ...page, live, lines: others };
}

/** Counts the components that use a room. */
function withHolder(page: PageRooms, username: string, type: RoomAction['type']): PageRooms {
  if (type !== 'open' && type !== 'remove') return page;
  const { [username]: count = 0, ...others } = page.holders;
  const next = type === 'open' ? count + 1 : count - 1;
  return { ...page, holders: next > 0 ? { ...others, [username]: next } : others };
}

/** The name replaces "a user", whichever of the two arrives first. A new history removes all lines. */
function linesAfter(known: readonly ModerationLine[], entry: RoomEntry): readonly ModerationLine[] {
  if (isEntry(entry, 'v3.chat.history')) return known.length === 0 ? known : [];
  if (!isEntry(entry, 'v3.chat.moderate')) return known;
  const { id, type: restriction, action, display_name: name, username } = entry.payload;
  const before = known.find((line) => line.id === id);
  if (before && (before.name !== null || name === null)) return known;
  const line: ModerationLine = { id, type: 'moderation', restriction, action, name, username };
  return [...known.filter((item) => item.id !== id), line].slice(-CHAT_HISTORY_LIMIT);
}

/** Messages and lines in the order of the room's log, within the limit. Both inputs are sorted. */
export function mergedLines(
  messages: readonly ChatMessageView[],
  lines: readonly ModerationLine[],
): readonly ChatLineView[] {
  if (lines.length === 0) return messages;
  const oldest = messages[0]?.id ?? 0;
  const wanted = messages.length < CHAT_HISTORY_LIMIT ? lines : lines.filter(({ id }) => id > oldest);
  return [...messages, ...wanted].toSorted((item, other) => item.id - other.id).slice(-CHAT_HISTORY_LIMIT);
}
