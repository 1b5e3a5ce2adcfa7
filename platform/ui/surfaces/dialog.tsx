import { X } from 'lucide-react';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { IconButton } from '../controls/button.tsx';
import { useTranslation } from '../text/use-translation.ts';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons at the foot, the primary one last. */
  readonly actions?: ReactNode;
  readonly size?: 'small' | 'large';
}

/**
 * A modal dialog on the browser's own `<dialog>`: top layer, inert page, focus kept inside and given back,
 * Escape. Mount it to open it, unmount it to close it. For decisions and forms only (docs/look.md).
 */
export function Dialog({ title, onClose, children, actions, size = 'small' }: DialogProps) {
  const { t } = useTranslation('ui');
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    if (element && !element.open) element.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog} aria-labelledby={`${id}-title`}
      onCancel={(cancel) => {
        cancel.preventDefault();
        onClose();
      }}
      onClick={(press) => {
        // Only the backdrop's own press closes, never one that began inside.
        if (press.target === dialog.current) onClose();
      }}
      className={`m-auto w-[calc(100%-32px)] rounded-card border border-line bg-surface p-0 text-text
        max-h-[calc(100dvh-32px)] scroll-pt-16 overflow-y-auto shadow-float max-sm:mb-0 max-sm:w-full
        max-sm:max-w-full max-sm:rounded-b-none
        ${size === 'small' ? 'sm:max-w-md' : 'sm:max-w-2xl'}`}
    >
      {/* What it is, and the way out of it, stay where much is in it and the window is not low. */}
      <div className="flex items-start justify-between gap-4 bg-surface pt-2 pr-2 pl-6
        [@media(min-height:480px)]:sticky [@media(min-height:480px)]:top-0
        [@media(min-height:480px)]:z-10">
        <h2 id={`${id}-title`} className="min-w-0 py-2 text-lg font-bold break-words">{title}</h2>
        <IconButton label={t('close')} onClick={onClose}><X size={20} aria-hidden /></IconButton>
      </div>
      <div className="px-6 pt-2 pb-6">{children}</div>
      {actions ? (
        <div className="flex flex-wrap justify-end gap-3 px-6 pb-6 max-sm:*:grow">{actions}</div>
      ) : null}
    </dialog>
  );
}
