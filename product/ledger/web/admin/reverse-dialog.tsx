import { keyOf } from '#platform/text/message-keys.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Select, TextArea } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useRef, useState } from 'react';
import { findOperations, reverseOperation } from '../../client.ts';
import { REVERSAL_MODES } from '../../rules.ts';
import { useStale } from '../live-past.ts';
import { Change } from '../values.tsx';
import type { Found } from '../views.ts';

/** Asks for confirmation, showing what will move; one key per request, so that a double click acts once. */
export function ReverseDialog({ operation, onClose }: { operation: Found; onClose: () => void }) {
  const { t } = useTranslation('ledger');
  const toast = useToast();
  const stale = useStale(findOperations);
  const [mode, setMode] = useState<(typeof REVERSAL_MODES)[number]>('refund');
  const key = useRef<string | null>(null);
  const form = useForm(reverseOperation, {
    shape: async () => (await import('../../contract.ts')).reverseOperation,
    read: (fields) => ({ operation: operation.operation, mode, reason: textOf(fields, 'reason').trim() }),
    // A refusal belongs to this key: another mode or reason gets a new one.
    options: () => ({ idempotencyKey: key.current ??= crypto.randomUUID() }),
    onDone: async () => {
      await stale();
      toast(t('web.reverse.done'), 'success');
      onClose();
    },
  });
  const reason = form.field('reason');
  const id = 'reverse-operation';
  return (
    <Dialog
      title={t('web.reverse.title')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('web.cancel')}</Button>
          <Button type="submit" form={id} tone="danger" busy={form.busy}>{t('web.admin.reverse')}</Button>
        </>
      }
    >
      <form id={id} {...form.props} className="flex flex-col gap-4">
        <ul className="text-sm">
          {operation.legs.map(({ person, account, tokens }) => (
            <li key={`${person?.id ?? ''} ${account}`} className="flex justify-between gap-4">
              <span>
                {person ? `@${person.username} ` : ''}
                {t(keyOf('ledger', 'web.admin.books', account))}
              </span>
              <Change tokens={-tokens} />
            </li>
          ))}
        </ul>
        <Select
          label={t('web.reverse.mode')}
          value={mode}
          hint={t(`web.reverse.hints.${mode}`)}
          options={REVERSAL_MODES.map((item) => ({ value: item, text: t(`web.kinds.${item}`) }))}
          onChange={({ target }) => {
            key.current = null;
            setMode(target.value === 'chargeback' ? 'chargeback' : 'refund');
          }}
        />
        <TextArea
          {...reason}
          label={t('web.admin.reason')}
          hint={t('web.admin.reasonHint')}
          required
          minLength={3}
          maxLength={500}
          onChange={(change) => {
            key.current = null;
            reason.onChange(change);
          }}
        />
        {operation.reversed_by.length === 0 ? null : <p className="text-sm">{t('web.reverse.part')}</p>}
        {operation.money.length === 0
          ? null
          : <p className="text-sm text-warning-text">{t('web.reverse.money')}</p>}
        <FormError problem={form.problem} />
      </form>
    </Dialog>
  );
}
