import { useId, type ReactNode } from 'react';

/** A short explanation on hover and focus. It repeats nothing one must read: touch screens do not show it. */
export function Tooltip({ text, children }: { text: string; children: (described: string) => ReactNode }) {
  const id = useId();
  return (
    <span className="group/tip relative inline-flex">
      {children(id)}
      <span
        id={id} role="tooltip"
        className="pointer-events-none invisible absolute bottom-full left-1/2 z-40 mb-1 w-max max-w-60
          -translate-x-1/2 rounded-control bg-text px-2 py-1 text-xs text-page opacity-0 transition-opacity
          group-focus-within/tip:visible group-focus-within/tip:opacity-100 group-hover/tip:visible
          group-hover/tip:opacity-100"
      >
        {text}
      </span>
    </span>
  );
}
