import type { ClientCall, InputOf } from '#platform/contract/call.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm, type CallFormSettings, type FormField } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { MAX_REASON_LENGTH, MIN_REASON_LENGTH } from '#product/site/rules.ts';
import type { ReactNode } from 'react';
import { useSaved } from './reload.ts';

/** The reason of a change, for the audit log. */
export function ReasonField({ field }: { field: FormField }) {
  const { t } = useTranslation('billing');
  return (
    <TextField
      {...field}
      label={t('web.operator.reason')}
      hint={t('web.operator.reasonHint')}
      required
      minLength={MIN_REASON_LENGTH}
      maxLength={MAX_REASON_LENGTH}
      autoComplete="off"
    />
  );
}

export const reasonOf = (fields: FormData): string => textOf(fields, 'reason').trim();

interface ReasonDialogProps<C extends ClientCall> {
  readonly call: C;
  readonly shape: CallFormSettings<C>['shape'];
  /** The call's input without the reason. */
  readonly input: Omit<InputOf<C>, 'reason'>;
  readonly title: string;
  readonly confirm: string;
  /** Whether the action is destructive. */
  readonly ends?: boolean;
  /** The effect of the action. */
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/** Confirms an action: shows its effect and asks for a reason. */
export function ReasonDialog<C extends ClientCall>(
  { call, shape, input, title, confirm, ends = false, children, onClose }: ReasonDialogProps<C>,
) {
  const { t } = useTranslation('billing');
  const saved = useSaved();
  const form = useForm(call, {
    shape,
    read: (fields) => ({ ...input, reason: reasonOf(fields) }) as InputOf<C>,
    onDone: async () => {
      await saved();
      onClose();
    },
  });
  const id = 'operator-reason';
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('web.keep')}</Button>
          <Button type="submit" form={id} tone={ends ? 'danger' : 'primary'} busy={form.busy}>
            {confirm}
          </Button>
        </>
      }
    >
      <form id={id} {...form.props} className="flex flex-col gap-4">
        <div className="text-sm">{children}</div>
        <ReasonField field={form.field('reason')} />
        <FormError problem={form.problem} />
      </form>
    </Dialog>
  );
}
