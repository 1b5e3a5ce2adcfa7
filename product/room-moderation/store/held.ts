import type { Tx } from '#platform/data/data.ts';
import type { Selectable } from 'kysely';
import { HELD_MS, MAX_HELD } from '../rules.ts';
import { tables, type HeldRow } from './schema.ts';

const heldOf = (row: Selectable<HeldRow>) => ({
  id: row.id,
  personId: row.person_id,
  body: row.body,
  language: row.language,
  recentTips: row.recent_tips,
  why: row.why,
  at: row.at,
});
/** A held message. */
export type StoredHeld = Readonly<ReturnType<typeof heldOf>>;

const waiting = (tx: Tx, performerId: number) =>
  tables(tx).selectFrom('room_moderation.held').selectAll()
    .where('performer_id', '=', performerId).where('at', '>', new Date(tx.now.getTime() - HELD_MS));

/** Held messages of a room, oldest first. */
export async function findHeld(tx: Tx, performerId: number): Promise<StoredHeld[]> {
  const rows = await waiting(tx, performerId).orderBy('id', 'desc').limit(MAX_HELD).execute();
  return rows.toReversed().map(heldOf);
}

/** How many held messages one person has in a room. */
export async function countHeld(tx: Tx, performerId: number, personId: number): Promise<number> {
  return (await waiting(tx, performerId).where('person_id', '=', personId).limit(MAX_HELD).execute()).length;
}

/** Adds a message to the queue and deletes the oldest beyond the limit; returns its id. */
export async function insertHeld(
  tx: Tx,
  performerId: number,
  held: Omit<StoredHeld, 'id' | 'at'>,
): Promise<number> {
  await tables(tx).deleteFrom('room_moderation.held').where('performer_id', '=', performerId)
    .where('at', '<=', new Date(tx.now.getTime() - HELD_MS)).execute();
  const { id } = await tables(tx).insertInto('room_moderation.held').values({
    performer_id: performerId,
    person_id: held.personId,
    body: held.body,
    language: held.language,
    recent_tips: held.recentTips,
    why: held.why,
    at: tx.now,
  }).returning('id').executeTakeFirstOrThrow();
  const last = await waiting(tx, performerId).orderBy('id', 'desc').offset(MAX_HELD).limit(1)
    .executeTakeFirst();
  if (last) {
    await tables(tx).deleteFrom('room_moderation.held')
      .where('performer_id', '=', performerId).where('id', '<=', last.id).execute();
  }
  return id;
}

/** Removes a held message from the queue, once; null when it is gone. */
export async function takeHeld(tx: Tx, performerId: number, id: number): Promise<StoredHeld | null> {
  const row = await tables(tx).deleteFrom('room_moderation.held')
    .where('performer_id', '=', performerId).where('id', '=', id)
    .where('at', '>', new Date(tx.now.getTime() - HELD_MS)).returningAll().executeTakeFirst();
  return row ? heldOf(row) : null;
}

/** Deletes all held messages of somebody in a room; returns the ids. */
export async function dropHeldOf(tx: Tx, performerId: number, personId: number): Promise<number[]> {
  const rows = await tables(tx).deleteFrom('room_moderation.held').where('performer_id', '=', performerId)
    .where('person_id', '=', personId).returning('id').execute();
  return rows.map((row) => row.id);
}
