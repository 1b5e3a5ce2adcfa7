import { useEffect, type RefObject } from 'react';

/** What a keyboard reaches. */
const REACHED = 'a[href], button:not([disabled]), input:not([disabled]):not([type="hidden"]), '
  + 'select:not([disabled]), textarea:not([disabled]), summary, [tabindex]:not([tabindex="-1"])';
/** Of it what opens no keyboard on a phone. */
const PRESSED = 'a[href], button:not([disabled]), summary';
/** Marks a place that holds on to the focus, so that a dialog whose opener is gone finds it. */
const PLACE = 'data-focus-place';

const isSeen = (element: HTMLElement): boolean =>
  element.checkVisibility?.({ visibilityProperty: true }) ?? true;
const seenIn = (place: HTMLElement, selector: string): readonly HTMLElement[] =>
  [...place.querySelectorAll<HTMLElement>(selector)].filter(isSeen);
/** Nothing on the page has the focus: what had it is gone. */
const isFocusLost = (): boolean =>
  document.activeElement === null || document.activeElement === document.body;
const isElement = (node: Node): node is HTMLElement => node instanceof HTMLElement;

/** Gives the focus to a place as a whole: from there the next key leads into it. */
function focusOn(place: HTMLElement): void {
  if (!place.matches(REACHED)) place.tabIndex = -1;
  place.focus({ preventScroll: true });
}

/**
 * Remembers who has the focus now, and returns what gives it back: to that element, or where it is gone to
 * the next one of its place, else to the page. What has taken the focus on purpose meanwhile keeps it.
 * @param opened what opens now; its place counts where the opener gave way to it
 */
export function rememberFocus(opened: HTMLElement | null): () => void {
  const had = document.activeElement;
  const opener = had instanceof HTMLElement && had !== document.body && !opened?.contains(had) ? had : null;
  const place = (opener ?? opened)?.closest<HTMLElement>(`[${PLACE}]`) ?? null;
  return () => {
    if (!isFocusLost() && !opened?.contains(document.activeElement)) return;
    if (opener?.isConnected) opener.focus({ preventScroll: true });
    else if (place?.isConnected) focusOn((opener ? seenIn(place, PRESSED)[0] : null) ?? place);
    else if (opener === null) return;
    // Such as an item of a list that was closed.
    else document.querySelector<HTMLElement>('main')?.focus();
  };
}

/** Where a removed element was: what came in the same step to the same parent. */
function cameInstead(gone: HTMLElement, changes: readonly MutationRecord[]): readonly HTMLElement[] {
  const parent = changes.find(({ removedNodes }) =>
    [...removedNodes].some((node) => node.contains(gone)))?.target;
  return changes.filter(({ target }) => target === parent)
    .flatMap(({ addedNodes }) => [...addedNodes]).filter(isElement).filter((node) => node.isConnected);
}

/**
 * Keeps the focus in a place whose parts give way to each other. When the element that has it is gone, as a
 * button is that opened a panel where it was, what came instead takes the focus: the panel, and when that is
 * closed the button again. Where nothing came it goes to the next button of the place, else to the place.
 */
export function useFocusPlace(place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { current: own } = place;
    if (!own) return undefined;
    own.setAttribute(PLACE, '');
    let last: HTMLElement | null = null;
    let at = 0;
    const onFocus = ({ target }: FocusEvent): void => {
      // A dialog looks after its own.
      last = target instanceof HTMLElement && target.closest('dialog') === own.closest('dialog')
        ? target : null;
      at = last ? Math.max(0, seenIn(own, PRESSED).indexOf(last)) : 0;
    };
    // Whoever clicks beside it, or goes on by a key, leaves what is still there.
    const onBlur = (): void => queueMicrotask(() => {
      if (last?.isConnected && document.activeElement !== last) last = null;
    });
    const watch = new MutationObserver((changes) => {
      if (!last || last.isConnected || !isFocusLost()) return;
      const instead = cameInstead(last, changes)
        .flatMap((node) => (node.matches(REACHED) ? [node] : seenIn(node, REACHED))).filter(isSeen);
      const left = seenIn(own, PRESSED);
      last = null;
      focusOn(instead[0] ?? left[Math.min(at, left.length - 1)] ?? own);
    });
    own.addEventListener('focusin', onFocus);
    own.addEventListener('focusout', onBlur);
    watch.observe(own, { childList: true, subtree: true });
    return () => {
      own.removeEventListener('focusin', onFocus);
      own.removeEventListener('focusout', onBlur);
      watch.disconnect();
    };
  }, [place]);
}
