import { useAction, useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextArea } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { deleteNote, readNote, saveNote } from '../client.ts';
import type { NoteView } from '../contract/notes.ts';
import { MAX_NOTE_LENGTH } from '../rules/notes.ts';
import { showNote } from './live.ts';

/** The reader's own note on somebody, which nobody else sees. Loaded where it is shown. */
export default function OwnNote({ username, name }: { readonly username: string; readonly name: string }) {
  const read = useRead(readNote, { username });
  return (
    <Loaded read={read} height="h-32">
      {(note) => <NoteForm key={note.updated_at} note={note} username={username} name={name} />}
    </Loaded>
  );
}

/** @param username as the page names the person, by which the note was read */
function NoteForm({ note, username, name }: {
  readonly note: NoteView;
  readonly username: string;
  readonly name: string;
}) {
  const { t } = useTranslation('messaging');
  const toast = useToast();
  const removing = useAction(deleteNote, showNote);
  const form = useForm(saveNote, {
    shape: async () => (await import('../contract/notes.ts')).saveNote,
    read: (fields) => ({ username, note: textOf(fields, 'note').trim() }),
    applied: showNote,
    onDone: () => toast(t('note.saved'), 'success'),
  });
  return (
    <form {...form.props} className="flex flex-col gap-3">
      <TextArea
        {...form.field('note')}
        label={t('note.label', { name })}
        hint={t('note.hint')}
        rows={3}
        required
        maxLength={MAX_NOTE_LENGTH}
        defaultValue={note.note}
      />
      <FormError problem={form.problem ?? removing.problem} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" busy={form.busy}>{t('note.save')}</Button>
        {note.updated_at === null
          ? null
          : (
            <Button tone="quiet" busy={removing.busy} onClick={() => void removing.run({ username })}>
              {t('note.delete')}
            </Button>
          )}
      </div>
    </form>
  );
}
