import { useRef, type ReactNode } from 'react';
import { useTooltip, useTooltipTrigger, type TooltipTriggerAria } from 'react-aria';
import { useTooltipTriggerState } from 'react-stately';

/** A pointer that only passes opens nothing; one that strays for a moment closes nothing. */
const OPEN_AFTER_MS = 400;
const CLOSE_AFTER_MS = 200;

interface TooltipProps {
  readonly text: string;
  /** Under the element, for what stands at the top of the window. */
  readonly below?: boolean;
  /** The element; it takes the attributes and handlers it is given. */
  readonly children: (trigger: TooltipTriggerAria['triggerProps']) => ReactNode;
}

/**
 * A short explanation on hover and focus; Escape closes it. It repeats nothing one must read: touch screens
 * do
 * not show it.
 */
export function Tooltip({ text, below, children }: TooltipProps) {
  const frame = useRef<HTMLSpanElement>(null);
  const state = useTooltipTriggerState({ delay: OPEN_AFTER_MS, closeDelay: CLOSE_AFTER_MS });
  const trigger = useTooltipTrigger({}, state, frame);
  const { tooltipProps } = useTooltip(trigger.tooltipProps, state);
  return (
    <span ref={frame} className="relative inline-flex">
      {children(trigger.triggerProps)}
      {state.isOpen ? (
        <span {...tooltipProps}
          className={`absolute left-1/2 z-40 w-max max-w-60 -translate-x-1/2 rounded-control bg-text px-2 py-1
            text-xs text-page ${below ? 'top-full mt-1' : 'bottom-full mb-1'}`}>
          {text}
        </span>
      ) : null}
    </span>
  );
}
