import { Select } from '#platform/ui/controls/fields.tsx';
import { textOf } from '#platform/ui/forms/form.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Link } from 'react-router';
import { SHOW_CHANNELS } from '../../../rules/settings.ts';
import { useSmsOffered } from '../phone-part.tsx';
import { choiceIn, SettingsForm, type SectionProps } from './settings-form.tsx';

const LEVELS = ['0', '1', '2'] as const;

/** Who sees this person in the list of a room. */
export function PrivacySection({ me: { settings } }: SectionProps) {
  const { t } = useTranslation('accounts');
  const level = LEVELS[settings.invisible_mode_level] ?? '0';
  return (
    <>
      <SettingsForm
        shown={{ invisible_mode_level: level }}
        refused="invisible_mode_level"
        read={(fields) => ({ invisible_mode_level: Number(textOf(fields, 'invisible_mode_level')) })}
      >
        {({ field }) => (
          <Select
            {...field('invisible_mode_level')}
            label={t('settings.privacy.invisible')}
            hint={t('settings.privacy.invisibleHint')}
            defaultValue={level}
            options={LEVELS.map((value) => ({ value, text: t(`settings.privacy.levels.${value}`) }))}
          />
        )}
      </SettingsForm>
      <p className="mt-4 flex flex-wrap gap-x-6">
        <Link to="/cookies" className="inline-flex min-h-11 items-center text-link hover:underline">
          {t('settings.privacy.cookies')}
        </Link>
        <Link to="/account/ignored" className="inline-flex min-h-11 items-center text-link hover:underline">
          {t('settings.privacy.ignored')}
        </Link>
      </p>
    </>
  );
}

/**
 * The channels to choose from. Text messages are among them where the site sends them, or where the person
 * chose them while it did.
 */
const channelsShown = (isSmsOffered: boolean, choice: string) =>
  SHOW_CHANNELS.filter((channel) => channel !== 'sms' || isSmsOffered || choice === 'sms');

/** How this person is notified of featured shows. */
export function ShowNoticesSection({ me: { settings } }: SectionProps) {
  const { t } = useTranslation('accounts');
  const isSmsOffered = useSmsOffered();
  const choice = settings.featured_show_notification;
  return (
    <>
      <SettingsForm
        shown={{ featured_show_notification: settings.featured_show_notification }}
        read={(fields) => choiceIn(fields, 'featured_show_notification', SHOW_CHANNELS)}
      >
        {({ field }) => (
          <Select
            {...field('featured_show_notification')}
            label={t('settings.notices.featured')}
            defaultValue={settings.featured_show_notification}
            options={channelsShown(isSmsOffered, choice).map((value) => ({
              value,
              text: t(`settings.notices.channels.${value}`),
            }))}
          />
        )}
      </SettingsForm>
      <Link
        to="/notifications/settings"
        className="mt-4 inline-flex min-h-11 items-center text-link hover:underline"
      >
        {t('settings.notices.more')}
      </Link>
    </>
  );
}
