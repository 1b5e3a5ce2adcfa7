import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, TextArea, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { updateProfile } from '../../../client.ts';
import type { SettingsInput } from '../../../contract/settings.ts';
import { AMAZON_ADDRESS, BLUESKY_NAME, INSTAGRAM_NAME } from '../../../rules/current-user.ts';
import { useReloadMe } from '../../me.ts';
import { AvatarField } from '../avatar-field.tsx';
import { PhonePart } from '../phone-part.tsx';
import { SettingsForm, type SectionProps } from './settings-form.tsx';

const PROFILE_FIELD_OF = { about_blocked: 'about', display_name_refused: 'display_name' } as const;

/** Pages that a performer's profile links to, and the format of each. */
const PAGES = { instagram: INSTAGRAM_NAME, bluesky: BLUESKY_NAME, amazon: AMAZON_ADDRESS } as const;
const PAGE_NAMES = ['instagram', 'bluesky', 'amazon'] as const;

const pagesIn = (fields: FormData): Record<(typeof PAGE_NAMES)[number], string> => ({
  instagram: textOf(fields, 'instagram').trim(),
  bluesky: textOf(fields, 'bluesky').trim(),
  amazon: textOf(fields, 'amazon').trim(),
});

/** What others can read about this person. */
export function ProfileSection({ me }: SectionProps) {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const reloadMe = useReloadMe();
  const isPerformer = me.user.type === 'model';
  const form = useForm(updateProfile, {
    shape: async () => (await import('../../../contract.ts')).updateProfile,
    read: (fields) => ({
      display_name: textOf(fields, 'display_name').trim(),
      about: textOf(fields, 'about'),
      ...(isPerformer ? { social_media: pagesIn(fields) } : {}),
    }),
    check: ({ social_media: pages = {} }) =>
      Object.fromEntries(
        PAGE_NAMES
          .filter((name) => !PAGES[name].test(pages[name] ?? ''))
          .map((name) => [name, t(`settings.social.wrong.${name}`)]),
      ),
    fieldOf: PROFILE_FIELD_OF,
    onDone: async () => {
      await reloadMe();
      toast(t('settings.saved'), 'success');
    },
  });
  return (
    <>
      <AvatarField user={me.user} />
      <form {...form.props} className="flex flex-col gap-4">
        <TextField
          {...form.field('display_name')}
          label={t('settings.displayName')}
          required
          maxLength={40}
          autoComplete="nickname"
          defaultValue={me.user.display_name}
        />
        <TextArea
          {...form.field('about')}
          label={t('settings.about')}
          hint={t('settings.aboutHint')}
          maxLength={2000}
          defaultValue={me.user.about ?? ''}
        />
        {isPerformer
          ? PAGE_NAMES.map((name) => (
            <TextField
              key={name}
              {...form.field(name)}
              label={t(`settings.social.${name}`)}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={254}
              defaultValue={me.socialMedia[name] ?? ''}
            />
          ))
          : null}
        <FormError problem={form.problem} />
        <div>
          <Button type="submit" tone="primary" busy={form.busy}>{t('settings.save')}</Button>
        </div>
      </form>
    </>
  );
}

/** A typed phone number without what stands between its digits, and with a plus for a leading double zero. */
const phoneTyped = (typed: string): string => typed.replaceAll(/[\s()./-]/gu, '').replace(/^00/u, '+');

/** How to reach this person; for performers, also their Twitter name. */
export function ContactSection({ me: { settings, user } }: SectionProps) {
  const { t } = useTranslation('accounts');
  const { phone, twitter } = settings;
  const isPerformer = user.type === 'model';
  const read = (fields: FormData): SettingsInput => ({
    phone: phoneTyped(textOf(fields, 'phone')),
    ...(isPerformer
      ? {
        twitter: { username: textOf(fields, 'twitter').trim(), is_enabled: fields.has('twitter_shown') },
      }
      : {}),
  });
  return (
    <>
      <SettingsForm
        read={read}
        words={{ phone: t('settings.contact.phoneWrong'), twitter: t('settings.contact.twitterWrong') }}
        shown={{ phone, twitter: twitter.username, twitter_shown: twitter.is_enabled }}
      >
        {({ field }) => (
          <>
            <TextField
              {...field('phone')}
              type="tel"
              inputMode="tel"
              autoComplete="tel"
              label={t('settings.contact.phone')}
              hint={t('settings.contact.phoneHint')}
              maxLength={24}
              defaultValue={phone}
            />
            {isPerformer
              ? (
                <>
                  <TextField
                    {...field('twitter')}
                    label={t('settings.contact.twitter')}
                    autoComplete="off"
                    autoCapitalize="none"
                    spellCheck={false}
                    maxLength={40}
                    defaultValue={twitter.username}
                  />
                  <Checkbox
                    {...field('twitter_shown')}
                    label={t('settings.contact.twitterShown')}
                    defaultChecked={twitter.is_enabled}
                  />
                </>
              )
              : null}
          </>
        )}
      </SettingsForm>
      <PhonePart />
    </>
  );
}
