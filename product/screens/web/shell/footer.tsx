import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { Select } from '../../../../platform/ui/controls/fields.tsx';
import { usePreferences } from '../../../accounts/web/preferences.ts';
import { LOCALE_NAMES, LOCALES, type Locale } from '../../../site/rules.ts';
import { useSite } from '../site.ts';
import { ThemeSwitch } from './theme-switch.tsx';

/** Language, look, the way for performers, and the legal line. */
export function Footer() {
  const { t } = useTranslation('screens');
  const { locale, setLocale } = usePreferences();
  const name = useSite()?.display_name ?? '';
  return (
    <footer className="mt-8 border-t border-line">
      <div className="mx-auto flex max-w-[1800px] flex-wrap items-center gap-x-6 gap-y-3 px-4 py-6 text-sm text-muted
        sm:px-6">
        <p className="grow basis-64">{t('legal', { site: name })}</p>
        <Link to="/models/signup" className="inline-flex min-h-11 items-center text-link hover:underline">
          {t('becomePerformer')}
        </Link>
        <div className="flex items-center gap-2">
          <div className="w-36">
            <Select label={t('language')} labelHidden value={locale}
              onChange={({ target }) => setLocale(target.value as Locale)}
              options={LOCALES.map((code) => ({ value: code, text: LOCALE_NAMES[code] }))} />
          </div>
          <ThemeSwitch />
        </div>
      </div>
    </footer>
  );
}
