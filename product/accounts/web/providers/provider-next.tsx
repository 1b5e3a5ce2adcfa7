import type { OutputOf } from '#platform/contract/call.ts';
import { useAction } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { enterByProvider, linkProvider, signUpByProvider, type finishProvider } from '../../client.ts';
import { showProviders } from '../settings/live.ts';
import { BirthDateField } from '../sign-in/birth-date-field.tsx';
import { CodeField } from '../sign-in/fields/code-field.tsx';
import { TermsField } from '../sign-in/fields/terms-field.tsx';
import { LoginForm } from '../sign-in/login-form.tsx';
import { useSuspendedPage } from '../sign-in/suspended.ts';
import { SwitchTo } from '../sign-in/switch.tsx';

type Named = OutputOf<typeof finishProvider>;
/** How it ended; new members get a welcome. */
export type NextOutcome = 'logged_in' | 'linked' | 'signed_up';
interface NextProps {
  readonly named: Named;
  readonly onDone: (outcome: NextOutcome) => Promise<void>;
}

/** The step that is left after a provider named somebody: a code, a log-in, or the rest of a sign-up. */
export function ProviderNext({ named, onDone }: NextProps) {
  const { t } = useTranslation('accounts');
  const [isMember, setIsMember] = useState(named.outcome === 'known_email');
  const provider = t(`providers.${named.provider}`);
  if (named.outcome === 'code') {
    return (
      <Narrow title={t('connect.codeTitle')}>
        <CodeForm named={named} onDone={onDone} />
      </Narrow>
    );
  }
  if (isMember) {
    const isKnown = named.outcome === 'known_email';
    const lead = isKnown
      ? t('connect.known', { email: named.email ?? '', provider })
      : t('connect.link', { provider });
    return (
      <Narrow title={t('connect.knownTitle', { provider })} lead={lead}>
        <LinkByLogin onDone={onDone} {...(isKnown ? {} : { onNew: () => setIsMember(false) })} />
      </Narrow>
    );
  }
  return (
    <Narrow title={t('connect.signUpTitle')} lead={t('connect.signUp', { provider })}>
      <SignUpForm named={named} onDone={onDone} />
      <p className="mt-4 text-center text-sm">
        <SwitchTo text={t('connect.have')} to={() => setIsMember(true)} />
      </p>
    </Narrow>
  );
}

function CodeForm({ onDone }: NextProps) {
  const { t } = useTranslation('accounts');
  const form = useForm(enterByProvider, {
    shape: async () => (await import('../../contract/providers.ts')).enterByProvider,
    read: (fields) => ({ code: textOf(fields, 'code') }),
    fieldOf: { code_wrong: 'code' },
    onRefused: useSuspendedPage(),
    onDone: () => onDone('logged_in'),
  });
  return (
    <form {...form.props} method="post" className="flex flex-col gap-4">
      <CodeField {...form.field('code')} label={t('login.code')} hint={t('login.codeHint')} />
      <FormError problem={form.problem} />
      <Button type="submit" tone="primary" wide busy={form.busy}>{t('login.submit')}</Button>
    </form>
  );
}

/** Logs in as usual, then connects the provider. */
function LinkByLogin({ onDone, onNew }: Pick<NextProps, 'onDone'> & { readonly onNew?: () => void }) {
  const { t } = useTranslation('accounts');
  const link = useAction(linkProvider, showProviders);
  const [isIn, setIsIn] = useState(false);
  const connect = async () => {
    setIsIn(true);
    if (await link.run({})) await onDone('linked');
  };
  if (isIn) {
    return (
      <div className="flex flex-col gap-4" aria-busy={link.busy || undefined}>
        <FormError problem={link.problem} />
        {link.problem
          ? (
            <div>
              <Button onClick={() => void onDone('logged_in')}>{t('confirm.home')}</Button>
            </div>
          )
          : <p role="status">{t('connect.working')}</p>}
      </div>
    );
  }
  return (
    <LoginForm
      onlyOwn
      onDone={connect}
      onForgot="/forgot-password"
      next={null}
      {...(onNew ? { onRegister: onNew } : {})}
    />
  );
}

const FIELD_OF = {
  username_taken: 'username',
  username_invalid: 'username',
  underage: 'birth_date',
  birth_date_invalid: 'birth_date',
  email_needed: 'email',
} as const;

/** Asks for what the provider did not send. */
function SignUpForm({ named, onDone }: NextProps) {
  const { t } = useTranslation('accounts');
  const form = useForm(signUpByProvider, {
    shape: async () => (await import('../../contract/providers.ts')).signUpByProvider,
    read: (fields) => ({
      username: textOf(fields, 'username').trim(),
      birth_date: textOf(fields, 'birth_date'),
      ...(named.email_verified ? {} : { email: textOf(fields, 'email').trim() }),
      // The checkbox is required, and the call accepts only `true`.
      accept_terms: true as const,
    }),
    // An address that the provider vouches for has no field.
    fieldOf: named.email_verified
      ? FIELD_OF
      : { ...FIELD_OF, email_disposable: 'email', mailbox_full: 'email' },
    onDone: () => onDone('signed_up'),
  });
  return (
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
      {named.email_verified
        ? <p className="text-sm text-muted">{t('register.email')}: {named.email}</p>
        : (
          <TextField
            {...form.field('email')}
            type="email"
            label={t('register.email')}
            required
            hint={t('register.emailHint')}
            autoComplete="email"
            defaultValue={named.email ?? ''}
          />
        )}
      <BirthDateField {...form.field('birth_date')} />
      <TermsField {...form.field('accept_terms')} />
      <FormError problem={form.problem} />
      <Button type="submit" tone="primary" wide busy={form.busy}>{t('register.submit')}</Button>
    </form>
  );
}
