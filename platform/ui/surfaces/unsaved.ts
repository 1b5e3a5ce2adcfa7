import { useCallback, useEffect, useRef, type RefObject } from 'react';

type TextControl = HTMLInputElement | HTMLTextAreaElement;

/** Controls with text that a person typed; a search is quickly typed again. */
const TEXT = 'textarea, input:not([type=search], [type=checkbox], [type=radio], [type=range], [type=hidden], '
  + '[type=file], [type=button], [type=submit])';

/**
 * Watches the text fields inside an element. Returns a function that says whether one of them differs from
 * its content at the time it was first focused.
 */
export function useUnsavedText(element: RefObject<HTMLElement | null>): () => boolean {
  const before = useRef(new Map<TextControl, string>());
  useEffect(() => {
    const watched = element.current;
    const values = before.current;
    const remember = ({ target }: FocusEvent): void => {
      if (!(target instanceof HTMLElement) || !target.matches(TEXT)) return;
      const control = target as TextControl;
      if (!values.has(control)) values.set(control, control.value);
    };
    watched?.addEventListener('focusin', remember);
    return () => {
      watched?.removeEventListener('focusin', remember);
      values.clear();
    };
  }, [element]);
  return useCallback(
    () => [...before.current].some(([control, value]) => control.isConnected && control.value !== value),
    [],
  );
}
