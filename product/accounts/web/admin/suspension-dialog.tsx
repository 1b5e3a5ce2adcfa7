import type { OutputOf } from '#platform/contract/call.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Select, TextArea, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { suspendPerson, type getPerson } from '../../client.ts';
import { MAX_SUSPENSION_REASON } from '../../rules.ts';
import {
  MAX_SUSPENSION_MESSAGE,
  SUSPENSION_CAUSES,
  type SuspensionCause,
} from '../../rules/staff/suspensions.ts';
import { showPerson } from './live.ts';

/** Whether to suspend somebody, change what they read about it, or lift it. */
export type SuspensionOrder = 'suspend' | 'change' | 'reinstate';

const TEXTS = {
  suspend: { title: 'suspendTitle', lead: 'suspendLead', done: 'isSuspended' },
  change: { title: 'changeTitle', lead: 'changeLead', done: 'isChanged' },
  reinstate: { title: 'reinstateTitle', lead: 'reinstateLead', done: 'isReinstated' },
} as const;

export function SuspensionDialog({ person, order, onClose }: {
  readonly person: OutputOf<typeof getPerson>;
  readonly order: SuspensionOrder;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const { username, suspension_cause: cause, suspension_message: message } = person;
  const suspended = order !== 'reinstate';
  const texts = TEXTS[order];
  const form = useForm(suspendPerson, {
    shape: async () => (await import('../../contract/life/people.ts')).suspendPerson,
    read: (fields) => ({
      username,
      suspended,
      reason: textOf(fields, 'reason').trim(),
      ...(suspended
        ? {
          cause: textOf(fields, 'cause') as SuspensionCause,
          message: textOf(fields, 'message').trim(),
        }
        : {}),
      ...(order === 'change' ? { only_change: true as const } : {}),
    }),
    applied: showPerson,
    onDone: () => {
      toast(t(`people.${texts.done}`, { username }), 'success');
      onClose();
    },
  });
  return (
    <Dialog title={t(`people.${texts.title}`, { username })} onClose={onClose}>
      <form {...form.props} method="post" className="flex flex-col gap-4">
        <p>{t(`people.${texts.lead}`, { username })}</p>
        {suspended
          ? (
            <>
              <Select
                {...form.field('cause')}
                label={t('people.cause')}
                hint={t('people.causeHint')}
                required
                placeholder={t('register.choose')}
                defaultValue={cause ?? ''}
                options={SUSPENSION_CAUSES.map((value) => ({
                  value,
                  text: t(`suspendedPage.causes.${value}`),
                }))}
              />
              <TextArea
                {...form.field('message')}
                label={t('people.message')}
                hint={t('people.messageHint')}
                defaultValue={message ?? ''}
                maxLength={MAX_SUSPENSION_MESSAGE}
              />
            </>
          )
          : null}
        <TextField
          {...form.field('reason')}
          label={t('people.reason')}
          hint={t('people.reasonHint')}
          autoComplete="off"
          maxLength={MAX_SUSPENSION_REASON}
          required
        />
        <FormError problem={form.problem} />
        <Button type="submit" tone={order === 'suspend' ? 'danger' : 'primary'} busy={form.busy}>
          {t(`people.${order}`, { username })}
        </Button>
      </form>
    </Dialog>
  );
}
