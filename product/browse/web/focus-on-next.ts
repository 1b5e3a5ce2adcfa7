import { useEffect, useRef } from 'react';

/**
 * Once a line of a list is gone, the focus goes to the same button of the line in its place; to the list
 * itself when that was the last one. The buttons have `data-leaves`.
 */
export function useFocusOnNext(lines: readonly unknown[]) {
  const list = useRef<HTMLDivElement>(null);
  const left = useRef<{ readonly at: number; readonly of: number } | null>(null);
  useEffect(() => {
    // Until the line is gone, the list may be drawn again as it is.
    if (left.current === null || lines.length >= left.current.of) return;
    const buttons = list.current?.querySelectorAll<HTMLElement>('[data-leaves]') ?? [];
    (buttons[Math.min(left.current.at, buttons.length - 1)] ?? list.current)?.focus();
    left.current = null;
  }, [lines]);
  return { list, onLeave: (at: number) => { left.current = { at, of: lines.length }; } };
}
