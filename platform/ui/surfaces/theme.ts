import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';

export type Theme = 'dark' | 'light';

interface FirstTheme {
  /** What the document was rendered with. */
  readonly theme: Theme;
  /** Nobody chooses another: the site has one look. */
  readonly isFixed: boolean;
}

/** The root provides it. */
const FirstTheme = createContext<FirstTheme>({ theme: 'dark', isFixed: false });
export const FirstThemeProvider = FirstTheme.Provider;

const CHANGED = 'themechange';
const watch = (notify: () => void) => {
  document.addEventListener(CHANGED, notify);
  return () => document.removeEventListener(CHANGED, notify);
};
const shown = (): Theme => (document.documentElement.dataset['theme'] === 'light' ? 'light' : 'dark');

/**
 * The look shown now, and a way to change it for this page, which does nothing where the look is fixed.
 * Keeping the choice is the caller's business.
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
