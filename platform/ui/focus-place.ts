import { useEffect, type RefObject } from 'react';

/** Elements that the keyboard can reach. */
const REACHED = 'a[href], button:not([disabled]), input:not([disabled]):not([type="hidden"]), '
  + 'select:not([disabled]), textarea:not([disabled]), summary, [tabindex]:not([tabindex="-1"])';
/** Those of them that open no on-screen keyboard on a phone. */
const PRESSED = 'a[href], button:not([disabled]), summary';
/** Marks a focus place, so that a dialog whose opener is gone finds it. */
const PLACE = 'data-focus-place';

const isSeen = (element: HTMLElement): boolean =>
  element.checkVisibility?.({ visibilityProperty: true }) ?? true;
const seenIn = (place: HTMLElement, selector: string): readonly HTMLElement[] =>
  [...place.querySelectorAll<HTMLElement>(selector)].filter(isSeen);
/** Whether nothing on the page has the focus, because the element that had it is gone. */
const isFocusLost = (): boolean =>
  document.activeElement === null || document.activeElement === document.body;
const isElement = (node: Node): node is HTMLElement => node instanceof HTMLElement;

/** Focuses a place as a whole: the next Tab leads into it. */
function focusOn(place: HTMLElement): void {
  if (!place.matches(REACHED)) place.tabIndex = -1;
  place.focus({ preventScroll: true });
}

/**
 * Remembers the element that has the focus now, and returns a function that gives the focus back to it, or if
 * it is gone to the next element of its place, else to the page. An element that has been focused on purpose
 * in the meantime keeps the focus.
 * @param opened the element that opens now; its own place counts if it replaced the opener
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
    // For example after the opener's list was closed.
    else document.querySelector<HTMLElement>('main')?.focus();
  };
}

/** The replacement of a removed element: the elements added to the same parent in the same step. */
function cameInstead(gone: HTMLElement, changes: readonly MutationRecord[]): readonly HTMLElement[] {
  const parent = changes.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(gone)))
    ?.target;
  return changes.filter(({ target }) => target === parent)
    .flatMap(({ addedNodes }) => [...addedNodes]).filter(isElement).filter((node) => node.isConnected);
}

/**
 * Keeps the focus in a place whose parts replace each other. When the focused element is removed, such as a
 * button that is replaced by the panel it opened, the replacement takes the focus: first the panel, and after
 * the panel is closed the button again. Without a replacement the focus goes to the next button of the place,
 * else to the place.
 */
export function useFocusPlace(place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { current: own } = place;
    if (!own) return undefined;
    own.setAttribute(PLACE, '');
    let last: HTMLElement | null = null;
    let at = 0;
    const onFocus = ({ target }: FocusEvent): void => {
      // A dialog handles its own focus.
      last = target instanceof HTMLElement && target.closest('dialog') === own.closest('dialog')
        ? target
        : null;
      at = last ? Math.max(0, seenIn(own, PRESSED).indexOf(last)) : 0;
    };
    // A click outside, or a key that moves on, leaves an element that still exists.
    const onBlur = (): void =>
      queueMicrotask(() => {
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
