import { useRef, type ReactNode } from 'react';
import { useTooltip, useTooltipTrigger, type TooltipTriggerAria } from 'react-aria';
import { useTooltipTriggerState } from 'react-stately';

/**
 * A pointer that only passes over the element opens nothing; one that leaves it for a moment closes nothing.
 */
const OPEN_AFTER_MS = 400;
const CLOSE_AFTER_MS = 200;

interface TooltipProps {
  readonly text: string;
  /** Places it under the element, for elements at the top of the window. */
  readonly below?: boolean;
  /** Renders the element, which must take these attributes and handlers. */
  readonly children: (trigger: TooltipTriggerAria['triggerProps']) => ReactNode;
}

/**
 * A short explanation on hover and focus; Escape closes it. It must not contain anything essential: touch
 * screens do not show it.
 */
export function Tooltip({ text, below, children }: TooltipProps) {
  const frame = useRef<HTMLSpanElement>(null);
  const state = useTooltipTriggerState({ delay: OPEN_AFTER_MS, closeDelay: CLOSE_AFTER_MS });
  const trigger = useTooltipTrigger({}, state, frame);
  const { tooltipProps } = useTooltip(trigger.tooltipProps, state);
  return (
    <span ref={frame} className="relative inline-flex">
      {children(trigger.triggerProps)}
      {state.isOpen
        ? (
          <span
            {...tooltipProps}
            className={`absolute left-1/2 z-40 w-max max-w-60 -translate-x-1/2 rounded-control bg-text px-2
            py-1 text-xs text-page ${below ? 'top-full mt-1' : 'bottom-full mb-1'}`}
          >
            {text}
          </span>
        )
        : null}
    </span>
  );
}
