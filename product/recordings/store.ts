import type { Tx } from '#platform/data/data.ts';
import { sql, type Selectable } from 'kysely';
import {
  MAX_SHOW_PARTS,
  type RecordingEndReason,
  type RecordingMode,
  type RecordingState,
  type ShowKey,
} from './rules.ts';
import type { RecordingsTables } from './store/tables.ts';

type RecordingRow = RecordingsTables['recordings.recordings'];

/** A stored recording. */
export interface StoredRecording {
  readonly id: number;
  readonly performerId: number;
  readonly mode: RecordingMode;
  /** Id of the show, among the shows of its mode; null for a public recording. */
  readonly showId: number | null;
  /** Name of the recording's file. */
  readonly file: string;
  readonly title: string;
  readonly state: RecordingState;
  readonly consentAt: Date;
  readonly consentVersion: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly bytes: number;
  readonly width: number | null;
  readonly height: number | null;
}

/** Values of a new recording. */
export interface NewRecording {
  readonly performerId: number;
  readonly broadcastId: number;
  readonly file: string;
  readonly title: string;
  /** Null for a public recording. */
  readonly show: ShowKey | null;
  /** When the performer agreed, and to which text. */
  readonly consentAt: Date;
  readonly consentVersion: number;
  /** Who appears in it. */
  readonly people: readonly { readonly performerId: number; readonly clearanceId: number }[];
}

/** Result of a recording. */
export interface RecordingResult {
  readonly state: Exclude<RecordingState, 'recording'>;
  readonly reason: RecordingEndReason;
  readonly durationMs: number;
  readonly bytes: number;
  readonly width: number | null;
  readonly height: number | null;
}

const tables = (tx: Tx): ReturnType<typeof tx.sql<RecordingsTables>> => tx.sql<RecordingsTables>();
const recordings = (tx: Tx) => tables(tx).selectFrom('recordings.recordings').selectAll();

const recordingOf = (row: Selectable<RecordingRow>): StoredRecording => ({
  id: row.id,
  performerId: row.performer_id,
  mode: row.mode,
  showId: row.show_id,
  file: row.file,
  title: row.title,
  state: row.state,
  consentAt: row.consent_at,
  consentVersion: row.consent_version,
  startedAt: row.started_at,
  durationMs: row.duration_ms,
  bytes: row.bytes,
  width: row.width,
  height: row.height,
});

/** Inserts a recording, with the consent and the people in it; returns its id. */
export async function insertRecording(tx: Tx, { people, ...recording }: NewRecording): Promise<number> {
  const { id } = await tables(tx).insertInto('recordings.recordings')
    .values({
      performer_id: recording.performerId,
      broadcast_id: recording.broadcastId,
      mode: recording.show?.mode ?? 'public',
      show_id: recording.show?.showId ?? null,
      file: recording.file,
      title: recording.title,
      state: 'recording',
      consent_at: recording.consentAt,
      consent_version: recording.consentVersion,
      started_at: tx.now,
    })
    .returning('id').executeTakeFirstOrThrow();
  await tables(tx).insertInto('recordings.recording_people')
    .values(people.map(({ performerId, clearanceId }) => ({
      recording_id: id,
      performer_id: performerId,
      clearance_id: clearanceId,
    })))
    .execute();
  return id;
}

/** Saves the result of a running recording; false when it is no longer running. */
export async function closeRecording(tx: Tx, id: number, result: RecordingResult): Promise<boolean> {
  const { state, reason, durationMs, bytes, width, height } = result;
  const row = await tables(tx).updateTable('recordings.recordings')
    .set({ state, reason, duration_ms: durationMs, bytes, width, height, ended_at: tx.now })
    .where('id', '=', id).where('state', '=', 'recording').returning('id').executeTakeFirst();
  return row !== undefined;
}

/** Deletes a performer's recording; returns its file name, or null without such a recording. */
export async function deleteRecording(tx: Tx, performerId: number, id: number): Promise<string | null> {
  const row = await tables(tx).deleteFrom('recordings.recordings')
    .where('id', '=', id).where('performer_id', '=', performerId).returning('file').executeTakeFirst();
  return row?.file ?? null;
}

export async function findRecording(
  tx: Tx,
  performerId: number,
  id: number,
): Promise<StoredRecording | null> {
  const row = await recordings(tx).where('id', '=', id).where('performer_id', '=', performerId)
    .executeTakeFirst();
  return row ? recordingOf(row) : null;
}

/**
 * A finished public recording of a performer.
 * @param stays locks it against deletion until the unit ends
 */
export async function findPublic(
  tx: Tx,
  performerId: number,
  id: number,
  stays = false,
): Promise<StoredRecording | null> {
  const row = await recordings(tx).where('id', '=', id).where('performer_id', '=', performerId)
    .where('mode', '=', 'public').where('state', '<>', 'recording')
    .$if(stays, (query) => query.forShare()).executeTakeFirst();
  return row ? recordingOf(row) : null;
}

/** Finished public recordings of a performer with an id below `before`, newest first. */
export async function pageOfPublic(
  tx: Tx,
  performerId: number,
  { before, limit }: { before: number | null; limit: number },
): Promise<StoredRecording[]> {
  let page = recordings(tx).where('performer_id', '=', performerId).where('mode', '=', 'public')
    .where('state', '<>', 'recording');
  if (before !== null) page = page.where('id', '<', before);
  return (await page.orderBy('id', 'desc').limit(limit).execute()).map(recordingOf);
}

export async function findRunning(tx: Tx, performerId: number): Promise<StoredRecording | null> {
  const row = await recordings(tx).where('performer_id', '=', performerId).where('state', '=', 'recording')
    .executeTakeFirst();
  return row ? recordingOf(row) : null;
}

/** What was recorded of a show, in order, including a running part: an interruption makes two parts. */
export async function partsOfShow(tx: Tx, { mode, showId }: ShowKey): Promise<StoredRecording[]> {
  const rows = await recordings(tx).where('mode', '=', mode).where('show_id', '=', showId).orderBy('id')
    .limit(MAX_SHOW_PARTS).execute();
  return rows.map(recordingOf);
}

/** A complete part of a show. */
export async function findPart(
  tx: Tx,
  { mode, showId }: ShowKey,
  id: number,
): Promise<StoredRecording | null> {
  const row = await recordings(tx).where('id', '=', id).where('mode', '=', mode)
    .where('show_id', '=', showId).where('state', '<>', 'recording').executeTakeFirst();
  return row ? recordingOf(row) : null;
}

/** Recordings of a performer with an id below `before`, newest first. */
export async function pageOfRecordings(
  tx: Tx,
  performerId: number,
  { before, limit }: { before: number | null; limit: number },
): Promise<StoredRecording[]> {
  let page = recordings(tx).where('performer_id', '=', performerId);
  if (before !== null) page = page.where('id', '<', before);
  return (await page.orderBy('id', 'desc').limit(limit).execute()).map(recordingOf);
}

/** The people in recordings, by recording id. */
export async function peopleOf(
  tx: Tx,
  ids: readonly number[],
): Promise<{ recordingId: number; performerId: number; clearanceId: number }[]> {
  if (ids.length === 0) return [];
  return tables(tx).selectFrom('recordings.recording_people')
    .select(['recording_id as recordingId', 'performer_id as performerId', 'clearance_id as clearanceId'])
    .where('recording_id', 'in', ids).orderBy('performer_id').execute();
}

/** Bytes of a performer's ended recordings. */
export async function storedBytes(tx: Tx, performerId: number): Promise<number> {
  const row = await tables(tx).selectFrom('recordings.recordings')
    .select(sql<number>`coalesce(sum(bytes), 0)::bigint`.as('bytes'))
    .where('performer_id', '=', performerId).executeTakeFirstOrThrow();
  return row.bytes;
}

/** One page of running recordings, by id, after `after`. */
export async function pageOfRunning(tx: Tx, after: number, limit: number): Promise<StoredRecording[]> {
  const rows = await recordings(tx).where('state', '=', 'recording').where('id', '>', after)
    .orderBy('id').limit(limit).execute();
  return rows.map(recordingOf);
}

/** Which of these files belong to a recording. */
export async function knownFiles(tx: Tx, files: readonly string[]): Promise<ReadonlySet<string>> {
  if (files.length === 0) return new Set();
  const rows = await tables(tx).selectFrom('recordings.recordings').select('file')
    .where('file', 'in', files).execute();
  return new Set(rows.map(({ file }) => file));
}

/** A performer's choices. */
export interface Choices {
  readonly offlineRecordingId: number | null;
  readonly publicEnabled: boolean;
  readonly publicPriceTokens: number;
}

export async function findChoices(tx: Tx, performerId: number): Promise<Choices> {
  const row = await tables(tx).selectFrom('recordings.choices')
    .select(['offline_recording_id', 'public_enabled', 'public_price_tokens'])
    .where('performer_id', '=', performerId).executeTakeFirst();
  return {
    offlineRecordingId: row?.offline_recording_id ?? null,
    publicEnabled: row?.public_enabled ?? false,
    publicPriceTokens: row?.public_price_tokens ?? 0,
  };
}

const saveChoices = async (
  tx: Tx,
  performerId: number,
  row:
    | { offline_recording_id: number | null }
    | { public_enabled: boolean; public_price_tokens: number; public_changed_at: Date },
): Promise<void> => {
  await tables(tx).insertInto('recordings.choices').values({ performer_id: performerId, ...row })
    .onConflict((conflict) => conflict.columns(['operator_id', 'performer_id']).doUpdateSet(row))
    .execute();
};

export const saveOfflineVideo = (tx: Tx, performerId: number, recordingId: number | null): Promise<void> =>
  saveChoices(tx, performerId, { offline_recording_id: recordingId });

export const savePublicRecording = (
  tx: Tx,
  performerId: number,
  isEnabled: boolean,
  priceTokens: number,
): Promise<void> =>
  saveChoices(tx, performerId, {
    public_enabled: isEnabled,
    public_price_tokens: priceTokens,
    public_changed_at: tx.now,
  });

/** Disallows recording of public shows, if it was allowed by `by`; the price stays. */
export async function resetPublicRecording(tx: Tx, performerId: number, by: Date): Promise<void> {
  await tables(tx).updateTable('recordings.choices').set({ public_enabled: false })
    .where('performer_id', '=', performerId).where('public_changed_at', '<=', by).execute();
}

/** Saves that a performer's publishers are diverted. */
export async function insertTest(tx: Tx, performerId: number): Promise<void> {
  const row = { began_at: tx.now };
  await tables(tx).insertInto('recordings.tests').values({ performer_id: performerId, ...row })
    .onConflict((conflict) => conflict.columns(['operator_id', 'performer_id']).doUpdateSet(row))
    .execute();
}

export async function deleteTest(tx: Tx, performerId: number): Promise<void> {
  await tables(tx).deleteFrom('recordings.tests').where('performer_id', '=', performerId).execute();
}

/** One page of performers whose publishers are diverted, by id, after `after`. */
export async function pageOfTests(tx: Tx, after: number, limit: number): Promise<number[]> {
  const rows = await tables(tx).selectFrom('recordings.tests').select('performer_id')
    .where('performer_id', '>', after).orderBy('performer_id').limit(limit).execute();
  return rows.map((row) => row.performer_id);
}
