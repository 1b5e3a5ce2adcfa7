import { Button } from '#platform/ui/controls/button.tsx';
import { PasswordField, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { Link } from 'react-router';
import { login } from '../../client.ts';
import { PasskeyLogin } from '../passkey-login.tsx';
import { OrLine, ProviderButtons } from '../providers/provider-buttons.tsx';
import { codeSourceOf, SecondStep, type CodeSource } from './fields/second-step.tsx';
import { useSuspendedPage } from './suspended.ts';
import { Switch, SwitchTo } from './switch.tsx';

interface LoginFormProps {
  readonly onDone: () => void | Promise<void>;
  /** Path of the other form, or a function that shows it; left out where there is none. */
  readonly onRegister?: string | (() => void);
  /** The same for the form of a forgotten password. */
  readonly onForgot: string | (() => void);
  /** Path to continue at after another provider; null for the home page. */
  readonly next: string | null;
  /** Hides other providers: for people who come from one and log in here. */
  readonly onlyOwn?: boolean;
  /** Shows the link to sign up above the form. */
  readonly otherFirst?: boolean;
  /** Called when it navigates to another page, so that a dialog around it closes. */
  readonly onLeave?: () => void;
}

const CODE_FIELD = { code_wrong: 'code', email_code_wrong: 'code' } as const;

/** Name and password with a second step, a passkey, or an account at another provider. */
export function LoginForm(
  { onDone, onRegister, onForgot, next, onlyOwn = false, otherFirst = false, onLeave }: LoginFormProps,
) {
  const { t } = useTranslation('accounts');
  const form = useForm(login, {
    shape: async () => (await import('../../contract.ts')).login,
    read: (fields) => ({
      login: textOf(fields, 'login').trim(),
      password: textOf(fields, 'password'),
      ...(textOf(fields, 'code') === '' ? {} : { code: textOf(fields, 'code') }),
    }),
    fieldOf: CODE_FIELD,
    onRefused: useSuspendedPage(onLeave),
    onDone,
  });
  const [asked, setAsked] = useState<CodeSource | null>(null);
  const asking = codeSourceOf(form.problem?.errorType);
  if (asking !== null && asking !== asked) setAsked(asking);
  const other = onRegister === undefined
    ? null
    : (
      <Switch
        question={t('login.noAccount')}
        text={t('login.register')}
        to={onRegister}
        boxed={otherFirst}
      />
    );
  return (
    <div className="flex flex-col gap-4">
      {otherFirst ? other : null}
      <form {...form.props} method="post" className="flex flex-col gap-4">
        <TextField
          {...form.field('login')}
          label={t('login.name')}
          autoComplete="username webauthn"
          autoCapitalize="none"
          spellCheck={false}
          required
        />
        <PasswordField
          {...form.field('password')}
          label={t('login.password')}
          autoComplete="current-password"
          required
        />
        {asked === null
          ? null
          : <SecondStep source={asked} field={form.field('code')} busy={form.busy} />}
        <FormError problem={form.problem} />
        <Button type="submit" tone="primary" wide busy={form.busy}>{t('login.submit')}</Button>
        <p className="text-center text-sm">
          <SwitchTo text={t('login.forgot')} to={onForgot} />
        </p>
      </form>
      <OrLine />
      <PasskeyLogin onDone={onDone} onLeave={onLeave} />
      {onlyOwn ? null : <ProviderButtons next={next} />}
      {otherFirst ? null : other}
      {onRegister === undefined || onlyOwn ? null : (
        <p className="text-center text-sm">
          <Link
            to={next === null ? '/pg-login' : `/pg-login?next=${encodeURIComponent(next)}`}
            onClick={onLeave}
            className="inline-flex min-h-11 items-center px-1 text-link hover:underline"
          >
            {t('login.partner')}
          </Link>
        </p>
      )}
    </div>
  );
}
