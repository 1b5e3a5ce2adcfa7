import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, Select, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { addToCase, decideCase, reverseCase, upholdCase } from '../../client.ts';
import type { CaseView } from '../../contract/cases.ts';
import { MAX_SUSPENSION_HOURS, POLICIES, type Policy } from '../../rules/cases.ts';
import { NoteField } from '../note-field.tsx';

/** What a dialog asks the words for. */
export type CaseStep = 'note' | 'decide' | 'uphold' | 'reverse';

interface Props {
  readonly item: CaseView;
  readonly step: CaseStep;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function CaseDialog(props: Props) {
  const { t } = useTranslation('moderation');
  const { step, item: { id }, onClose } = props;
  return (
    <Dialog title={t(`cases.dialogs.${step}`, { id })} onClose={onClose}>
      {step === 'decide' ? <DecideForm {...props} /> : <WordsForm {...props} step={step} />}
    </Dialog>
  );
}

function Foot({ busy, text, onClose }: { busy: boolean; text: string; onClose: () => void }) {
  const { t } = useTranslation('moderation');
  return (
    <div className="flex flex-wrap justify-end gap-3">
      <Button onClick={onClose}>{t('report.cancel')}</Button>
      <Button type="submit" tone="primary" busy={busy}>{text}</Button>
    </div>
  );
}

function WordsForm({ item: { id }, step, onClose, onDone }: Props & { step: 'note' | 'uphold' | 'reverse' }) {
  const { t } = useTranslation('moderation');
  const noting = useForm(addToCase, {
    shape: async () => (await import('../../contract/cases.ts')).addToCase,
    read: (fields) => ({ id, kind: 'note' as const, text: textOf(fields, 'text').trim() }),
    onDone,
  });
  const reviewing = useForm(step === 'uphold' ? upholdCase : reverseCase, {
    shape: async () =>
      (await import('../../contract/cases.ts'))[step === 'uphold' ? 'upholdCase' : 'reverseCase'],
    read: (fields) => ({ id, note: textOf(fields, 'note').trim() }),
    onDone,
  });
  const form = step === 'note' ? noting : reviewing;
  return (
    <form {...form.props} className="flex flex-col gap-4">
      {step === 'note' ? null : <p className="text-sm text-muted">{t(`cases.what.${step}`)}</p>}
      <NoteField field={form.field(step === 'note' ? 'text' : 'note')} />
      <FormError problem={form.problem} />
      <Foot busy={form.busy} text={t(`cases.do.${step}`)} onClose={onClose} />
    </form>
  );
}

/** The policy, what it does, and why. */
function DecideForm({ item, onClose, onDone }: Props) {
  const { t } = useTranslation('moderation');
  const { id, may_remove: mayRemove, username } = item;
  const [suspends, setSuspends] = useState(false);
  const form = useForm(decideCase, {
    shape: async () => (await import('../../contract/cases.ts')).decideCase,
    read: (fields) => {
      const hours = textOf(fields, 'hours').trim();
      return {
        id,
        policy: textOf(fields, 'policy') as Policy,
        removes: fields.get('removes') !== null,
        warns: fields.get('warns') !== null,
        ...(suspends ? { suspends: hours === '' ? {} : { hours: Number(hours) } } : {}),
        note: textOf(fields, 'note').trim(),
      };
    },
    onDone,
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <Select
        {...form.field('policy')}
        label={t('cases.policy')}
        required
        placeholder={t('report.choose')}
        defaultValue=""
        options={POLICIES.map((value) => ({ value, text: t(`policies.${value}`) }))}
      />
      <fieldset className="flex flex-col">
        <legend className="text-sm text-muted">{t('cases.actions')}</legend>
        {mayRemove
          ? <Checkbox {...form.field('removes')} label={t('cases.remove')} />
          : null}
        {username === null ? null : (
          <>
            <Checkbox {...form.field('warns')} label={t('cases.warn')} />
            <Checkbox
              label={t('cases.suspend')}
              checked={suspends}
              onChange={({ target }) => setSuspends(target.checked)}
            />
          </>
        )}
      </fieldset>
      {suspends
        ? (
          <TextField
            {...form.field('hours')}
            type="number"
            inputMode="numeric"
            label={t('cases.hours')}
            hint={t('cases.hoursHint')}
            min={1}
            max={MAX_SUSPENSION_HOURS}
            step={1}
          />
        )
        : null}
      <p className="text-sm text-muted">{t('cases.what.decide')}</p>
      <NoteField field={form.field('note')} />
      <FormError problem={form.problem} />
      <Foot busy={form.busy} text={t('cases.do.decide')} onClose={onClose} />
    </form>
  );
}
