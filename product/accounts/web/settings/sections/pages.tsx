import { Checkbox, Select } from '#platform/ui/controls/fields.tsx';
import type { Theme } from '#platform/ui/surfaces/theme.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { LOCALE_NAMES, LOCALES, type Locale } from '#product/site/rules.ts';
import { useState } from 'react';
import { HOME_LAYOUTS, wordOf } from '../../../rules/settings.ts';
import { themeOf, usePreferences } from '../../preferences.ts';
import { choiceIn, SettingsForm, type SectionProps } from './settings-form.tsx';

/**
 * Language and theme: a choice shows and saves at once. The theme shown here is the saved one, even on a site
 * with a single look.
 */
export function LookSection({ me: { settings } }: SectionProps) {
  const { t } = useTranslation('accounts');
  const { setTheme, locale, setLocale } = usePreferences();
  const [chosen, setChosen] = useState<Theme | null>(null);
  const choose = (next: Theme) => {
    setChosen(next);
    void setTheme(next).finally(() => setChosen(null));
  };
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Select
        label={t('settings.language')}
        value={locale}
        onChange={({ target }) => setLocale(target.value as Locale)}
        options={LOCALES.map((code) => ({ value: code, text: LOCALE_NAMES[code] }))}
      />
      <Select
        label={t('settings.theme')}
        value={chosen ?? themeOf(settings)}
        onChange={({ target }) => choose(target.value === 'light' ? 'light' : 'dark')}
        options={[
          { value: 'dark', text: t('settings.dark') },
          { value: 'light', text: t('settings.light') },
        ]}
      />
    </div>
  );
}

/** Settings for browsing performers. */
export function BrowsingSection({ me: { settings } }: SectionProps) {
  const { t } = useTranslation('accounts');
  const { home_layout: layout, swipe_to_browse_enabled: swipes } = settings;
  const floats = settings.video_player_floating_enabled === 'YES';
  return (
    <SettingsForm
      shown={{
        home_layout: layout,
        swipe_to_browse_enabled: swipes,
        video_player_floating_enabled: floats,
      }}
      read={(fields) => ({
        ...choiceIn(fields, 'home_layout', HOME_LAYOUTS),
        swipe_to_browse_enabled: fields.has('swipe_to_browse_enabled'),
        video_player_floating_enabled: wordOf(fields.has('video_player_floating_enabled')),
      })}
    >
      {({ field }) => (
        <>
          <Select
            {...field('home_layout')}
            label={t('settings.browsing.layout')}
            defaultValue={layout}
            options={HOME_LAYOUTS.map((value) => (
              { value, text: t(`settings.browsing.layouts.${value}`) }
            ))}
          />
          <Checkbox
            {...field('swipe_to_browse_enabled')}
            label={t('settings.browsing.swipe')}
            defaultChecked={swipes}
          />
          <Checkbox
            {...field('video_player_floating_enabled')}
            label={t('settings.browsing.floating')}
            defaultChecked={floats}
          />
        </>
      )}
    </SettingsForm>
  );
}
