import { CHAT_HISTORY_LIMIT } from '../../rules.ts';

interface Line {
  readonly id: number;
}

/** So close to the end, in pixels, counts as reading along: two lines. */
const NEAR_END_PX = 48;

/** How far a list is scrolled, in pixels. */
export interface Scroll {
  readonly top: number;
  /** Of what is seen. */
  readonly height: number;
  /** Of everything. */
  readonly whole: number;
}

export const isAtEnd = ({ top, height, whole }: Scroll): boolean => whole - top - height < NEAR_END_PX;

/**
 * The lines of a list that is held still, after the room changed: none moves away from the top, those removed
 * go, those said anew take the place of what they replace, and new ones follow as long as the list stays
 * bounded; those that find no room are only counted. Answers the same list when nothing changed.
 * @param held what the list showed so far
 * @param live what the room holds, oldest first
 */
export function holdStill<L extends Line>(held: readonly L[], live: readonly L[]): readonly L[] {
  const oldest = live[0]?.id ?? Number.POSITIVE_INFINITY;
  const current = new Map(live.map((line) => [line.id, line]));
  const kept = held.flatMap((line) => {
    const now = current.get(line.id);
    if (now) return [now];
    // What is older than everything the room holds has only left its history, not the eyes of a reader.
    return line.id < oldest && live.length > 0 ? [line] : [];
  });
  const last = held.at(-1)?.id ?? 0;
  const fresh = live.filter(({ id }) => id > last);
  const shown = [...kept, ...fresh.slice(0, Math.max(0, CHAT_HISTORY_LIMIT - kept.length))];
  return shown.length === held.length && shown.every((line, at) => line === held[at]) ? held : shown;
}

/** How many lines came after the last one seen. */
export const countUnread = (live: readonly Line[], seenId: number): number =>
  live.reduce((count, { id }) => (id > seenId ? count + 1 : count), 0);
