import { Button } from '#platform/ui/controls/button.tsx';
import { PasswordField, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useFields, useForm } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { linkAccount } from '../../../client.ts';
import type { Confirmation } from '../../../rules/passkeys.ts';
import { useSwitch } from '../../logout.ts';
import { useReloadMe } from '../../me.ts';
import { CodeField } from '../../sign-in/fields/code-field.tsx';
import { OwnUsername } from '../../sign-in/fields/own-username.tsx';
import { useSuspendedProblem } from '../../sign-in/suspended.ts';
import { showLinked } from '../live.ts';
import { LogInAgain } from './proof.tsx';

/** Refusals that ask for a code; the form then has a field for it. */
const ASKS_CODE: readonly string[] = ['code_required', 'email_code_required'];

interface LinkDialogProps {
  readonly confirmation: Confirmation;
  readonly onClose: () => void;
}

/** Logs in to another account once; from then on each can switch to the other. */
export function LinkDialog({ confirmation, onClose }: LinkDialogProps) {
  const { t } = useTranslation('accounts');
  return (
    <Dialog title={t('linked.add')} onClose={onClose}>
      {confirmation === 'log_in'
        ? <LogInAgain />
        : <LinkForm withPassword={confirmation === 'password'} onClose={onClose} />}
    </Dialog>
  );
}

const FIELD_OF = { code_wrong: 'code', email_code_wrong: 'code' } as const;

function LinkForm({ withPassword, onClose }: { withPassword: boolean; onClose: () => void }) {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const reloadMe = useReloadMe();
  const [withCode, setWithCode] = useState(false);
  const form = useForm(linkAccount, {
    shape: async () => (await import('../../../contract/life/linked.ts')).linkAccount,
    read: (fields) => ({
      login: textOf(fields, 'login').trim(),
      password: textOf(fields, 'password'),
      ...(fields.has('code') ? { code: textOf(fields, 'code') } : {}),
      ...(fields.has('own_password') ? { own_password: textOf(fields, 'own_password') } : {}),
    }),
    fieldOf: FIELD_OF,
    applied: showLinked,
    onDone: async () => {
      await reloadMe();
      toast(t('linked.done'), 'success');
      onClose();
    },
  });
  if (!withCode && ASKS_CODE.includes(form.problem?.errorType ?? '')) setWithCode(true);
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <p className="text-muted">{t('linked.addLead')}</p>
      <TextField
        {...form.field('login')}
        label={t('linked.login')}
        required
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <PasswordField {...form.field('password')} label={t('linked.password')} required autoComplete="off" />
      {withCode ? <CodeField {...form.field('code')} label={t('login.code')} /> : null}
      {withPassword ? <OwnUsername /> : null}
      {withPassword
        ? (
          <PasswordField
            {...form.field('own_password')}
            label={t('linked.ownPassword')}
            required
            autoComplete="current-password"
          />
        )
        : null}
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" tone="primary" busy={form.busy}>{t('linked.link')}</Button>
      </div>
    </form>
  );
}

interface SwitchDialogProps {
  readonly username: string;
  readonly onClose: () => void;
}

/** Switches to a linked account, with a code where its log-in takes two steps. */
export function SwitchDialog({ username, onClose }: SwitchDialogProps) {
  const { t } = useTranslation('accounts');
  const to = useSwitch();
  useSuspendedProblem(to.problem, onClose);
  const [withCode, setWithCode] = useState(false);
  if (!withCode && to.problem?.errorType === 'code_required') setWithCode(true);
  const form = useFields({
    read: (fields) => (fields.has('code') ? { code: textOf(fields, 'code') } : {}),
    onSubmit: async (typed): Promise<void> => {
      await to.run({ username, ...typed });
    },
  });
  return (
    <Dialog title={t('linked.switchTo', { username })} onClose={onClose}>
      <form {...form.props} className="flex flex-col gap-4">
        <p>{t('linked.switchText')}</p>
        {withCode
          ? <CodeField {...form.field('code')} label={t('login.code')} hint={t('login.codeHint')} />
          : null}
        <FormError problem={to.problem} />
        <div>
          <Button type="submit" tone="primary" busy={form.busy}>{t('linked.switch')}</Button>
        </div>
      </form>
    </Dialog>
  );
}
