import { readCookies } from '#platform/ui/faults/cookies.ts';
import { useTheme, type Theme } from '#platform/ui/surfaces/theme.ts';
import { useChangeLanguage, useTranslation } from '#platform/ui/text/use-translation.ts';
import { LOCALE_COOKIE, THEME_COOKIE, type Locale } from '#product/site/rules.ts';
import { useCallback, useEffect, useRef } from 'react';
import type { SettingsView } from '../contract/settings.ts';
import { DEFAULT_SETTINGS } from '../rules/settings.ts';
import { useMe } from './me.ts';
import { useSaveSettings } from './settings/save-settings.ts';

/** A choice of theme or language lasts a year. */
const CHOICE_SECONDS = 31_536_000;

/** The theme that the settings ask for. */
export const themeOf = (
  { dark_mode_enabled: isDark }: Pick<SettingsView, 'dark_mode_enabled'>,
): Theme => (isDark ? 'dark' : 'light');

/** Writes a cookie that the server reads with its host prefix (RFC 6265bis §4.1.3). */
export function keep(name: string, value: string, seconds = CHOICE_SECONDS): void {
  const secure = location.protocol === 'https:';
  const prefixed = secure ? `__Host-${name}` : name;
  const attributes = `Path=/; Max-Age=${seconds}; SameSite=Lax${secure ? '; Secure' : ''}`;
  document.cookie = `${prefixed}=${value}; ${attributes}`;
}

/** Shows a theme or a language on this page, and for later visits of this browser. */
function useShow(): {
  readonly theme: Theme;
  readonly showTheme: (theme: Theme) => void;
  readonly locale: string;
  readonly showLocale: (locale: Locale) => void;
} {
  const { i18n } = useTranslation();
  const changeLanguage = useChangeLanguage();
  const [theme, setTheme] = useTheme();
  const showTheme = useCallback((next: Theme) => {
    setTheme(next);
    if ((readCookies().get(THEME_COOKIE) ?? 'dark') !== next) keep(THEME_COOKIE, next);
  }, [setTheme]);
  const showLocale = useCallback((next: Locale) => {
    keep(LOCALE_COOKIE, next);
    void changeLanguage(next).then(() => {
      document.documentElement.lang = next;
    });
  }, [changeLanguage]);
  return { theme, showTheme, locale: i18n.language, showLocale };
}

/** Changes theme and language now and for later visits; for members on their other devices too. */
export function usePreferences(): {
  readonly theme: Theme;
  /** Settles once saved; a failed save restores the previous theme. */
  readonly setTheme: (theme: Theme) => Promise<void>;
  readonly locale: string;
  readonly setLocale: (locale: Locale) => void;
} {
  const isMember = useMe() !== null;
  const { theme, showTheme, locale, showLocale } = useShow();
  const save = useSaveSettings();
  const setTheme = useCallback(async (next: Theme) => {
    showTheme(next);
    if (isMember && !(await save({ dark_mode_enabled: next === 'dark' }))) showTheme(theme);
  }, [isMember, save, showTheme, theme]);
  const setLocale = useCallback((next: Locale) => {
    showLocale(next);
    if (isMember) void save({ locale: next });
  }, [isMember, save, showLocale]);
  return { theme, setTheme, locale, setLocale };
}

/** Calls back when a value changes, not for the first value. */
function useChanged<Value>(value: Value, changed: (value: Value) => void): void {
  const before = useRef(value);
  const latest = useRef(changed);
  latest.current = changed;
  useEffect(() => {
    if (before.current === value) return;
    before.current = value;
    latest.current(value);
  }, [value]);
}

/**
 * Follows settings that a member changes in another tab or on another device. The theme is applied at once
 * too, because a browser may still show a guest's, or an older one.
 * @param onLayout called when the layout of the home page changed
 */
export function useFollowedSettings(onLayout: () => void): void {
  const settings = useMe()?.settings ?? DEFAULT_SETTINGS;
  const { showTheme, locale: shown, showLocale } = useShow();
  const theme = themeOf(settings);
  useEffect(() => showTheme(theme), [theme, showTheme]);
  useChanged(settings.locale, (locale) => {
    if (locale !== null && locale !== shown) showLocale(locale);
  });
  useChanged(settings.home_layout, onLayout);
}
