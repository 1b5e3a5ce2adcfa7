import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { PasswordField } from '#platform/ui/controls/fields.tsx';
import { textOf, type Form } from '#platform/ui/forms/form.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useEffect, useRef, useState } from 'react';
import type { Confirmation } from '../../../rules/passkeys.ts';
import { CodeField } from '../../sign-in/fields/code-field.tsx';
import { OwnUsername } from '../../sign-in/fields/own-username.tsx';

/** The values of {@link ProofFields}, as calls take them. */
export const proofIn = (fields: FormData): { readonly password?: string; readonly code?: string } => ({
  ...(fields.has('password') ? { password: textOf(fields, 'password') } : {}),
  ...(fields.has('code') ? { code: textOf(fields, 'code') } : {}),
});

/** Fields for its refusals. */
export const PROOF_FIELD_OF = { bad_credentials: 'password', code_wrong: 'code' } as const;

/** The password where the log-in is not recent, and a code where the server asks for one. */
export function ProofFields({ form, confirmation }: { form: Form; confirmation: Confirmation }) {
  const { t } = useTranslation('accounts');
  const [withPassword, setWithPassword] = useState(confirmation === 'password');
  const [withCode, setWithCode] = useState(false);
  const code = useRef<HTMLDivElement>(null);
  const asked = form.problem?.errorType;
  // The log-in has become too old since the page read what is needed.
  if (asked === 'confirmation_needed' && !withPassword) setWithPassword(true);
  if (asked === 'code_required' && !withCode) setWithCode(true);
  useEffect(() => {
    if (withCode) code.current?.querySelector('input')?.focus();
  }, [withCode]);
  return (
    <>
      {withPassword ? <OwnUsername /> : null}
      {withPassword
        ? (
          <PasswordField
            {...form.field('password')}
            label={t('proof.password')}
            required
            autoComplete="current-password"
          />
        )
        : null}
      {withCode
        ? (
          <div ref={code}>
            <CodeField {...form.field('code')} label={t('login.code')} hint={t('login.codeHint')} />
          </div>
        )
        : null}
    </>
  );
}

/** For people without a password: they log in again, and come back here. */
export function LogInAgain() {
  const { t } = useTranslation('accounts');
  return (
    <div className="flex flex-col gap-4">
      <p>{t('proof.againText')}</p>
      <div>
        <ButtonLink to={`/login?next=${encodeURIComponent('/account/settings')}`} tone="primary">
          {t('proof.again')}
        </ButtonLink>
      </div>
    </div>
  );
}
