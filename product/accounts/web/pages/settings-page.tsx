import type { ReactNode } from 'react';
import { textOf, useForm } from '../../../../platform/ui/forms/form.ts';
import { read, routeData } from '../../../../platform/ui/calls/route.ts';
import { Button } from '../../../../platform/ui/controls/button.tsx';
import { PasswordField, Select, TextArea, TextField } from '../../../../platform/ui/controls/fields.tsx';
import { Card } from '../../../../platform/ui/surfaces/card.tsx';
import { Heading, Title } from '../../../../platform/ui/surfaces/page.tsx';
import { FormError } from '../../../../platform/ui/surfaces/states.tsx';
import { useToast } from '../../../../platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { LOCALE_NAMES, LOCALES, type Locale } from '../../../site/rules.ts';
import { changePassword, getTwoFactor, listDevices, updateProfile } from '../../client.ts';
import { useMe, useReloadMe, type Me } from '../me.ts';
import { usePreferences } from '../preferences.ts';
import { Devices } from '../settings/devices.tsx';
import { TwoFactor } from '../settings/two-factor.tsx';

const wanted = {
  texts: ['accounts'], always: true, member: true,
  reads: () => [read(listDevices, {}), read(getTwoFactor, {})],
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

export default function SettingsPage() {
  const { t } = useTranslation('accounts');
  const me = useMe();
  if (!me) return null;
  return (
    <div className="mx-auto flex w-full max-w-2xl flex-col gap-6 px-4 py-8">
      <Title>{t('settings.title')}</Title>
      <div>
        <Heading>{t('settings.title')}</Heading>
        <p className="mt-1 text-muted">@{me.user.username} · {me.user.email}</p>
      </div>
      <Section title={t('settings.profile')}><ProfileForm me={me} /></Section>
      <Section title={t('settings.look')}><LookFields /></Section>
      <Section title={t('settings.password')}><PasswordForm /></Section>
      <Section title={t('twoFactor.title')}><TwoFactor /></Section>
      <Section title={t('settings.sessions')}><Devices /></Section>
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card className="p-4 sm:p-6">
      <h2 className="mb-4 text-lg font-bold">{title}</h2>
      {children}
    </Card>
  );
}

function ProfileForm({ me }: { me: Me }) {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const reloadMe = useReloadMe();
  const form = useForm(updateProfile, {
    shape: async () => (await import('../../contract.ts')).updateProfile,
    read: (fields) => ({
      display_name: textOf(fields, 'display_name').trim(), about: textOf(fields, 'about'),
    }),
    onDone: async () => {
      await reloadMe();
      toast(t('settings.saved'), 'success');
    },
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <TextField {...form.field('display_name')} label={t('settings.displayName')} required maxLength={40}
        autoComplete="nickname" defaultValue={me.user.display_name} />
      <TextArea {...form.field('about')} label={t('settings.about')} hint={t('settings.aboutHint')}
        maxLength={2000} defaultValue={me.user.about ?? ''} />
      <FormError problem={form.problem} />
      <div><Button type="submit" tone="primary" busy={form.busy}>{t('settings.save')}</Button></div>
    </form>
  );
}

function LookFields() {
  const { t } = useTranslation('accounts');
  const { theme, setTheme, locale, setLocale } = usePreferences();
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Select label={t('settings.language')} value={locale}
        onChange={({ target }) => setLocale(target.value as Locale)}
        options={LOCALES.map((code) => ({ value: code, text: LOCALE_NAMES[code] }))} />
      <Select label={t('settings.theme')} value={theme}
        onChange={({ target }) => setTheme(target.value === 'light' ? 'light' : 'dark')}
        options={[
          { value: 'dark', text: t('settings.dark') }, { value: 'light', text: t('settings.light') },
        ]} />
    </div>
  );
}

const PASSWORD_FIELD_OF = {
  bad_credentials: 'current', password_too_short: 'next', password_too_common: 'next',
} as const;

function PasswordForm() {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const form = useForm(changePassword, {
    shape: async () => (await import('../../contract.ts')).changePassword,
    read: (fields) => ({ current: textOf(fields, 'current'), next: textOf(fields, 'next') }),
    fieldOf: PASSWORD_FIELD_OF,
    onDone: () => {
      form.props.ref.current?.reset();
      toast(t('settings.passwordChanged'), 'success');
    },
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <PasswordField {...form.field('current')} label={t('settings.currentPassword')} required
        autoComplete="current-password" />
      <PasswordField {...form.field('next')} label={t('settings.newPassword')}
        hint={t('settings.newPasswordHint')} required autoComplete="new-password" />
      <FormError problem={form.problem} />
      <div><Button type="submit" busy={form.busy}>{t('settings.changePassword')}</Button></div>
    </form>
  );
}
