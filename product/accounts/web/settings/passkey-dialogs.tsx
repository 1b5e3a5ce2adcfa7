import type { Problem } from '#platform/contract/client.ts';
import { useAction } from '#platform/ui/calls/calls.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { PasswordField, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useFields, useForm } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { addPasskey, beginPasskey, removePasskey, renamePasskey } from '../../client.ts';
import type { PasskeyView } from '../../contract/passkeys.ts';
import { MAX_PASSKEY_NAME_LENGTH, type Confirmation } from '../../rules/passkeys.ts';
import { makePasskey, type Hindrance } from '../passkey-ceremonies.ts';
import { CodeField } from '../sign-in/fields/code-field.tsx';
import { OwnUsername } from '../sign-in/fields/own-username.tsx';
import { showPasskeys } from './live.ts';

interface DialogProps {
  readonly onClose: () => void;
}
const LOGIN_AGAIN = `/login?next=${encodeURIComponent('/account/settings')}`;

/**
 * Asks for a name, and for the password where the log-in is not recent; then the browser makes the passkey.
 */
export function AddPasskey({ confirmation, onClose }: DialogProps & { readonly confirmation: Confirmation }) {
  const { t } = useTranslation('accounts');
  return (
    <Dialog title={t('passkeys.add')} onClose={onClose}>
      {confirmation === 'log_in'
        ? (
          <div className="flex flex-col gap-4">
            <p>{t('passkeys.againText')}</p>
            <div>
              <ButtonLink to={LOGIN_AGAIN} tone="primary">{t('passkeys.again')}</ButtonLink>
            </div>
          </div>
        )
        : <AddForm confirmation={confirmation} onClose={onClose} />}
    </Dialog>
  );
}

function AddForm({ confirmation, onClose }: DialogProps & { readonly confirmation: Confirmation }) {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const begin = useAction(beginPasskey);
  const add = useAction(addPasskey, showPasskeys);
  const [withPassword, setWithPassword] = useState(confirmation === 'password');
  const [asksCode, setAsksCode] = useState(false);
  const [hindrance, setHindrance] = useState<Hindrance | null>(null);
  if (begin.problem?.errorType === 'code_required' && !asksCode) setAsksCode(true);
  // The log-in has become too old since the list was read.
  if (begin.problem?.errorType === 'confirmation_needed' && !withPassword) setWithPassword(true);
  const form = useFields({
    read: (fields) => ({
      name: textOf(fields, 'name').trim(),
      ...(withPassword ? { password: textOf(fields, 'password') } : {}),
      ...(asksCode ? { code: textOf(fields, 'code') } : {}),
    }),
    onSubmit: async ({ name, ...proof }): Promise<void> => {
      setHindrance(null);
      const begun = await begin.run(proof);
      if (!begun) return;
      const credential = await makePasskey(begun.options);
      if (typeof credential === 'string') return setHindrance(credential);
      if (!(await add.run({ ticket: begun.ticket, name, credential }))) return;
      toast(t('passkeys.added'), 'success');
      onClose();
    },
  });
  const wrong = (code: string): Problem | null => (begin.problem?.errorType === code ? begin.problem : null);
  const [password, code] = [wrong('bad_credentials'), wrong('code_wrong')];
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <TextField
        {...form.field('name')}
        label={t('passkeys.name')}
        hint={t('passkeys.nameHint')}
        required
        maxLength={MAX_PASSKEY_NAME_LENGTH}
        defaultValue={t('passkeys.usual')}
      />
      {withPassword ? <OwnUsername /> : null}
      {withPassword
        ? (
          <PasswordField
            {...form.field('password')}
            label={t('passkeys.password')}
            required
            autoComplete="current-password"
            {...(password ? { error: password.message } : {})}
          />
        )
        : null}
      {asksCode
        ? (
          <CodeField
            {...form.field('code')}
            label={t('login.code')}
            hint={t('login.codeHint')}
            {...(code ? { error: code.message } : {})}
          />
        )
        : null}
      {hindrance ? <p role="status" className="text-sm">{t(`passkeys.${hindrance}`)}</p> : null}
      <FormError problem={password || code ? null : begin.problem ?? add.problem} />
      <div>
        <Button type="submit" tone="primary" busy={form.busy}>{t('passkeys.next')}</Button>
      </div>
    </form>
  );
}

export function RenamePasskey({ passkey, onClose }: DialogProps & { readonly passkey: PasskeyView }) {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const form = useForm(renamePasskey, {
    shape: async () => (await import('../../contract/passkeys.ts')).renamePasskey,
    read: (fields) => ({ id: passkey.id, name: textOf(fields, 'name').trim() }),
    applied: showPasskeys,
    onDone: () => {
      toast(t('passkeys.renamed'), 'success');
      onClose();
    },
  });
  return (
    <Dialog title={t('passkeys.renameNamed', { name: passkey.name })} onClose={onClose}>
      <form {...form.props} className="flex flex-col gap-4">
        <TextField
          {...form.field('name')}
          label={t('passkeys.name')}
          required
          maxLength={MAX_PASSKEY_NAME_LENGTH}
          defaultValue={passkey.name}
        />
        <FormError problem={form.problem} />
        <div>
          <Button type="submit" tone="primary" busy={form.busy}>{t('passkeys.save')}</Button>
        </div>
      </form>
    </Dialog>
  );
}

export function RemovePasskey({ passkey, onClose }: DialogProps & { readonly passkey: PasskeyView }) {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const remove = useAction(removePasskey, showPasskeys);
  const confirm = async () => {
    if (!(await remove.run({ id: passkey.id }))) return;
    toast(t('passkeys.removed'), 'success');
    onClose();
  };
  return (
    <Dialog
      title={t('passkeys.removeNamed', { name: passkey.name })}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('passkeys.cancel')}</Button>
          <Button
            tone="danger"
            busy={remove.busy}
            onClick={() => void confirm()}
          >
            {t('passkeys.remove')}
          </Button>
        </>
      }
    >
      <p>{t('passkeys.removeText')}</p>
      <FormError problem={remove.problem} />
    </Dialog>
  );
}
