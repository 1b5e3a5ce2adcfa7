import { useRef, type ReactNode, type RefObject } from 'react';
import { useInteractOutside } from 'react-aria';
import { Dialog, Popover, type PopoverProps } from 'react-aria-components';

interface PopupProps {
  /** The button that opened it: it stands beside the button, and gives the focus back to it. */
  readonly button: RefObject<HTMLElement | null>;
  readonly placement: PopoverProps['placement'];
  readonly className: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Room between button and popup, and between popup and edge of the window, in pixels. */
const GAP_PX = 4;
const EDGE_PX = 8;

/** What opens beside a button; mounted while it is open. Escape and a click elsewhere close it. */
export function Popup({ button, placement, className, onClose, children }: PopupProps) {
  const popup = useRef<HTMLElement>(null);
  // The button opens and closes by itself.
  const isOutside = (target: EventTarget | null): boolean => !button.current?.contains(target as Node);
  useInteractOutside({
    ref: popup,
    onInteractOutside: ({ target }) => {
      if (isOutside(target)) onClose();
    },
  });
  return (
    // Non-modal: nothing else is hidden, and the page goes on scrolling, which closes the popup.
    <Popover
      ref={popup} isOpen isNonModal triggerRef={button} placement={placement ?? 'bottom end'}
      offset={GAP_PX} containerPadding={EDGE_PX} onOpenChange={onClose}
      shouldCloseOnInteractOutside={isOutside}
      // What is in the top layer hides or blocks everything outside it.
      UNSTABLE_portalContainer={button.current?.closest<HTMLElement>('dialog, :fullscreen') ?? undefined}
      className={`overflow-y-auto border-line bg-raised text-text shadow-float ${className}`}>
      {children}
    </Popover>
  );
}

interface PopupDialogProps extends PopupProps {
  readonly label: string;
}

/** A popup of controls. */
export function PopupDialog({ label, children, ...rest }: PopupDialogProps) {
  return (
    <Popup {...rest}>
      <Dialog aria-label={label} className="outline-none">{children}</Dialog>
    </Popup>
  );
}
