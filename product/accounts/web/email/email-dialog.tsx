import type { OutputOf } from '#platform/contract/call.ts';
import { problemOf, useAction, useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTexts, useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { changeEmail, getEmail, resendEmail } from '../../client.ts';
import { LogInAgain, PROOF_FIELD_OF, ProofFields, proofIn } from '../settings/life/proof.tsx';
import { showEmail } from '../settings/live.ts';

interface EmailDialogProps {
  readonly onClose: () => void;
  readonly begin?: 'confirm' | 'change';
}

/** Asks somebody to confirm their email address, or takes another one. */
export default function EmailDialog({ onClose, begin = 'confirm' }: EmailDialogProps) {
  const ready = useTexts('accounts');
  const { t } = useTranslation('accounts');
  const [step, setStep] = useState(begin);
  const { data, error, refetch } = useRead(getEmail, {});
  if (!ready) return null;
  return (
    <Dialog title={t(step === 'confirm' ? 'confirm.title' : 'email.change')} onClose={onClose}>
      {!data
        ? (
          error
            ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
            : (
              <div aria-busy>
                <Skeleton className="h-32" />
              </div>
            )
        )
        : step === 'confirm'
        ? <Confirm state={data} onChange={() => setStep('change')} />
        : data.confirmation === 'log_in'
        ? <LogInAgain />
        : <ChangeForm state={data} onDone={() => setStep('confirm')} />}
    </Dialog>
  );
}

type State = OutputOf<typeof getEmail>;

/** Says where the link was sent, and sends it again. */
function Confirm({ state, onChange }: { readonly state: State; readonly onChange: () => void }) {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const resend = useAction(resendEmail);
  const email = state.pending_email ?? state.email;
  if (state.email_confirmed && state.pending_email === null) {
    return <p>{t('confirm.done')}</p>;
  }
  return (
    <div className="flex flex-col gap-4">
      <p className="break-words">{t('email.sent', { email })}</p>
      <p className="text-sm text-muted">{t('email.look')}</p>
      <FormError problem={resend.problem} />
      <div className="flex flex-wrap gap-3">
        <Button
          tone="primary"
          busy={resend.busy}
          onClick={() => void resend.run({}).then((done) => done && toast(t('email.resent'), 'success'))}
        >
          {t('email.resend')}
        </Button>
        <Button onClick={onChange}>{t('email.other')}</Button>
      </div>
    </div>
  );
}

function ChangeForm({ state, onDone }: { readonly state: State; readonly onDone: () => void }) {
  const { t } = useTranslation('accounts');
  const form = useForm(changeEmail, {
    shape: async () => (await import('../../contract/life/email.ts')).changeEmail,
    read: (fields) => ({ email: textOf(fields, 'email').trim(), ...proofIn(fields) }),
    fieldOf: { ...PROOF_FIELD_OF, email_disposable: 'email', email_unchanged: 'email' },
    applied: showEmail,
    onDone,
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <p className="text-muted">{t('email.changeLead')}</p>
      <TextField {...form.field('email')} type="email" label={t('email.new')} required autoComplete="email" />
      <ProofFields form={form} confirmation={state.confirmation} />
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" tone="primary" busy={form.busy}>{t('email.send')}</Button>
      </div>
    </form>
  );
}
