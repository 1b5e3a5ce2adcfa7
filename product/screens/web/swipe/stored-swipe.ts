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
