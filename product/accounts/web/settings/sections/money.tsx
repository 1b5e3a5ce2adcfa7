import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { keepDigits, TextField } from '#platform/ui/controls/fields.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { MAX_DAILY_LIMIT_TOKENS } from '../../../rules/settings.ts';
import { numberIn, SettingsForm, type SectionProps } from './settings-form.tsx';

/** A daily spending limit, and a link to turn automatic purchases on and off. */
export function SpendingSection({ me: { settings } }: SectionProps) {
  const { t } = useTranslation('accounts');
  const limit = settings.daily_limit === null ? '' : String(settings.daily_limit);
  return (
    <>
      <SettingsForm
        shown={{ daily_limit: limit }}
        read={(fields) => ({ daily_limit: numberIn(fields, 'daily_limit') })}
      >
        {({ field }) => (
          <TextField
            {...field('daily_limit')}
            label={t('settings.spending.limit')}
            hint={t('settings.spending.limitHint')}
            inputMode="numeric"
            autoComplete="off"
            onInput={keepDigits}
            maxLength={String(MAX_DAILY_LIMIT_TOKENS).length}
            defaultValue={limit}
          />
        )}
      </SettingsForm>
      <p className="mt-6 mb-2 text-sm">
        {t(settings.auto_re_ups.enabled ? 'settings.spending.reUpsOn' : 'settings.spending.reUpsOff')}
      </p>
      <ButtonLink to="/account/tokens">{t('settings.spending.reUps')}</ButtonLink>
    </>
  );
}
