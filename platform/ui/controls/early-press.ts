import { useEffect, useRef, useSyncExternalStore, type RefObject } from 'react';

declare global {
  /** The button that was pressed before the page came to life; null once it has been. */
  var earlyPress: HTMLElement | null | undefined;
}

/**
 * Runs before everything else in a document: a press on a button that is drawn but not alive yet is kept, and
 * done as soon as it is. Without it the first press on a slow line is lost, or sends a form the browser's
 * way.
 */
export const KEEP_EARLY_PRESS = 'addEventListener("click",(e)=>{'
  + 'const b=e.target.closest?.("button[data-late]");'
  + 'if(b){e.preventDefault();globalThis.earlyPress=b}},true)';

const never = (): (() => void) => () => undefined;

/**
 * True on the server and until React has taken over the markup; `ref` goes on the button.
 * @param name for the button's `data-late`, where it may be drawn anew before its code is here
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
    // Another element may stand in place of the one pressed: its name is the same.
    if (pressed !== button && (pressed.isConnected || !name || pressed.dataset['late'] !== name)) return;
    globalThis.earlyPress = null;
    button.click();
  }, [late, name]);
  return { late, ref };
}
