import { useEffect, useRef } from 'react';

/**
 * Once a line of a list is gone, the focus goes to the same button of the line in its place; to the list
 * itself when that was the last one. The buttons have `data-leaves`.
 */
export function useFocusOnNext(lines: readonly unknown[]) {
  const list = useRef<HTMLDivElement>(null);
  const left = useRef<number | null>(null);
  useEffect(() => {
    if (left.current === null) return;
    const buttons = list.current?.querySelectorAll<HTMLElement>('[data-leaves]') ?? [];
    (buttons[Math.min(left.current, buttons.length - 1)] ?? list.current)?.focus();
    left.current = null;
  }, [lines]);
  return { list, onLeave: (at: number) => { left.current = at; } };
}
