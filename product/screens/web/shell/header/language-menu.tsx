import { Menu } from '#platform/ui/controls/popups/menu.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { usePreferences } from '#product/accounts/web/preferences.ts';
import { isLocale, LOCALE_NAMES, LOCALES } from '#product/site/rules.ts';
import { Languages } from 'lucide-react';

interface LanguageMenuProps {
  /** Shows the language's name, not its code. */
  readonly named?: boolean;
  /** At the foot of the page the list opens upwards. */
  readonly upwards?: boolean;
}

/** Chooses the language of the page. */
export function LanguageMenu({ named, upwards }: LanguageMenuProps) {
  const { t } = useTranslation('screens');
  const { locale, setLocale } = usePreferences();
  const shown = named && isLocale(locale) ? LOCALE_NAMES[locale] : locale.toUpperCase();
  return (
    <Menu
      label={`${t('language')}: ${shown}`}
      upwards={upwards}
      trigger={
        <>
          <Languages size={20} aria-hidden />
          <span aria-hidden>{shown}</span>
        </>
      }
      items={LOCALES.map((code) => ({
        key: code,
        text: LOCALE_NAMES[code],
        lang: code,
        chosen: code === locale,
        onChoose: () => setLocale(code),
      }))}
    />
  );
}
