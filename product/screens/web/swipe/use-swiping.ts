import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react';

/** After this long without scrolling the viewer has arrived at a card. */
const SETTLED_MS = 120;

/** How many cards a key moves; PageDown and PageUp are the keys of a feed (ARIA APG). */
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 1, PageUp: -1 };
const TEXT = 'input, textarea, select, [contenteditable], [role=slider]';
/** Controls that handle Enter themselves. */
const CONTROL = 'button, a[href], summary';
/** Overlays of the page handle keys themselves. */
const OVER_PAGE = 'dialog, [role=dialog], [role=menu], [role=listbox]';

/** Where the viewer is, and how to move on. */
interface Swiping {
  readonly at: number;
  /** How many cards there are: when they change, the scroller may have lost its position. */
  readonly count: number;
  readonly onShow: (at: number) => void;
  readonly onOpen: () => void;
}

/** The card that a key press asks for. */
function wantedBy(press: KeyboardEvent, frame: HTMLElement): number | 'open' | null {
  const { key, target } = press;
  if (press.ctrlKey || press.altKey || press.metaKey || press.shiftKey) return null;
  if (!(target instanceof Element) || !(target === document.body || frame.contains(target))) return null;
  if (target.closest(`${TEXT}, ${OVER_PAGE}`) || document.querySelector('dialog[open]')) return null;
  if (key === 'Enter') return target.closest(CONTROL) ? null : 'open';
  return STEPS[key] ?? null;
}

/**
 * Ties the scroller to the current card: a card that the scroller comes to rest at becomes current, and a
 * card that becomes current otherwise is scrolled to. Cards that fly past never do, so they don't play.
 * @param frame the element whose keys are handled
 * @param scroller contains one card after another, each as high as itself
 */
export function useSwiping(
  frame: RefObject<HTMLElement | null>,
  scroller: RefObject<HTMLElement | null>,
  swiping: Swiping,
): void {
  const latest = useRef(swiping);
  latest.current = swiping;
  const { at, count } = swiping;
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const top = at * element.clientHeight;
    // Viewers who come back from a room are there at once; afterwards the styles decide how it scrolls.
    const behavior = isFirst.current ? 'instant' : 'auto';
    isFirst.current = false;
    if (Math.abs(element.scrollTop - top) > 1) element.scrollTo({ top, behavior });
  }, [at, count, scroller]);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = () => {
      const { scrollTop, clientHeight } = element;
      if (clientHeight > 0) latest.current.onShow(Math.round(scrollTop / clientHeight));
    };
    const onScroll = () => {
      clearTimeout(timer);
      timer = setTimeout(settle, SETTLED_MS);
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      clearTimeout(timer);
      element.removeEventListener('scroll', onScroll);
    };
  }, [scroller]);
  useEffect(() => {
    const onKeyDown = (press: KeyboardEvent) => {
      const wanted = frame.current && wantedBy(press, frame.current);
      if (wanted === null) return;
      press.preventDefault();
      // In the player, arrow keys would change the volume.
      press.stopPropagation();
      if (wanted === 'open') return latest.current.onOpen();
      latest.current.onShow(latest.current.at + wanted);
      // The focus may be in a card that is inert now.
      scroller.current?.focus({ preventScroll: true });
    };
    document.addEventListener('keydown', onKeyDown, { capture: true });
    return () => document.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [frame, scroller]);
}
