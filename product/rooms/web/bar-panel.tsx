import { IconButton } from '#platform/ui/controls/button.tsx';
import { rememberFocus } from '#platform/ui/focus-place.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { X } from 'lucide-react';
import {
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type CSSProperties,
  type ReactNode,
  type RefObject,
} from 'react';

interface BarPanelProps {
  readonly title: string;
  /** Whether its content has two columns in a wide window. */
  readonly isWide?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Gap between the panel, its bar and the edges of the window. */
const GAP_PX = 8;

/** The side of the bar with more room, and how much there is; after scrolling that may be the side below. */
function useSide(
  panel: RefObject<HTMLDivElement | null>,
): { readonly isBelow: boolean; readonly px: number } {
  const [side, setSide] = useState({ isBelow: false, px: 0 });
  useLayoutEffect(() => {
    const bar = panel.current?.offsetParent;
    if (!bar) return;
    const { top, bottom } = bar.getBoundingClientRect();
    const column = bar.parentElement?.getBoundingClientRect();
    const above = top - (column?.top ?? 0);
    const below = Math.min(column?.bottom ?? Infinity, globalThis.innerHeight) - bottom;
    setSide({ isBelow: below > above, px: Math.max(above, below) - 2 * GAP_PX });
  }, [panel]);
  return side;
}

/**
 * The panel that an action of the bar opens: over the video beside the chat, on phones at the bottom of the
 * screen. The room stays usable, and the panel stays open until it is closed. Mounted only while open.
 */
export function BarPanel({ title, isWide = false, onClose, children }: BarPanelProps) {
  const { t } = useTranslation('ui');
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const { isBelow, px } = useSide(panel);
  useEffect(() => {
    const own = panel.current;
    const giveBack = rememberFocus(own);
    own?.focus({ preventScroll: true });
    return giveBack;
  }, []);
  return (
    <div
      ref={panel}
      role="dialog"
      aria-labelledby={id}
      tabIndex={-1}
      data-below={isBelow ? '' : undefined}
      style={{ '--space': `${px}px` } as CSSProperties}
      onKeyDown={(press) => {
        if (press.key !== 'Escape' || press.defaultPrevented) return;
        press.preventDefault();
        onClose();
      }}
      className={`absolute bottom-full left-2 z-20 mb-1 overflow-y-auto rounded-card border border-line
        bg-surface whitespace-normal shadow-float outline-none lg:max-h-[min(36rem,var(--space))]
        lg:data-below:top-full lg:data-below:bottom-auto lg:data-below:mt-1 max-lg:fixed max-lg:inset-x-0
        max-lg:bottom-[var(--consent,0px)] max-lg:z-40 max-lg:mb-0 max-lg:rounded-b-none
        max-lg:max-h-[min(75dvh,calc(100dvh-var(--consent,0px)-4rem))]
        ${isWide ? 'lg:w-[min(46rem,calc(100%-16px))]' : 'lg:w-[min(26rem,calc(100%-16px))]'}`}
    >
      <div className="sticky top-0 z-10 flex items-start justify-between gap-4 bg-surface pt-2 pr-2 pl-4">
        <h2 id={id} className="min-w-0 py-2 text-lg font-bold break-words">{title}</h2>
        <IconButton label={t('close')} onClick={onClose}>
          <X size={20} aria-hidden />
        </IconButton>
      </div>
      <div className="px-4 pt-2 pb-4">{children}</div>
    </div>
  );
}
