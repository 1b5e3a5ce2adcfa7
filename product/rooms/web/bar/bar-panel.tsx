import { X } from 'lucide-react';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { IconButton } from '../../../../platform/ui/controls/button.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';

interface BarPanelProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * What an action of the bar opens: over the video beside the chat, on phones from the foot of the screen. The
 * room goes on around it, and it stays until it is closed; mounted while it is open.
 */
export function BarPanel({ title, onClose, children }: BarPanelProps) {
  const { t } = useTranslation('ui');
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    panel.current?.focus({ preventScroll: true });
    return () => {
      // The focus returns to its button, unless something else has taken it.
      const { activeElement, body } = document;
      if (activeElement !== null && activeElement !== body) return;
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
    };
  }, []);
  return (
    <div ref={panel} role="dialog" aria-labelledby={id} tabIndex={-1}
      onKeyDown={(press) => {
        if (press.key !== 'Escape' || press.defaultPrevented) return;
        press.preventDefault();
        onClose();
      }}
      className="absolute bottom-full left-2 z-20 mb-1
        max-h-[min(36rem,calc(100dvh-var(--header,57px)-160px))] w-[min(26rem,calc(100%-16px))]
        overflow-y-auto rounded-card border border-line bg-surface whitespace-normal shadow-float outline-none
        lg:group-data-scrolled:top-full lg:group-data-scrolled:bottom-auto max-lg:fixed max-lg:inset-x-0
        max-lg:bottom-0 max-lg:z-40 max-lg:mb-0 max-lg:max-h-[75dvh] max-lg:w-auto max-lg:rounded-b-none">
      <div className="sticky top-0 z-10 flex items-start justify-between gap-4 bg-surface pt-2 pr-2 pl-4">
        <h2 id={id} className="min-w-0 py-2 text-lg font-bold break-words">{title}</h2>
        <IconButton label={t('close')} onClick={onClose}><X size={20} aria-hidden /></IconButton>
      </div>
      <div className="px-4 pt-2 pb-4">{children}</div>
    </div>
  );
}
