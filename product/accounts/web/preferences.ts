import { useCallback } from 'react';
import { useAction } from '../../../platform/ui/calls/calls.ts';
import { useTheme, type Theme } from '../../../platform/ui/surfaces/theme.ts';
import { useChangeLanguage, useTranslation } from '../../../platform/ui/text/use-translation.ts';
import { LOCALE_COOKIE, THEME_COOKIE, type Locale } from '../../site/rules.ts';
import { updateSettings } from '../client.ts';
import { useMe } from './me.ts';

/** A choice of theme or language lasts a year. */
const CHOICE_SECONDS = 31_536_000;

/** Writes a cookie that the server reads with its host prefix (RFC 6265bis §4.1.3). */
export function keep(name: string, value: string): void {
  const secure = location.protocol === 'https:';
  const prefixed = secure ? `__Host-${name}` : name;
  const attributes = `Path=/; Max-Age=${CHOICE_SECONDS}; SameSite=Lax${secure ? '; Secure' : ''}`;
  document.cookie = `${prefixed}=${value}; ${attributes}`;
}

/** Changes theme and language now and for later visits; for members on their other devices too. */
export function usePreferences(): {
  readonly theme: Theme;
  readonly setTheme: (theme: Theme) => void;
  readonly locale: string;
  readonly setLocale: (locale: Locale) => void;
} {
  const me = useMe();
  const { i18n } = useTranslation();
  const changeLanguage = useChangeLanguage();
  const [theme, showTheme] = useTheme();
  const { run } = useAction(updateSettings);
  const isMember = me !== null;
  const setTheme = useCallback((next: Theme) => {
    showTheme(next);
    keep(THEME_COOKIE, next);
    if (isMember) void run({ dark_mode_enabled: next === 'dark' });
  }, [isMember, run, showTheme]);
  const setLocale = useCallback((next: Locale) => {
    keep(LOCALE_COOKIE, next);
    void changeLanguage(next).then(() => {
      document.documentElement.lang = next;
    });
    if (isMember) void run({ locale: next });
  }, [changeLanguage, isMember, run]);
  return { theme, setTheme, locale: i18n.language, setLocale };
}
