import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { PersonContext } from '#platform/contract/context.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { cleanLines } from '#platform/text/clean-text.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import type { AccountsService, Person } from '#product/accounts/server.ts';
import type { ComplianceService } from '#product/compliance/server.ts';
import {
  deleteNote,
  noteSubjectUnknown,
  readNote,
  saveNote,
  tooManyNotes,
  type NoteView,
} from '../contract/notes.ts';
import { MAX_NOTES } from '../rules/notes.ts';
import { lockRelations } from '../store.ts';
import { countNotes, eraseNote, findNote, writeNote, type NoteRow } from '../store/notes.ts';

interface NoteDependencies {
  readonly data: Data;
  readonly accounts: AccountsService;
  readonly compliance: ComplianceService;
}

/** A person whom a note may be about, and the note. */
interface Subject {
  readonly person: Person;
  readonly found: NoteRow | null;
}

const viewOf = ({ username }: Person, found: NoteRow | null): NoteView => ({
  username,
  note: found?.note ?? '',
  updated_at: found?.updatedAt.toISOString() ?? null,
});

/**
 * The person of a note: for everybody a performer they may perceive, and for performers also any viewer. A
 * person with a note stays reachable, so that the note can be read and deleted.
 */
async function subjectOf(
  { accounts, compliance }: NoteDependencies,
  tx: Tx,
  context: PersonContext,
  username: string,
): Promise<Subject | null> {
  const authorId = context.personId;
  const person = await accounts.findByUsername(tx, normalizeUsername(username));
  if (!person || person.id === authorId) return null;
  const found = await findNote(tx, authorId, person.id);
  if (found) return { person, found };
  const isSeen = person.type === 'model'
    ? await compliance.mayPerceive(tx, compliance.viewerOf(context), person.id, 'listing')
    : context.caller.roles.includes('performer') && person.inactiveSince === null;
  return isSeen ? { person, found } : null;
}

/** Calls for private notes, each only for its author. */
export function noteHandlers(deps: NoteDependencies): CallHandler[] {
  const { data } = deps;
  return [
    handleCall(readNote)(({ username }, context) =>
      data.tx(context.scope, async (tx) => {
        const subject = await subjectOf(deps, tx, context, username);
        return subject ? viewOf(subject.person, subject.found) : context.refuse(noteSubjectUnknown);
      })
    ),
    handleCall(saveNote)(({ username, note }, context) =>
      data.tx(context.scope, async (tx) => {
        const authorId = context.personId;
        await lockRelations(tx, authorId);
        const subject = await subjectOf(deps, tx, context, username);
        if (!subject) return context.refuse(noteSubjectUnknown);
        if (!subject.found && (await countNotes(tx, authorId)) >= MAX_NOTES) {
          return context.refuse(tooManyNotes, { values: { limit: MAX_NOTES } });
        }
        await writeNote(tx, authorId, subject.person.id, cleanLines(note));
        return viewOf(subject.person, await findNote(tx, authorId, subject.person.id));
      })
    ),
    handleCall(deleteNote)(({ username }, context) =>
      data.tx(context.scope, async (tx) => {
        const subject = await subjectOf(deps, tx, context, username);
        if (!subject) return context.refuse(noteSubjectUnknown);
        await eraseNote(tx, context.personId, subject.person.id);
        return viewOf(subject.person, null);
      })
    ),
  ];
}
