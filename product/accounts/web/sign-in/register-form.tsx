import { Button } from '#platform/ui/controls/button.tsx';
import { PasswordField, Select, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { register } from '../../client.ts';
import { GENDERS, type GenderCode } from '../../rules.ts';
import { ProvidersAfterForm } from '../providers/provider-buttons.tsx';
import { BirthDateField } from './birth-date-field.tsx';
import { TermsField } from './fields/terms-field.tsx';
import { Switch } from './switch.tsx';

interface RegisterFormProps {
  /** Viewers sign up as `user`, performers as `model`. */
  readonly type: 'user' | 'model';
  readonly onDone: () => void | Promise<void>;
  readonly onLogin: string | (() => void);
  /** Path to continue at after another provider; null for the home page. */
  readonly next?: string | null;
  /** Shows the link to log in above the form. */
  readonly otherFirst?: boolean;
}

/** The field that shows each refusal. */
const FIELD_OF = {
  username_taken: 'username',
  username_invalid: 'username',
  password_too_short: 'password',
  password_too_common: 'password',
  underage: 'birth_date',
  birth_date_invalid: 'birth_date',
  email_disposable: 'email',
  mailbox_full: 'email',
} as const;

export function RegisterForm({ type, onDone, onLogin, next = null, otherFirst = false }: RegisterFormProps) {
  const { t } = useTranslation('accounts');
  const form = useForm(register, {
    shape: async () => (await import('../../contract.ts')).register,
    read: (fields) => ({
      username: textOf(fields, 'username').trim(),
      email: textOf(fields, 'email').trim(),
      password: textOf(fields, 'password'),
      birth_date: textOf(fields, 'birth_date'),
      type,
      gender: (textOf(fields, 'gender') || undefined) as GenderCode | undefined,
      // The checkbox is required, and the call accepts only `true`.
      accept_terms: true as const,
    }),
    fieldOf: FIELD_OF,
    onDone,
  });
  const other = (
    <Switch question={t('register.haveAccount')} text={t('register.login')} to={onLogin} boxed={otherFirst} />
  );
  return (
    <div className="flex flex-col gap-4">
      {otherFirst ? other : null}
      <form {...form.props} method="post" className="flex flex-col gap-4">
        <TextField
          {...form.field('username')}
          label={t('register.username')}
          hint={t('register.usernameHint')}
          required
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={25}
        />
        <TextField
          {...form.field('email')}
          type="email"
          label={t('register.email')}
          hint={t('register.emailHint')}
          required
          autoComplete="email"
        />
        <PasswordField
          {...form.field('password')}
          label={t('register.password')}
          hint={t('register.passwordHint')}
          required
          autoComplete="new-password"
        />
        {type === 'model'
          ? (
            <Select
              {...form.field('gender')}
              label={t('register.section')}
              required
              placeholder={t('register.choose')}
              defaultValue=""
              options={GENDERS.map((code) => ({ value: code, text: t(`gender.${code}`) }))}
            />
          )
          : null}
        <BirthDateField {...form.field('birth_date')} />
        <TermsField {...form.field('accept_terms')} />
        <FormError problem={form.problem} />
        {/* Stays visible in a dialog, however low the window is. */}
        <div className={otherFirst ? 'sticky bottom-0 -my-3 bg-surface py-3' : 'contents'}>
          <Button type="submit" tone="primary" wide busy={form.busy}>{t('register.submit')}</Button>
        </div>
      </form>
      {type === 'user' ? <ProvidersAfterForm next={next} /> : null}
      {otherFirst ? null : other}
    </div>
  );
}
