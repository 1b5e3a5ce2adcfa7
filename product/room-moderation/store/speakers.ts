import type { Tx } from '#platform/data/data.ts';
import { sql, type Selectable } from 'kysely';
import { MAX_SKETCHES, SKETCH_MS, SPEAKER_MS, SWEPT, type SpeakerState } from '../rules.ts';
import { tables, type SpeakerRow } from './schema.ts';

const stateOf = (row: Selectable<SpeakerRow>): SpeakerState => ({
  enteredAt: row.entered_at,
  admittedAt: row.admitted_at,
  lastSaidAt: row.last_said_at,
  pace: row.pace_at ? { left: row.pace_left, at: row.pace_at } : null,
  strikes: row.strikes,
  struckAt: row.struck_at,
  silences: row.silences,
  silencedAt: row.silenced_at,
});

/** A speaker's state; null for none. @param locked locks the row until the unit of work ends. */
export async function findSpeaker(
  tx: Tx,
  performerId: number,
  personId: number,
  locked: boolean,
): Promise<{ readonly state: SpeakerState; readonly seenAt: Date } | null> {
  const row = await tables(tx).selectFrom('room_moderation.speakers').selectAll()
    .where('performer_id', '=', performerId).where('person_id', '=', personId)
    .$if(locked, (query) => query.forUpdate()).executeTakeFirst();
  return row ? { state: stateOf(row), seenAt: row.seen_at } : null;
}

/** Saves a speaker's state, seen now. */
export async function saveSpeaker(
  tx: Tx,
  performerId: number,
  personId: number,
  state: SpeakerState,
): Promise<void> {
  const row = {
    entered_at: state.enteredAt,
    seen_at: tx.now,
    admitted_at: state.admittedAt,
    last_said_at: state.lastSaidAt,
    pace_left: state.pace?.left ?? 0,
    pace_at: state.pace?.at ?? null,
    strikes: state.strikes,
    struck_at: state.struckAt,
    silences: state.silences,
    silenced_at: state.silencedAt,
  };
  await tables(tx).insertInto('room_moderation.speakers')
    .values({ performer_id: performerId, person_id: personId, ...row })
    .onConflict((conflict) => conflict.columns(['operator_id', 'performer_id', 'person_id']).doUpdateSet(row))
    .execute();
}

/** Deletes some speakers who have long been away. */
export async function sweepSpeakers(tx: Tx): Promise<void> {
  await tables(tx).deleteFrom('room_moderation.speakers')
    .where(sql<boolean>`ctid in (select ctid from room_moderation.speakers
      where seen_at < ${new Date(tx.now.getTime() - SPEAKER_MS)} limit ${SWEPT})`).execute();
}

export interface StoredSketch {
  readonly personId: number;
  readonly letters: number;
  readonly hashes: readonly number[];
}

/** Sketches of a room's last minutes, newest first. */
export async function findSketches(tx: Tx, performerId: number): Promise<StoredSketch[]> {
  const rows = await tables(tx).selectFrom('room_moderation.sketches')
    .select(['person_id', 'letters', 'sketch'])
    .where('performer_id', '=', performerId).where('at', '>', new Date(tx.now.getTime() - SKETCH_MS))
    .orderBy('id', 'desc').limit(MAX_SKETCHES).execute();
  return rows.map((row) => ({ personId: row.person_id, letters: row.letters, hashes: row.sketch }));
}

/** Stores a sketch and deletes the expired ones of the room. */
export async function insertSketch(tx: Tx, performerId: number, sketch: StoredSketch): Promise<void> {
  await tables(tx)
    .with('swept', (query) =>
      query.deleteFrom('room_moderation.sketches')
        .where('performer_id', '=', performerId).where('at', '<', new Date(tx.now.getTime() - SKETCH_MS))
        .returning('id'))
    .insertInto('room_moderation.sketches').values({
      performer_id: performerId,
      person_id: sketch.personId,
      letters: sketch.letters,
      sketch: [...sketch.hashes],
      at: tx.now,
    }).execute();
}
