import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { PLAIN_TEXT } from '#product/accounts/rules.ts';
import { z } from 'zod';
import { MAX_NOTE_LENGTH } from '../rules/notes.ts';

const slice = 'messaging';
export const noteSubjectUnknown = refusal({
  slice,
  code: 'note_subject_unknown',
  kind: 'absent',
  description: 'Nobody of this name is there for notes of this person.',
});
export const tooManyNotes = refusal({
  slice,
  code: 'too_many_notes',
  kind: 'conflict',
  description: 'This person has as many notes as one can.',
});

const Note = z.object({
  /** As spelled in the account. */
  username: z.string(),
  /** Empty for none. */
  note: z.string(),
  /** When it was last written, ISO 8601; null for none. */
  updated_at: z.string().nullable(),
});
export type NoteView = z.infer<typeof Note>;
const about = {
  access: 'member',
  credential: 'cookie',
  path: '/user/:username/notes',
  output: Note,
} as const;
const ByName = z.object({ username: z.string().max(40) });

export const readNote = call({
  ...about,
  name: 'messaging.readNote',
  method: 'GET',
  input: ByName,
  refusals: [noteSubjectUnknown],
  summary: 'The own note on somebody',
  description: 'Performers write notes on anybody, viewers on performers. Only their author ever reads them.',
  requirements: ['A-363'],
});
export const saveNote = call({
  ...about,
  name: 'messaging.saveNote',
  method: 'POST',
  input: ByName.extend({ note: z.string().trim().min(1).max(MAX_NOTE_LENGTH).regex(PLAIN_TEXT) }),
  refusals: [noteSubjectUnknown, tooManyNotes],
  limit: { points: 30, seconds: 60, per: 'caller' },
  summary: 'Write the own note on somebody',
  description: 'Replaces the one before. At most 2,000 notes.',
});
export const deleteNote = call({
  ...about,
  name: 'messaging.deleteNote',
  method: 'DELETE',
  input: ByName,
  refusals: [noteSubjectUnknown],
  summary: 'Delete the own note on somebody',
  description: 'Repeating it changes nothing. Also of somebody who cannot be perceived any more.',
});
