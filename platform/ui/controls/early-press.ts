import { useEffect, useRef, useSyncExternalStore, type RefObject } from 'react';

declare global {
  /** The button that was clicked before React took over its markup; null once the click was passed on. */
  var earlyPress: HTMLElement | null | undefined;
}

/**
 * Runs before everything else in a document: a click on a button that has no handlers yet waits until it has
 * them. React passes on no click from before its own script runs, and a form would be sent the browser's way.
 * The click ends here, so that React, which may be hydrating at this moment, does not handle it as well.
 */
export const KEEP_EARLY_PRESS = 'addEventListener("click",(e)=>{'
  + 'const b=e.target.closest?.("button[data-late]");'
  + 'if(b){e.preventDefault();e.stopImmediatePropagation();globalThis.earlyPress=b}},true);';

const never = (): (() => void) => () => undefined;

/**
 * True on the server and until React has taken over the markup; `ref` goes on the button.
 * @param name for the button's `data-late`, where React may replace the button before its code is there
 */
export function useLate(
  name = '',
): { readonly late: boolean; readonly ref: RefObject<HTMLButtonElement | null> } {
  const ref = useRef<HTMLButtonElement>(null);
  const late = useSyncExternalStore(never, () => false, () => true);
  useEffect(() => {
    const pressed = globalThis.earlyPress;
    const button = ref.current;
    if (late || !pressed || !button) return;
    // Another element may be in place of the one that was clicked, with the same name.
    if (pressed !== button && (pressed.isConnected || !name || pressed.dataset['late'] !== name)) return;
    globalThis.earlyPress = null;
    // What the click opens gives the focus back to its button.
    button.focus();
    button.click();
  }, [late, name]);
  return { late, ref };
}
