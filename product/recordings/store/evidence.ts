import type { Tx } from '#platform/data/data.ts';
import type { Judged } from '../rules.ts';
import type { RecordingsTables } from './tables.ts';

const tables = (tx: Tx) => tx.sql<RecordingsTables>();
/** The column that identifies the recordings: a public one has no show. */
const keyOf = ({ mode }: Judged) => (mode === 'public' ? 'id' : 'show_id');

/** Part of a recorded show, or a public recording, for people who decide on a report of it. */
export interface EvidencePart {
  readonly id: number;
  readonly file: string;
  readonly durationMs: number;
  /** Whether its performer deleted it. */
  readonly isDeleted: boolean;
}

/** Serializes reports, deletions and decisions about a recorded show until the unit of work ends. */
export async function lockShow(tx: Tx, judged: Judged): Promise<void> {
  const { mode, showId } = judged;
  await tables(tx).selectFrom('recordings.recordings').select('id').where('mode', '=', mode)
    .where(keyOf(judged), '=', showId).orderBy('id').forUpdate().execute();
  await tables(tx).selectFrom('recordings.evidence').select('id').where('mode', '=', mode)
    .where('show_id', '=', showId).orderBy('id').forUpdate().execute();
}

/**
 * The offline video of a performer, locked against deletion until the unit of work ends; null without one.
 */
export async function lockOfflineVideo(tx: Tx, performerId: number): Promise<number | null> {
  const row = await tables(tx).selectFrom('recordings.recordings').select('id').where('mode', '=', 'public')
    .where('id', 'in', (query) =>
      query.selectFrom('recordings.choices').select('offline_recording_id')
        .where('performer_id', '=', performerId))
    .forUpdate().executeTakeFirst();
  return row?.id ?? null;
}

/** Notes a recording as evidence, before it is deleted. */
export async function insertEvidence(
  tx: Tx,
  { id, performerId, file, durationMs }: {
    readonly id: number;
    readonly performerId: number;
    readonly file: string;
    readonly durationMs: number;
  },
  { mode, showId }: Judged,
): Promise<void> {
  await tx.sql<RecordingsTables>()
    .insertInto('recordings.evidence').values({
      id,
      performer_id: performerId,
      mode,
      show_id: showId,
      file,
      duration_ms: durationMs,
      deleted_at: tx.now,
    }).execute();
}

/** The finished parts of a performer's recorded show, deleted or not, in order. */
export async function evidenceOf(
  tx: Tx,
  performerId: number,
  judged: Judged,
): Promise<EvidencePart[]> {
  const { mode, showId } = judged;
  const stored = await tables(tx).selectFrom('recordings.recordings')
    .select(['id', 'file', 'duration_ms as durationMs']).where('performer_id', '=', performerId)
    .where('mode', '=', mode).where(keyOf(judged), '=', showId).where('state', '<>', 'recording').execute();
  const deleted = await tables(tx).selectFrom('recordings.evidence')
    .select(['id', 'file', 'duration_ms as durationMs']).where('performer_id', '=', performerId)
    .where('mode', '=', mode).where('show_id', '=', showId).execute();
  return [
    ...stored.map((part) => ({ ...part, isDeleted: false })),
    ...deleted.map((part) => ({ ...part, isDeleted: true })),
  ].sort((a, b) => a.id - b.id);
}

/** Removes the rows of a show's deleted parts. Returns their files. */
export async function deleteEvidence(
  tx: Tx,
  performerId: number,
  { mode, showId }: Judged,
): Promise<string[]> {
  const rows = await tables(tx).deleteFrom('recordings.evidence').where('performer_id', '=', performerId)
    .where('mode', '=', mode).where('show_id', '=', showId).returning('file').execute();
  return rows.map(({ file }) => file);
}

/** Which of these files are evidence. */
export async function evidenceFiles(tx: Tx, files: readonly string[]): Promise<readonly string[]> {
  if (files.length === 0) return [];
  const rows = await tables(tx).selectFrom('recordings.evidence').select('file').where('file', 'in', files)
    .execute();
  return rows.map(({ file }) => file);
}
