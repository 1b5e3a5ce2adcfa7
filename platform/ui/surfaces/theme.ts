import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';

export type Theme = 'dark' | 'light';

interface FirstTheme {
  /** The look the document was rendered with. */
  readonly theme: Theme;
  /** Whether the site has a single look that nobody can change. */
  readonly isFixed: boolean;
}

/** Provided by the root. */
const FirstTheme = createContext<FirstTheme>({ theme: 'dark', isFixed: false });
export const FirstThemeProvider = FirstTheme.Provider;

const CHANGED = 'themechange';
const watch = (notify: () => void) => {
  document.addEventListener(CHANGED, notify);
  return () => document.removeEventListener(CHANGED, notify);
};
const shown = (): Theme => (document.documentElement.dataset['theme'] === 'light' ? 'light' : 'dark');

/**
 * The current look, and a function that changes it for this page (it does nothing when the look is fixed).
 * The caller stores the choice.
 */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const { theme: first, isFixed } = useContext(FirstTheme);
  const theme = useSyncExternalStore(watch, shown, () => first);
  const change = useCallback((next: Theme) => {
    if (isFixed) return;
    document.documentElement.dataset['theme'] = next;
    document.dispatchEvent(new Event(CHANGED));
  }, [isFixed]);
  return [theme, change];
}
