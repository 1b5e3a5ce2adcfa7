import { keyOf } from '#platform/text/message-keys.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { moderate } from '../../client.ts';
import { KICK_MINUTES, MAX_REASON_LENGTH, type ModerationAction } from '../../rules.ts';
import { LENGTHS } from './actions.ts';
import type { Subject } from './offers.ts';

interface ActionDialogProps {
  /** Username of the performer. */
  readonly room: string;
  readonly subject: Subject;
  readonly action: ModerationAction;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Asks for duration and reason of a ban, kick or silence. */
export function ActionDialog({ room, subject, action, onDone, onClose }: ActionDialogProps) {
  const { t } = useTranslation('room-moderation');
  const isTimed = action !== 'kick';
  const [minutes, setMinutes] = useState<number | null>(LENGTHS[1]);
  const form = useForm(moderate, {
    shape: async () => (await import('../../contract.ts')).moderate,
    read: (fields) => ({
      username: room,
      subject: subject.username,
      action,
      minutes: isTimed ? minutes : null,
      reason: textOf(fields, 'reason').trim(),
    }),
    onDone,
  });
  const name = subject.displayName;
  return (
    <Dialog title={t(keyOf('room-moderation', 'web.ask', `${action}.title`), { name })} onClose={onClose}>
      <form {...form.props} className="flex flex-col gap-4">
        <p className="text-sm text-muted">
          {t(keyOf('room-moderation', 'web.ask', `${action}.text`), { minutes: KICK_MINUTES })}
        </p>
        {isTimed ? <Length minutes={minutes} onChoose={setMinutes} /> : null}
        <TextField
          {...form.field('reason')}
          label={t(action === 'ban' ? 'web.reason' : 'web.reasonOptional')}
          hint={t('web.reasonHint')}
          required={action === 'ban'}
          maxLength={MAX_REASON_LENGTH}
          autoComplete="off"
        />
        <FormError problem={form.problem} />
        <div className="flex justify-end gap-3">
          <Button onClick={onClose}>{t('web.cancel')}</Button>
          <Button type="submit" tone="danger" busy={form.busy}>{t(`web.do.${action}`)}</Button>
        </div>
      </form>
    </Dialog>
  );
}

function Length({ minutes, onChoose }: {
  minutes: number | null;
  onChoose: (minutes: number | null) => void;
}) {
  const { t } = useTranslation('room-moderation');
  return (
    <div role="group" aria-label={t('web.howLong')} className="flex flex-wrap gap-2">
      {LENGTHS.map((length) => (
        <button
          key={String(length)}
          type="button"
          aria-pressed={minutes === length}
          onClick={() => onChoose(length)}
          className="min-h-11 rounded-full border border-line bg-raised px-4 text-sm font-medium
            transition-colors hover:border-field aria-pressed:border-pink"
        >
          {t(`web.length.${length ?? 'lasting'}`)}
        </button>
      ))}
    </div>
  );
}
