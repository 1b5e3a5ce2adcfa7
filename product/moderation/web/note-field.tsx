import { TextArea } from '#platform/ui/controls/fields.tsx';
import type { FormField } from '#platform/ui/forms/form.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { MAX_CLOSING_NOTE_LENGTH } from '../rules.ts';

/** Why somebody decides as they do: required, and stored with the decision. */
export function NoteField({ field }: { readonly field: FormField }) {
  const { t } = useTranslation('moderation');
  return (
    <TextArea
      {...field}
      label={t('queue.note')}
      hint={t('queue.noteHint')}
      rows={4}
      required
      maxLength={MAX_CLOSING_NOTE_LENGTH}
    />
  );
}
