import { useEffect, useRef } from 'react';

/**
 * After a row of a list is removed, moves the focus to the same button of the row now in its place, or to the
 * list itself after the last row. The buttons have `data-leaves`.
 */
export function useFocusOnNext(lines: readonly unknown[]) {
  const list = useRef<HTMLDivElement>(null);
  const left = useRef<{ readonly at: number; readonly of: number } | null>(null);
  useEffect(() => {
    // The list may render again before the row is removed.
    if (left.current === null || lines.length >= left.current.of) return;
    const buttons = list.current?.querySelectorAll<HTMLElement>('[data-leaves]') ?? [];
    (buttons[Math.min(left.current.at, buttons.length - 1)] ?? list.current)?.focus();
    left.current = null;
  }, [lines]);
  return {
    list,
    onLeave: (at: number) => {
      left.current = { at, of: lines.length };
    },
  };
}
