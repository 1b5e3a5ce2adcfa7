/** The `keyCode` that browsers give for a key that an input method handles (UI Events §B.2.1.1). */
export const TAKEN = 229;
/**
 * Safari ends the composition just before it reports the key that ended it; nobody presses another key within
 * this time.
 */
export const SAME_KEY_MS = 100;
/** How `navigator.vendor` begins in browsers that end a composition before its key. */
export const ENDS_FIRST = 'Apple';

const isSafari = (): boolean => navigator.vendor.startsWith(ENDS_FIRST);

/**
 * Hides keys that belong to an input method (Japanese, Chinese, Korean, dead keys) from everything on the
 * page, until the returned function is called: the Enter that accepts a word would send a message, Tab or an
 * arrow would take a suggestion, Escape would close a dialog. The typed text arrives as input events, as
 * always. One listener before all others does this, so that no field has to.
 * @param endsFirst whether the browser reports the end of a composition before its key
 */
export function guardComposition(endsFirst: boolean = isSafari()): () => void {
  let endedAt = Number.NEGATIVE_INFINITY;
  const onEnd = ({ timeStamp }: Event): void => {
    endedAt = timeStamp;
  };
  const onKey = (press: KeyboardEvent): void => {
    const isAfter = endsFirst && Math.abs(press.timeStamp - endedAt) < SAME_KEY_MS;
    // oxlint-disable-next-line typescript/no-deprecated -- the one sign that Safari gives
    if (press.isComposing || press.keyCode === TAKEN || isAfter) press.stopImmediatePropagation();
    if (isAfter) {
      // Otherwise it would start a new line, or submit the form.
      press.preventDefault();
      endedAt = Number.NEGATIVE_INFINITY;
    }
  };
  addEventListener('compositionend', onEnd, true);
  addEventListener('keydown', onKey, true);
  return () => {
    removeEventListener('compositionend', onEnd, true);
    removeEventListener('keydown', onKey, true);
  };
}
