const KEY = 'candela.swipe';
const OFF = 'off';

/** Whether swiping leads to the next performer in this browser; on until somebody turns it off. */
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
    // Storage is not available: the choice lasts until the page is left.
  }
}

const KNOWN_KEY = 'candela.swipe.known';

/** Whether somebody swiped in this browser, or closed the hint that explains it. */
export function knowsSwiping(): boolean {
  try {
    return globalThis.localStorage.getItem(KNOWN_KEY) !== null;
  } catch {
    // Otherwise the hint would come back at each visit.
    return true;
  }
}

export function storeKnowledge(): void {
  try {
    globalThis.localStorage.setItem(KNOWN_KEY, '1');
  } catch {
    // Storage is not available, and the hint is not shown then.
  }
}
