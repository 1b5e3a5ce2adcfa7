import type { OutputOf } from '#platform/contract/call.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { resetSecondStep, type getPerson } from '../../client.ts';
import { MAX_ROLE_REASON } from '../../rules/staff/roles.ts';
import { showPerson } from './live.ts';

/** Resets the second step of staff who lost it; nothing where there is none that this admin may reset. */
export function SecondStepSection({ person }: { readonly person: OutputOf<typeof getPerson> }) {
  const { t } = useTranslation('accounts');
  const [isAsking, setAsking] = useState(false);
  const { username, step_to_reset: step } = person;
  if (step === null) return null;
  return (
    <section aria-labelledby="step-of-person" className="flex flex-col gap-2 border-t border-line pt-4">
      <h3 id="step-of-person" className="font-bold">{t('people.step')}</h3>
      <div className="flex flex-wrap items-center justify-between gap-2 text-sm">
        <span className="text-muted">
          {t('people.stepSince')} <Moment at={step} />
        </span>
        <Button tone="danger" onClick={() => setAsking(true)}>{t('people.resetStep')}</Button>
      </div>
      {isAsking ? <ResetDialog username={username} step={step} onClose={() => setAsking(false)} /> : null}
    </section>
  );
}

function ResetDialog({ username, step, onClose }: {
  readonly username: string;
  readonly step: string;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const form = useForm(resetSecondStep, {
    shape: async () => (await import('../../contract/staff-second-step.ts')).resetSecondStep,
    read: (fields) => ({ username, step, reason: textOf(fields, 'reason').trim() }),
    applied: showPerson,
    onDone: () => {
      toast(t('people.stepReset', { username }), 'success');
      onClose();
    },
  });
  return (
    <Dialog title={t('people.resetStepTitle', { username })} onClose={onClose}>
      <form {...form.props} method="post" className="flex flex-col gap-4">
        <p>{t('people.resetStepLead')}</p>
        <TextField
          {...form.field('reason')}
          label={t('people.reason')}
          hint={t('people.roleReasonHint')}
          autoComplete="off"
          maxLength={MAX_ROLE_REASON}
          required
        />
        <FormError problem={form.problem} />
        <Button type="submit" tone="danger" busy={form.busy}>{t('people.resetStep')}</Button>
      </form>
    </Dialog>
  );
}
