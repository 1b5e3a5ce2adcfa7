import { IconButton } from '#platform/ui/controls/button.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { usePreferences } from '#product/accounts/web/preferences.ts';
import { Moon, Sun } from 'lucide-react';
import { useSite } from '../../document/site.ts';

/** Dark or light; nothing on a site that is always dark. */
export function ThemeSwitch() {
  const { t } = useTranslation('screens');
  const { theme, setTheme } = usePreferences();
  if (useSite()?.custom.force_dark_mode) return null;
  const next = theme === 'dark' ? 'light' : 'dark';
  return (
    <IconButton label={t(`theme.${next}`)} onClick={() => void setTheme(next)}>
      {next === 'light' ? <Sun size={20} aria-hidden /> : <Moon size={20} aria-hidden />}
    </IconButton>
  );
}
