import { useCallback, useLayoutEffect, useState } from 'react';

const KEY = 'candela.theatre';

/** Whether this browser shows rooms in theatre view, also in the next room and at the next visit. */
export function useTheatre(): { readonly isOn: boolean; readonly onChange: (isOn: boolean) => void } {
  const [isOn, setOn] = useState(false);
  // The server does not know the browser's choice; it is applied before the page's first paint.
  useLayoutEffect(() => setOn(stored()), []);
  const onChange = useCallback((next: boolean) => {
    store(next);
    setOn(next);
  }, []);
  return { isOn, onChange };
}

function stored(): boolean {
  try {
    return globalThis.localStorage.getItem(KEY) === 'on';
  } catch {
    return false;
  }
}

function store(isOn: boolean): void {
  try {
    if (isOn) globalThis.localStorage.setItem(KEY, 'on');
    else globalThis.localStorage.removeItem(KEY);
  } catch {
    // Storage is not available: the view lasts until the room is left.
  }
}
