import { useRef, useState, type FormEvent } from 'react';
import { useAction } from '../../../../platform/ui/calls/calls.ts';
import { textOf } from '../../../../platform/ui/calls/form.ts';
import { Button } from '../../../../platform/ui/controls/button.tsx';
import { Select, TextArea } from '../../../../platform/ui/controls/fields.tsx';
import { Dialog } from '../../../../platform/ui/surfaces/dialog.tsx';
import { FormError } from '../../../../platform/ui/surfaces/states.tsx';
import { useToast } from '../../../../platform/ui/surfaces/toasts.tsx';
import { keyOf } from '../../../../platform/text/message-keys.ts';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { findOperations, reverseOperation } from '../../client.ts';
import { REVERSAL_MODES } from '../../rules.ts';
import { useStale } from '../live-past.ts';
import { Change } from '../values.tsx';
import type { Found } from '../views.ts';

/** Asks once, with what will move; the same question keeps its key, so that pressing twice does it once. */
export function ReverseDialog({ operation, onClose }: { operation: Found; onClose: () => void }) {
  const { t } = useTranslation('ledger');
  const toast = useToast();
  const stale = useStale(findOperations);
  const { run, busy, problem } = useAction(reverseOperation);
  const [mode, setMode] = useState<(typeof REVERSAL_MODES)[number]>('refund');
  const key = useRef<string | null>(null);
  const form = 'reverse-operation';
  const onSubmit = async (submit: FormEvent<HTMLFormElement>) => {
    submit.preventDefault();
    if (busy) return;
    const reason = textOf(new FormData(submit.currentTarget), 'reason').trim();
    // A refusal says no to this very order: another mode or reason is another order.
    key.current ??= crypto.randomUUID();
    const done = await run({ operation: operation.operation, mode, reason }, { idempotencyKey: key.current });
    if (done === null) return;
    await stale();
    toast(t('web.reverse.done'), 'success');
    onClose();
  };
  return (
    <Dialog title={t('web.reverse.title')} onClose={onClose}
      actions={(
        <>
          <Button onClick={onClose}>{t('web.cancel')}</Button>
          <Button type="submit" form={form} tone="danger" busy={busy}>{t('web.desk.reverse')}</Button>
        </>
      )}>
      <form id={form} onSubmit={(submit) => void onSubmit(submit)} className="flex flex-col gap-4">
        <ul className="text-sm">
          {operation.legs.map(({ person, account, tokens }) => (
            <li key={`${person?.id ?? ''} ${account}`} className="flex justify-between gap-4">
              <span>
                {person ? `@${person.username} ` : ''}{t(keyOf('ledger', 'web.desk.books', account))}
              </span>
              <Change tokens={-tokens} />
            </li>
          ))}
        </ul>
        <Select label={t('web.reverse.mode')} value={mode} hint={t(`web.reverse.hints.${mode}`)}
          options={REVERSAL_MODES.map((one) => ({ value: one, text: t(`web.kinds.${one}`) }))}
          onChange={({ target }) => {
            key.current = null;
            setMode(target.value === 'chargeback' ? 'chargeback' : 'refund');
          }} />
        <TextArea name="reason" label={t('web.desk.reason')} hint={t('web.desk.reasonHint')} required
          minLength={3} maxLength={500} onChange={() => {
            key.current = null;
          }} />
        {operation.reversed_by.length === 0 ? null : <p className="text-sm">{t('web.reverse.part')}</p>}
        {operation.money.length === 0 ? null : (
          <p className="text-sm text-warning-text">{t('web.reverse.money')}</p>
        )}
        <FormError problem={problem} />
      </form>
    </Dialog>
  );
}
