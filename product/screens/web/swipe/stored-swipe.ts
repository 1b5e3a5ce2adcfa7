const KEY = 'candela.swipe';
const OFF = 'off';

/** Whether a swipe leads to the next performer in this browser; it does until somebody turns it off. */
export function storedSwipe(): boolean {
  try {
    return globalThis.localStorage.getItem(KEY) !== OFF;
  } catch {
    return true;
  }
}

export function storeSwipe(isOn: boolean): void {
  try {
    globalThis.localStorage.setItem(KEY, isOn ? 'on' : OFF);
  } catch {
    // Storage is closed to the page: the choice lasts until the page is left.
  }
}

const KNOWN_KEY = 'candela.swipe.known';

/** Whether somebody swiped in this browser, or closed the hint that says how. */
export function knowsSwiping(): boolean {
  try {
    return globalThis.localStorage.getItem(KNOWN_KEY) !== null;
  } catch {
    // The hint would come back at each visit.
    return true;
  }
}

export function storeKnowledge(): void {
  try {
    globalThis.localStorage.setItem(KNOWN_KEY, '1');
  } catch {
    // Storage is closed to the page, and the hint is not shown there.
  }
}
