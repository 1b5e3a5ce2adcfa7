import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react';

/** After so long without scrolling the viewer has arrived at a card. */
const SETTLED_MS = 120;

/** How many cards a key leads on; PageDown and PageUp are the keys of a feed (ARIA APG). */
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 1, PageUp: -1 };
const TEXT = 'input, textarea, select, [contenteditable], [role=slider]';
/** Controls that Enter is for. */
const CONTROL = 'button, a[href], summary';
/** What lies over the page has keys of its own. */
const OVER_PAGE = 'dialog, [role=dialog], [role=menu], [role=listbox]';

/** Where the viewer is, and what leads on. */
interface Swiping {
  readonly at: number;
  /** How many cards there are: with others the scroller may have lost its position. */
  readonly count: number;
  readonly onShow: (at: number) => void;
  readonly onOpen: () => void;
}

/** What a key press asks for. */
function wantedBy(press: KeyboardEvent, frame: HTMLElement): number | 'open' | null {
  const { key, target } = press;
  if (press.ctrlKey || press.altKey || press.metaKey || press.shiftKey) return null;
  if (!(target instanceof Element) || !(target === document.body || frame.contains(target))) return null;
  if (target.closest(`${TEXT}, ${OVER_PAGE}`) || document.querySelector('dialog[open]')) return null;
  if (key === 'Enter') return target.closest(CONTROL) ? null : 'open';
  return STEPS[key] ?? null;
}

/**
 * Ties the scroller to the card that is shown: scrolling to a card shows it once it has come to rest, and a
 * card that is shown otherwise is scrolled to. Cards that fly past are never shown, so nothing of them plays.
 * @param frame whose keys these are
 * @param scroller has one card after another, each as high as itself
 */
export function useSwiping(
  frame: RefObject<HTMLElement | null>, scroller: RefObject<HTMLElement | null>, swiping: Swiping,
): void {
  const latest = useRef(swiping);
  latest.current = swiping;
  const { at, count } = swiping;
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const top = at * element.clientHeight;
    // Whoever comes back from a room is there at once; later the styles say how it scrolls.
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
      // In the player arrows would change the volume.
      press.stopPropagation();
      if (wanted === 'open') return latest.current.onOpen();
      latest.current.onShow(latest.current.at + wanted);
      // What has the focus may belong to a card that nobody can reach any more.
      scroller.current?.focus({ preventScroll: true });
    };
    document.addEventListener('keydown', onKeyDown, { capture: true });
    return () => document.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [frame, scroller]);
}
