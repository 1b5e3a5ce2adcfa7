import { readCookies, watchCookies } from '#platform/ui/faults/cookies.ts';
import { useTheme } from '#platform/ui/surfaces/theme.ts';
import { useChangeLanguage, useTranslation } from '#platform/ui/text/use-translation.ts';
import { isLocale, LOCALE_COOKIE, THEME_COOKIE } from '#product/site/rules.ts';
import { useEffect, useRef } from 'react';
import { useRevalidator } from 'react-router';

/** Choices made in one tab apply in the others: language, theme, and what listings show. */
export function useCookieWatch(): void {
  const { i18n } = useTranslation();
  const changeLanguage = useChangeLanguage();
  const [theme, changeTheme] = useTheme();
  const { revalidate } = useRevalidator();
  const apply = useRef((_names: readonly string[]): void => undefined);
  apply.current = (names) => {
    const cookies = readCookies();
    const [locale, look] = [cookies.get(LOCALE_COOKIE) ?? '', cookies.get(THEME_COOKIE)];
    if (names.includes(LOCALE_COOKIE) && isLocale(locale) && locale !== i18n.language) {
      void changeLanguage(locale).then(() => {
        document.documentElement.lang = locale;
      });
    }
    if (names.includes(THEME_COOKIE) && (look === 'light' || look === 'dark') && look !== theme) {
      changeTheme(look);
    }
    // The other cookies decide what listings read; a listing read before with the same choices is cached.
    if (names.some((name) => name !== LOCALE_COOKIE && name !== THEME_COOKIE)) void revalidate();
  };
  useEffect(() => watchCookies((names) => apply.current(names)), []);
}
