import { useCallback, useLayoutEffect, useState } from 'react';

const KEY = 'candela.theatre';

/** Whether this browser shows rooms in theatre view, in the next room and at the next visit too. */
export function useTheatre(): { readonly isOn: boolean; readonly onChange: (isOn: boolean) => void } {
  const [isOn, setOn] = useState(false);
  // The document of the server knows no browser; before the first paint of the page it is as it was left.
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
    // Storage is closed to the page: the view lasts until the room is left.
  }
}
