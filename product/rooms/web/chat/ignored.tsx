import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMemo, useState } from 'react';
import { isMessage, type ChatLineView } from './list/lines.ts';

/** The reader of a chat, and the people they ignore. */
export interface Reader {
  /** Usernames of the people they ignore. */
  readonly ignored: ReadonlySet<string>;
  /** Username of the performer of the room. */
  readonly room: string;
  /** Their own username; null for a guest. */
  readonly me: string | null;
}

/** Consecutive lines that are hidden until the reader opens them. */
export interface CollapsedLines {
  readonly type: 'collapsed';
  /** Id of the first line. */
  readonly id: number;
  readonly ids: readonly number[];
}

/**
 * Whether a reader ignores a line. Lines of the performer and the room's moderators are always shown, and a
 * performer sees every tip.
 */
export function isIgnored(line: ChatLineView, { ignored, room, me }: Reader): boolean {
  if (!isMessage(line) || line.type === 'notice' || !ignored.has(line.username)) return false;
  if (line.username === room || line.is_moderator) return false;
  return line.type !== 'tip' || me !== room;
}

/** The lines of a chat, each run of ignored lines collapsed into one; `shown` are those the reader opened. */
function collapsed(
  lines: readonly ChatLineView[],
  reader: Reader,
  shown: ReadonlySet<number>,
): readonly (ChatLineView | CollapsedLines)[] {
  if (reader.ignored.size === 0) return lines;
  const rows: (ChatLineView | CollapsedLines)[] = [];
  for (const line of lines) {
    const last = rows.at(-1);
    if (!isIgnored(line, reader) || shown.has(line.id)) rows.push(line);
    else if (last?.type === 'collapsed') rows[rows.length - 1] = { ...last, ids: [...last.ids, line.id] };
    else rows.push({ type: 'collapsed', id: line.id, ids: [line.id] });
  }
  return rows;
}

/** The rows of a chat for its reader, and a function that opens collapsed ones. */
export function useCollapsed(lines: readonly ChatLineView[], reader: Reader): {
  readonly rows: readonly (ChatLineView | CollapsedLines)[];
  readonly show: (ids: readonly number[]) => void;
} {
  const { ignored, room, me } = reader;
  const [shown, setShown] = useState<ReadonlySet<number>>(() => new Set());
  const rows = useMemo(
    () => collapsed(lines, { ignored, room, me }, shown),
    [ignored, lines, me, room, shown],
  );
  return { rows, show: (ids) => setShown((known) => new Set([...known, ...ids])) };
}

/** Placeholder for lines of people whom the reader ignores. */
export function CollapsedLine({ row: { ids }, onShow }: { row: CollapsedLines; onShow: () => void }) {
  const { t } = useTranslation('rooms');
  return (
    <li className="flex flex-wrap items-center gap-x-2 rounded-control px-2 text-muted italic">
      <span>{t('chat.ignored.count', { count: ids.length })}</span>
      <button
        type="button"
        onClick={onShow}
        className="min-h-6 px-1 text-link underline pointer-coarse:min-h-11"
      >
        {t('chat.ignored.show')}
      </button>
    </li>
  );
}
