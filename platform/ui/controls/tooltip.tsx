import { useId, type ReactNode } from 'react';

interface TooltipProps {
  readonly text: string;
  /** Under the element, for what stands at the top of the window. */
  readonly below?: boolean;
  /** The element; it names the text with `aria-describedby`, unless its name says the same. */
  readonly children: (id: string) => ReactNode;
}

/** A short explanation on hover and focus. It repeats nothing one must read: touch screens do not show it. */
export function Tooltip({ text, below, children }: TooltipProps) {
  const id = useId();
  return (
    <span className="group/tip relative inline-flex">
      {children(id)}
      <span
        id={id} role="tooltip"
        className={`pointer-events-none invisible absolute left-1/2 z-40 w-max max-w-60 -translate-x-1/2
          rounded-control bg-text px-2 py-1 text-xs text-page opacity-0 transition-opacity
          group-focus-within/tip:visible group-focus-within/tip:opacity-100 group-hover/tip:visible
          group-hover/tip:opacity-100 ${below ? 'top-full mt-1' : 'bottom-full mb-1'}`}
      >
        {text}
      </span>
    </span>
  );
}
