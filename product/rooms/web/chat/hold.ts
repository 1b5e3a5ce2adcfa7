import { CHAT_HISTORY_LIMIT } from '../../rules.ts';

interface Line {
  readonly id: number;
}

/** Within this distance of the end a reader follows the chat: two lines. */
const NEAR_END_PX = 48;

/** How far a list is scrolled, in pixels. */
export interface Scroll {
  readonly top: number;
  /** Height of the visible part. */
  readonly height: number;
  /** Height of the whole content. */
  readonly whole: number;
}

export const isAtEnd = ({ top, height, whole }: Scroll): boolean => whole - top - height < NEAR_END_PX;

/**
 * The lines of a held list after the room changed: no line leaves at the top, removed lines go, changed lines
 * replace the old ones, and new lines are appended within the list's limit; the rest are only counted.
 * Returns the same list when nothing changed.
 * @param held the lines shown so far
 * @param live the lines of the room, oldest first
 */
export function holdStill<L extends Line>(held: readonly L[], live: readonly L[]): readonly L[] {
  const oldest = live[0]?.id ?? Number.POSITIVE_INFINITY;
  const current = new Map(live.map((line) => [line.id, line]));
  const remaining = held.flatMap((line) => {
    const now = current.get(line.id);
    if (now) return [now];
    // Lines older than the room's history stay for the reader.
    return line.id < oldest && live.length > 0 ? [line] : [];
  });
  const last = held.at(-1)?.id ?? 0;
  const fresh = live.filter(({ id }) => id > last);
  const shown = [...remaining, ...fresh.slice(0, Math.max(0, CHAT_HISTORY_LIMIT - remaining.length))];
  return shown.length === held.length && shown.every((line, at) => line === held[at]) ? held : shown;
}

/** How many lines came after the last one seen. */
export const countUnread = (live: readonly Line[], seenId: number): number =>
  live.reduce((count, { id }) => (id > seenId ? count + 1 : count), 0);
