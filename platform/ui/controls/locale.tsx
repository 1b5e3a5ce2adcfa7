import type { ReactNode } from 'react';
import { I18nProvider } from 'react-aria';
import { useTranslation } from '../text/use-translation.ts';

/** Gives the library's controls the language and direction of the page, not those of the browser. */
export function ControlsLocale({ children }: { children: ReactNode }) {
  const { i18n } = useTranslation();
  return <I18nProvider locale={i18n.language}>{children}</I18nProvider>;
}
