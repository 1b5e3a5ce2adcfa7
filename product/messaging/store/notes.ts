import type { Tx } from '#platform/data/data.ts';
import type { MessagingTables } from './tables.ts';

export interface NoteRow {
  readonly note: string;
  readonly updatedAt: Date;
}

const tables = (tx: Tx): ReturnType<typeof tx.sql<MessagingTables>> => tx.sql<MessagingTables>();

export async function findNote(tx: Tx, authorId: number, subjectId: number): Promise<NoteRow | null> {
  return await tables(tx).selectFrom('messaging.notes').select(['note', 'updated_at as updatedAt'])
    .where('author_id', '=', authorId).where('subject_id', '=', subjectId).executeTakeFirst() ?? null;
}

export async function countNotes(tx: Tx, authorId: number): Promise<number> {
  const { count } = await tables(tx).selectFrom('messaging.notes')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('author_id', '=', authorId).executeTakeFirstOrThrow();
  return count;
}

export async function writeNote(tx: Tx, authorId: number, subjectId: number, note: string): Promise<void> {
  await tables(tx).insertInto('messaging.notes')
    .values({ author_id: authorId, subject_id: subjectId, note, updated_at: tx.now })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'author_id', 'subject_id'])
        .doUpdateSet({ note, updated_at: tx.now })
    )
    .execute();
}

export async function eraseNote(tx: Tx, authorId: number, subjectId: number): Promise<void> {
  await tables(tx).deleteFrom('messaging.notes')
    .where('author_id', '=', authorId).where('subject_id', '=', subjectId).execute();
}
