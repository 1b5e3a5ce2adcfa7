import { X } from 'lucide-react';
import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type FocusEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import { createPortal } from 'react-dom';
import { Button, IconButton } from '../controls/button.tsx';
import { raiseFault } from '../faults/faults.ts';
import { useTranslation } from '../text/use-translation.ts';
import { CLEAR_OF_FOOT } from './clear-of-foot.ts';

/** News and successes close by themselves after this (spec 1 §9); errors stay until they are dismissed. */
const TOAST_MS = 2_500;
/** More toasts at once hide the page. */
export const MAX_TOASTS = 3;

export type ToastTone = 'news' | 'success' | 'error';

export interface ToastOptions {
  /** The subject, for error reports; the text says it too. */
  readonly title?: string;
  /** It stays until it is closed, as errors do. */
  readonly stays?: boolean;
  /** Closes the toast when aborted, if it is still shown. */
  readonly until?: AbortSignal;
  /** Runs once when the toast closes, for whatever reason: by itself, by its button, or with all others. */
  readonly onClose?: () => void;
  /** A button in the toast, which also closes it. */
  readonly action?: { readonly text: string; readonly onClick: () => void };
}

interface Toast extends ToastOptions {
  readonly id: number;
  readonly text: string;
  readonly tone: ToastTone;
}

type Say = (text: string | null, tone?: ToastTone, options?: ToastOptions) => void;
const ToastContext = createContext<Say>(() => undefined);

/**
 * `toast(text, tone, options)` shows a toast at the foot of the page, read by screen readers; null closes
 * all.
 */
export const useToast = (): Say => useContext(ToastContext);

/** Puts the toasts into a modal dialog until the returned function is called. */
type Enter = (dialog: HTMLElement) => () => void;
const LayersContext = createContext<Enter>(() => () => undefined);

/**
 * Shows toasts in a modal dialog while it is mounted: outside it they would be behind its backdrop, inert and
 * hidden from screen readers.
 */
export function useToastsIn(dialog: RefObject<HTMLElement | null>): void {
  const enter = useContext(LayersContext);
  useLayoutEffect(() => (dialog.current ? enter(dialog.current) : undefined), [dialog, enter]);
}

/**
 * Adds to the shown toasts. An error that is already shown is not repeated. Beyond the limit the oldest toast
 * that is not an error is removed; if all are errors, the oldest error.
 */
export function withToast(shown: readonly Toast[], added: Toast): readonly Toast[] {
  const isSame = ({ tone, text }: Toast): boolean => tone === 'error' && text === added.text;
  const rest = added.tone === 'error' ? shown.filter((toast) => !isSame(toast)) : shown;
  if (rest.length < MAX_TOASTS) return [...rest, added];
  const oldest = rest.find(({ tone }) => tone !== 'error') ?? rest[0];
  return [...rest.filter((toast) => toast !== oldest), added];
}

/** Two live regions: errors interrupt a screen reader, the rest waits for a pause. */
const REGIONS = [
  { role: 'alert', has: (tone: ToastTone) => tone === 'error' },
  { role: 'status', has: (tone: ToastTone) => tone !== 'error' },
] as const;

export function ToastProvider({ children }: { children: ReactNode }) {
  const { t } = useTranslation('ui');
  const { shown, say, drop } = useShownToasts();
  const focus = useFocusOfToasts();
  const { place, enter } = useLayers();
  return (
    <ToastContext value={say}>
      <LayersContext value={enter}>{children}</LayersContext>
      {place
        ? createPortal(
          (
            <div
              ref={focus.box}
              onFocus={focus.onFocus}
              className={`pointer-events-none fixed inset-x-0 bottom-16 z-50 flex flex-col gap-2 px-4
            sm:bottom-6 ${CLEAR_OF_FOOT}`}
            >
              {REGIONS.map(({ role, has }) => (
                <div key={role} role={role} className="flex flex-col items-center gap-2">
                  {shown.filter(({ tone }) =>
                    has(tone)
                  ).map((toast) => (
                    <ToastLine key={toast.id} toast={toast} onGone={drop} onDismiss={focus.onDismiss} />
                  ))}
                </div>
              ))}
              {shown.length > 1
                ? (
                  <div className="pointer-events-auto self-center rounded-control bg-raised shadow-float">
                    <Button tone="quiet" onClick={() => say(null)}>{t('dismissAll')}</Button>
                  </div>
                )
                : null}
            </div>
          ),
          place,
        )
        : null}
    </ToastContext>
  );
}

/** The shown toasts, to add to and remove from. The close hook of each removed toast is called once. */
function useShownToasts() {
  const [shown, setShown] = useState<readonly Toast[]>([]);
  const now = useRef<readonly Toast[]>([]);
  const lastId = useRef(0);
  const show = useCallback((next: readonly Toast[]) => {
    const gone = now.current.filter((toast) => !next.includes(toast));
    now.current = next;
    setShown(next);
    for (const { onClose } of gone) onClose?.();
  }, []);
  const drop = useCallback((id: number) => {
    const rest = now.current.filter((toast) => toast.id !== id);
    if (rest.length < now.current.length) show(rest);
  }, [show]);
  const say = useCallback<Say>((text, tone = 'news', options = {}) => {
    lastId.current += 1;
    if (text !== null && tone === 'error') {
      raiseFault({ kind: 'toast', appearance: tone, title: options.title ?? '', content: text });
    }
    const id = lastId.current;
    show(text === null ? [] : withToast(now.current, { ...options, id, text, tone }));
    options.until?.addEventListener('abort', () => drop(id), { once: true });
  }, [drop, show]);
  return { shown, say, drop };
}

/**
 * The element that contains the toasts: at the end of the page, or of the modal dialog that was opened last.
 * It is moved as a whole, even when empty, so that screen readers know its regions before a toast appears.
 */
function useLayers() {
  const [place, setPlace] = useState<HTMLElement | null>(null);
  const dialogs = useRef<readonly HTMLElement[]>([]);
  const layers = useMemo(() => {
    let made: HTMLElement | null = null;
    const move = (): void => {
      const target = dialogs.current.at(-1) ?? document.body;
      if (made && made.parentElement !== target) target.append(made);
    };
    return {
      make: () => {
        made = document.createElement('div');
        move();
        setPlace(made);
        return () => made?.remove();
      },
      enter: (dialog: HTMLElement) => {
        dialogs.current = [...dialogs.current, dialog];
        move();
        return () => {
          dialogs.current = dialogs.current.filter((element) => element !== dialog);
          move();
        };
      },
    };
  }, []);
  useLayoutEffect(() => layers.make(), [layers]);
  return { place, enter: layers.enter };
}

/** After a dismissal by keyboard, the focus goes to the next toast; after the last one, back to the page. */
function useFocusOfToasts() {
  const box = useRef<HTMLDivElement>(null);
  const before = useRef<Element | null>(null);
  const onFocus = useCallback(({ relatedTarget }: FocusEvent) => {
    if (relatedTarget && !box.current?.contains(relatedTarget)) before.current = relatedTarget;
  }, []);
  const onDismiss = useCallback((button: HTMLElement) => {
    const buttons = [...box.current?.querySelectorAll<HTMLElement>('button') ?? []];
    const at = buttons.indexOf(button);
    const next = buttons[at + 1] ?? buttons[at - 1] ?? before.current;
    if (next instanceof HTMLElement && next.isConnected) next.focus({ preventScroll: true });
  }, []);
  return { box, onFocus, onDismiss };
}

const EDGES: Readonly<Record<ToastTone, string>> = {
  news: 'border-l-blue',
  success: 'border-l-online',
  error: 'border-l-danger',
};

interface ToastLineProps {
  readonly toast: Toast;
  readonly onGone: (id: number) => void;
  /** Called before the toast is removed, with the button that was clicked. */
  readonly onDismiss: (button: HTMLElement) => void;
}

function ToastLine({ toast, onGone, onDismiss }: ToastLineProps) {
  const { t } = useTranslation('ui');
  const [hovered, setHovered] = useState(false);
  const [focused, setFocused] = useState(false);
  const stays = toast.tone === 'error' || toast.stays === true || hovered || focused;
  useEffect(() => {
    if (stays) return undefined;
    const timer = setTimeout(() => onGone(toast.id), TOAST_MS);
    return () => clearTimeout(timer);
  }, [stays, onGone, toast.id]);
  const holding = useMemo(() => ({
    onPointerEnter: () => setHovered(true),
    onPointerLeave: () => setHovered(false),
    onFocus: () => setFocused(true),
    onBlur: () => setFocused(false),
  }), []);
  return (
    <div
      className={`pointer-events-auto flex max-w-full items-center gap-3 rounded-card border border-l-4
        border-line bg-raised pl-4 text-sm shadow-float ${EDGES[toast.tone]}`}
      {...holding}
    >
      <span className="py-3">{toast.text}</span>
      {toast.action
        ? (
          <Button
            tone="quiet"
            onClick={() => {
              onGone(toast.id);
              toast.action?.onClick();
            }}
          >
            {toast.action.text}
          </Button>
        )
        : null}
      <IconButton
        label={t('dismiss')}
        onClick={({ currentTarget }) => {
          onDismiss(currentTarget);
          onGone(toast.id);
        }}
      >
        <X size={16} aria-hidden />
      </IconButton>
    </div>
  );
}
