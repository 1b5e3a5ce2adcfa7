import { X } from 'lucide-react';
import {
  useEffect,
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  type SyntheticEvent,
} from 'react';
import { Button, IconButton } from '../controls/button.tsx';
import { rememberFocus } from '../focus-place.ts';
import { Typed } from '../text/typed.tsx';
import { useTranslation } from '../text/use-translation.ts';
import { useToastsIn } from './toasts.tsx';
import { useUnsavedText } from './unsaved.ts';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons at the foot, the primary one last. */
  readonly actions?: ReactNode;
  readonly size?: 'small' | 'large';
  /**
   * `alertdialog` for a question or a message: read out at once, closed only by its own buttons and Escape.
   */
  readonly role?: 'alertdialog';
  /** Closes the dialog after this many seconds, unless the pointer or the keyboard is in it (WCAG 2.2.1). */
  readonly closesAfterSeconds?: number;
}

const FRAME = 'm-auto w-[calc(100%-32px)] rounded-card border border-line bg-surface p-0 text-text '
  + 'max-h-[calc(100dvh-32px)] scroll-pt-16 scroll-pb-20 overflow-y-auto shadow-float max-sm:mb-0 '
  + 'max-sm:w-full max-sm:max-w-full max-sm:rounded-b-none';

/**
 * A modal dialog on the browser's own `<dialog>`: top layer, inert page, focus trapped and then restored.
 * Mount it to open it, unmount it to close it. Escape, the close button and a click on the backdrop close it;
 * when text would be lost, they ask first. For decisions and forms only (docs/look.md).
 */
export function Dialog(
  { title, onClose, children, actions, size = 'small', role, closesAfterSeconds }: DialogProps,
) {
  const { t } = useTranslation('ui');
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const hasUnsavedText = useUnsavedText(dialog);
  const [isAsking, setAsking] = useState(false);
  useModal(dialog);
  const pausing = useClosing(closesAfterSeconds, onClose);
  const leave = () => {
    if (hasUnsavedText()) setAsking(true);
    else onClose();
  };
  return (
    <dialog
      ref={dialog}
      role={role}
      aria-labelledby={`${id}-title`}
      aria-describedby={role ? `${id}-text` : undefined}
      {...pausing}
      {...useWaysOut(dialog, leave)}
      className={`${FRAME} ${size === 'small' ? 'sm:max-w-md' : 'sm:max-w-2xl'}`}
    >
      {/* The title and the close button stay in view while the rest scrolls, unless the window is low. */}
      <div className="flex items-start justify-between gap-4 bg-surface pt-2 pr-2 pl-6
        [@media(min-height:480px)]:sticky [@media(min-height:480px)]:top-0
        [@media(min-height:480px)]:z-10">
        <h2 id={`${id}-title`} className="min-w-0 py-2 text-lg font-bold break-words">
          <Typed>{title}</Typed>
        </h2>
        {role === 'alertdialog' ? null : (
          <IconButton label={t('close')} onClick={leave}>
            <X size={20} aria-hidden />
          </IconButton>
        )}
      </div>
      <div id={`${id}-text`} className="px-6 pt-2 pb-6">{children}</div>
      {actions
        ? <div className="flex flex-wrap justify-end gap-3 px-6 pb-6 max-sm:*:grow">{actions}</div>
        : null}
      {isAsking ? <DiscardQuestion onKeep={() => setAsking(false)} onDiscard={onClose} /> : null}
    </dialog>
  );
}

/** Closes after a time, which starts again whenever somebody moves or types in the dialog. */
function useClosing(seconds: number | undefined, onClose: () => void) {
  const [uses, setUses] = useState(0);
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    if (seconds === undefined) return undefined;
    const timer = setTimeout(() => close.current(), seconds * 1_000);
    return () => clearTimeout(timer);
  }, [seconds, uses]);
  if (seconds === undefined) return {};
  const again = () => setUses((before) => before + 1);
  return { onPointerMove: again, onKeyDownCapture: again, onInput: again };
}

/** Asks before a dialog closes over text that was typed and not saved. */
function DiscardQuestion({ onKeep, onDiscard }: { onKeep: () => void; onDiscard: () => void }) {
  const { t } = useTranslation('ui');
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useModal(dialog);
  return (
    <dialog
      ref={dialog}
      role="alertdialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      {...useWaysOut(dialog, onKeep)}
      className={`${FRAME} sm:max-w-sm`}
    >
      <div className="flex flex-col gap-2 p-6">
        <h2 id={`${id}-title`} className="text-lg font-bold">{t('discard.title')}</h2>
        <p id={`${id}-text`} className="text-sm text-muted">{t('discard.text')}</p>
      </div>
      <div className="flex flex-wrap justify-end gap-3 px-6 pb-6 max-sm:*:grow">
        <Button onClick={onKeep}>{t('discard.keep')}</Button>
        <Button tone="danger" onClick={onDiscard}>{t('discard.confirm')}</Button>
      </div>
    </dialog>
  );
}

/**
 * Opens the dialog while it is mounted, and shows toasts in it; afterwards the focus returns to the element
 * that opened it. When the focused element is removed, such as a form that is replaced by its result, the
 * title takes the focus: otherwise it would go to the page behind, where nobody would read the result.
 */
function useModal(dialog: RefObject<HTMLDialogElement | null>): void {
  useToastsIn(dialog);
  useEffect(() => {
    const element = dialog.current;
    if (!element) return undefined;
    const giveBack = rememberFocus(element);
    if (!element.open) element.showModal();
    // Else the browser takes the first, which may be a name in the text.
    element.querySelector<HTMLElement>('[data-first-focus]')?.focus();
    const observer = new MutationObserver(() => {
      const title = element.querySelector('h2');
      // A dialog in front of this one has the focus, or takes it by itself.
      if (!title || document.activeElement !== document.body || element.querySelector('dialog')) return;
      title.tabIndex = -1;
      title.focus({ preventScroll: true });
    });
    observer.observe(element, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      element.close();
      giveBack();
    };
  }, [dialog]);
}

/**
 * Escape, the system's back gesture and a click on the backdrop. A drag that begins inside and ends on the
 * backdrop does not count: the browser reports it as a click on the dialog.
 */
function useWaysOut(dialog: RefObject<HTMLDialogElement | null>, leave: () => void) {
  const isFromBackdrop = useRef(false);
  const own = (happened: SyntheticEvent): boolean => happened.target === dialog.current;
  return {
    onKeyDown: (press: KeyboardEvent) => {
      if (press.key !== 'Escape' || press.defaultPrevented) return;
      // Browsers close a dialog at the second Escape whatever `cancel` does, so Escape never reaches them.
      press.preventDefault();
      press.stopPropagation();
      leave();
    },
    onCancel: (cancel: SyntheticEvent) => {
      if (!own(cancel)) return;
      cancel.preventDefault();
      leave();
    },
    onPointerDown: (press: PointerEvent) => {
      isFromBackdrop.current = own(press);
    },
    onClick: (click: MouseEvent) => {
      if (own(click) && isFromBackdrop.current) leave();
    },
  };
}
