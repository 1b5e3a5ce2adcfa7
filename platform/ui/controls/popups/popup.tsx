import { useRef, type ReactNode, type RefObject } from 'react';
import { useInteractOutside } from 'react-aria';
import { Dialog, Popover, type PopoverProps } from 'react-aria-components';

interface PopupProps {
  /** The button that opened the popup, which is placed beside it and returns the focus to it. */
  readonly button: RefObject<HTMLElement | null>;
  readonly placement: PopoverProps['placement'];
  readonly className: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Gaps in pixels: between button and popup, and between popup and edge of the window. */
const GAP_PX = 4;
const EDGE_PX = 8;

/** A popup beside a button; mounted while it is open. Escape and a click outside close it. */
export function Popup({ button, placement, className, onClose, children }: PopupProps) {
  const popup = useRef<HTMLElement>(null);
  // The button itself opens and closes the popup.
  const isOutside = (target: EventTarget | null): boolean => !button.current?.contains(target as Node);
  useInteractOutside({
    ref: popup,
    onInteractOutside: ({ target }) => {
      if (isOutside(target)) onClose();
    },
  });
  return (
    // Non-modal: nothing else is hidden, and the page can scroll, which closes the popup.
    <Popover
      ref={popup}
      isOpen
      isNonModal
      triggerRef={button}
      placement={placement ?? 'bottom end'}
      offset={GAP_PX}
      containerPadding={EDGE_PX}
      onOpenChange={onClose}
      shouldCloseOnInteractOutside={isOutside}
      // An element in the top layer hides or blocks everything outside it.
      UNSTABLE_portalContainer={button.current?.closest<HTMLElement>('dialog, :fullscreen') ?? undefined}
      className={`overflow-y-auto border-line bg-raised text-text shadow-float ${className}`}
    >
      {children}
    </Popover>
  );
}

interface PopupDialogProps extends PopupProps {
  readonly label: string;
}

/** A popup that contains controls. */
export function PopupDialog({ label, children, ...rest }: PopupDialogProps) {
  return (
    <Popup {...rest}>
      <Dialog aria-label={label} className="outline-none">{children}</Dialog>
    </Popup>
  );
}
