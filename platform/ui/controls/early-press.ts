import { useEffect, useRef, useSyncExternalStore, type RefObject } from 'react';

declare global {
  /** The button that was clicked before React took over its markup; null once the click was passed on. */
  var earlyPress: HTMLElement | null | undefined;
}

/**
 * Runs before everything else in a document: a click on a button without handlers waits until it has them.
 * React replays no click from before its own script runs, and the browser would submit a form itself. The
 * event stops here, so that React, which may be hydrating at this moment, does not handle it as well.
 */
export const KEEP_EARLY_PRESS = 'addEventListener("click",(e)=>{'
  + 'const b=e.target.closest?.("button[data-late]");'
  + 'if(b){e.preventDefault();e.stopImmediatePropagation();globalThis.earlyPress=b}},true);';

const never = (): () => void => () => undefined;

/**
 * True on the server and until React has hydrated the markup; `ref` goes on the button.
 * @param name for the button's `data-late`, needed where React may replace the button before hydrating it
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
    // Another element with the same name may have replaced the one that was clicked.
    if (pressed !== button && (pressed.isConnected || !name || pressed.dataset['late'] !== name)) return;
    globalThis.earlyPress = null;
    // The button takes the focus first, so that whatever the click opens returns the focus to it.
    button.focus();
    button.click();
  }, [late, name]);
  return { late, ref };
}
