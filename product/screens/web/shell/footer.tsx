import { Link } from 'react-router';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { useSite } from '../document/site.ts';
import { LanguageMenu } from './header/language-menu.tsx';
import { ThemeSwitch } from './header/theme-switch.tsx';

/** Language, look, the way for performers, and the legal line. */
export function Footer() {
  const { t } = useTranslation('screens');
  const name = useSite()?.display_name ?? '';
  return (
    <footer className="mt-8 border-t border-line">
      <div className="mx-auto flex max-w-[1800px] flex-wrap items-center gap-x-6 gap-y-3 px-4 py-6 text-sm
        text-muted sm:px-6">
        <p className="grow basis-64">{t('legal', { site: name })}</p>
        <Link to="/models/signup" className="inline-flex min-h-11 items-center text-link hover:underline">
          {t('becomePerformer')}
        </Link>
        <div className="flex items-center gap-2">
          <LanguageMenu named upwards />
          <ThemeSwitch />
        </div>
      </div>
    </footer>
  );
}
