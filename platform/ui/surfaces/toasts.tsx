import { X } from 'lucide-react';
import {
  createContext, useCallback, useContext, useEffect, useMemo, useRef, useState, type ReactNode,
} from 'react';
import { IconButton } from '../controls/button.tsx';
import { useTranslation } from '../text/use-translation.ts';

/** News is gone after this; the pointer or the focus on it holds it. */
const TOAST_MS = 2_500;
/** More at once hide the page; the oldest goes. */
export const MAX_TOASTS = 3;

export type ToastTone = 'news' | 'success' | 'error';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: ToastTone;
}

type Say = (text: string | null, tone?: ToastTone) => void;
const ToastContext = createContext<Say>(() => undefined);

/** `toast(text, tone)` shows news at the foot of the page and reads it out politely; null clears it. */
export const useToast = (): Say => useContext(ToastContext);

/** Adds to the shown toasts, dropping the oldest beyond the limit. */
export const withToast = (shown: readonly Toast[], added: Toast): readonly Toast[] =>
  [...shown, added].slice(-MAX_TOASTS);

export function ToastProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<readonly Toast[]>([]);
  const lastId = useRef(0);
  const say = useCallback<Say>((text, tone = 'news') => {
    lastId.current += 1;
    const id = lastId.current;
    setShown((toasts) => (text === null ? [] : withToast(toasts, { id, text, tone })));
  }, []);
  const drop = useCallback((id: number) => {
    setShown((toasts) => toasts.filter((toast) => toast.id !== id));
  }, []);
  return (
    <ToastContext value={say}>
      {children}
      <div
        role="status" aria-live="polite"
        className="pointer-events-none fixed inset-x-0 bottom-16 z-50 flex flex-col items-center gap-2 px-4
          sm:bottom-6"
      >
        {shown.map((toast) => <ToastLine key={toast.id} toast={toast} onGone={drop} />)}
      </div>
    </ToastContext>
  );
}

const EDGES: Readonly<Record<ToastTone, string>> = {
  news: 'border-l-blue', success: 'border-l-online', error: 'border-l-danger',
};

function ToastLine({ toast, onGone }: { toast: Toast; onGone: (id: number) => void }) {
  const { t } = useTranslation('ui');
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return undefined;
    const timer = setTimeout(() => onGone(toast.id), TOAST_MS);
    return () => clearTimeout(timer);
  }, [held, onGone, toast.id]);
  const holding = useMemo(() => ({
    onPointerEnter: () => setHeld(true), onPointerLeave: () => setHeld(false),
    onFocus: () => setHeld(true), onBlur: () => setHeld(false),
  }), []);
  return (
    <div
      className={`pointer-events-auto flex max-w-full items-center gap-3 rounded-card border border-l-4
        border-line bg-raised pl-4 text-sm shadow-float ${EDGES[toast.tone]}`}
      {...holding}
    >
      <span className="py-3">{toast.text}</span>
      <IconButton label={t('dismiss')} onClick={() => onGone(toast.id)}>
        <X size={16} aria-hidden />
      </IconButton>
    </div>
  );
}
