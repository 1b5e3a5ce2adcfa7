import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useRef, type KeyboardEvent } from 'react';
import { EMOJI } from './emoji.ts';

interface EmojiPanelProps {
  readonly onChoose: (sign: string) => void;
  readonly onClose: () => void;
}

/** The next focus position from `at`, among `count` in rows of `columns`; null for other keys. */
export function gridTarget(key: string, at: number, count: number, columns: number): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: columns,
    ArrowUp: -columns,
    Home: -at,
    End: count - 1 - at,
  };
  const step = steps[key];
  return step === undefined ? null : Math.min(count - 1, Math.max(0, at + step));
}

/** The site's set of emoji: one tab stop, arrow keys within. Screen readers use their own names for emoji. */
export default function EmojiPanel({ onChoose, onClose }: EmojiPanelProps) {
  const { t } = useTranslation('rooms');
  const grid = useRef<HTMLDivElement>(null);
  const onKeyDown = (press: KeyboardEvent) => {
    if (press.key === 'Escape') return onClose();
    const all = [...(grid.current?.querySelectorAll('button') ?? [])];
    const tops = all.map(({ offsetTop }) => offsetTop);
    const columns = tops.filter((top) => top === tops[0]).length;
    const target = gridTarget(
      press.key,
      all.indexOf(document.activeElement as HTMLButtonElement),
      all.length,
      columns,
    );
    if (target === null) return undefined;
    press.preventDefault();
    return all[target]?.focus();
  };
  return (
    <div
      ref={grid}
      role="group"
      aria-label={t('chat.open.emoji')}
      onKeyDown={onKeyDown}
      className="flex max-h-[min(12rem,50%)] shrink-0 flex-wrap justify-center overflow-y-auto border-t
        border-line p-1"
    >
      {EMOJI.map(({ code, sign }, at) => (
        <button
          key={code}
          type="button"
          tabIndex={at === 0 ? 0 : -1}
          title={`:${code}:`}
          onClick={() => onChoose(sign)}
          className="flex size-11 items-center justify-center rounded-control text-lg hover:bg-raised
            focus-visible:bg-raised"
        >
          {sign}
        </button>
      ))}
    </div>
  );
}
