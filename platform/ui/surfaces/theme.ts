import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';

export type Theme = 'dark' | 'light';

/** What the document was rendered with; the root provides it. */
const FirstTheme = createContext<Theme>('dark');
export const FirstThemeProvider = FirstTheme.Provider;

const CHANGED = 'themechange';
const watch = (notify: () => void) => {
  document.addEventListener(CHANGED, notify);
  return () => document.removeEventListener(CHANGED, notify);
};
const shown = (): Theme => (document.documentElement.dataset['theme'] === 'light' ? 'light' : 'dark');

/** The look shown now, and a way to change it for this page. Keeping the choice is the caller's business. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const first = useContext(FirstTheme);
  const theme = useSyncExternalStore(watch, shown, () => first);
  const change = useCallback((next: Theme) => {
    document.documentElement.dataset['theme'] = next;
    document.dispatchEvent(new Event(CHANGED));
  }, []);
  return [theme, change];
}
