import { sql, type Generated, type Selectable } from 'kysely';
import type { Tx } from '../../platform/data/data.ts';
import type { Restriction } from '../rooms/rules.ts';
import {
  HELD_MS, MAX_ACTIONS, MAX_HELD, MAX_MARKS, MAX_MODERATORS, MAX_RESTRICTIONS, MAX_SHARING,
  MAX_SILENCED_NAMED, MAX_SKETCHES, MAX_TRACES, MODERATION_PER_PAGE, SKETCH_MS, SPEAKER_MS, SWEPT, TRACE_MS,
  type HeldFor, type Mark, type ModerationAction,
  type SpeakerState,
} from './rules.ts';

interface RestrictionRow {
  operator_id: Generated<number>; id: Generated<number>; performer_id: number; kind: Restriction;
  person_id: number | null; guest_session: string | null; guest_name: string | null; by_id: number | null;
  reason: string; at: Date; until: Date | null; ended_at: Date | null;
}
interface SpeakerRow {
  operator_id: Generated<number>; performer_id: number; person_id: number; entered_at: Date; seen_at: Date;
  admitted_at: Date | null; last_said_at: Date | null; pace_left: Generated<number>; pace_at: Date | null;
  strikes: Generated<number>; struck_at: Date | null; silences: Generated<number>; silenced_at: Date | null;
}
interface HeldRow {
  operator_id: Generated<number>; id: Generated<number>; performer_id: number; person_id: number;
  body: string; language: string; recent_tips: number; why: HeldFor; at: Date;
}
interface ModerationTables {
  'room_moderation.restrictions': RestrictionRow;
  'room_moderation.marks': {
    operator_id: Generated<number>; restriction_id: number; performer_id: number; kind: Mark; digest: string;
  };
  'room_moderation.traces': {
    operator_id: Generated<number>; who: string; guest_name: string | null; session: string; device: string;
    network: string; seen_at: Date;
  };
  'room_moderation.actions': {
    operator_id: Generated<number>; id: Generated<number>; performer_id: number; action: ModerationAction;
    person_id: number | null; guest_name: string | null; by_id: number | null; reason: string;
    until: Date | null; at: Date;
  };
  'room_moderation.speakers': SpeakerRow;
  'room_moderation.sketches': {
    operator_id: Generated<number>; id: Generated<number>; performer_id: number; person_id: number;
    letters: number; sketch: number[]; at: Date;
  };
  'room_moderation.held': HeldRow;
}

/** The subject of moderation: a person, or a guest by session and shown name. */
export type Subject =
  | { readonly personId: number; readonly session?: never; readonly guestName?: never }
  | { readonly personId: null; readonly session: string; readonly guestName: string };

/** A restriction of somebody in a room, or their being a moderator, as stored. */
export interface StoredRestriction {
  readonly id: number;
  readonly performerId: number;
  readonly kind: Restriction;
  readonly subject: Subject;
  readonly byId: number | null;
  readonly reason: string;
  readonly at: Date;
  readonly until: Date | null;
}

const tables = (tx: Tx): ReturnType<typeof tx.sql<ModerationTables>> => tx.sql<ModerationTables>();

const subjectOf = (row: Selectable<RestrictionRow>): Subject =>
  (row.person_id === null
    ? { personId: null, session: row.guest_session ?? '', guestName: row.guest_name ?? '' }
    : { personId: row.person_id });

const restrictionOf = (row: Selectable<RestrictionRow>): StoredRestriction => ({
  id: row.id, performerId: row.performer_id, kind: row.kind, subject: subjectOf(row), byId: row.by_id,
  reason: row.reason, at: row.at, until: row.until,
});

/** Active restrictions. */
const holding = (tx: Tx) => tables(tx).selectFrom('room_moderation.restrictions').selectAll()
  .where('ended_at', 'is', null)
  .where((row) => row.or([row('until', 'is', null), row('until', '>', tx.now)]));

const of = (tx: Tx, performerId: number, subject: Subject) => {
  const rows = holding(tx).where('performer_id', '=', performerId);
  return subject.personId === null
    ? rows.where('guest_session', '=', subject.session) : rows.where('person_id', '=', subject.personId);
};

/** Somebody's active restrictions in a room, of every kind. */
export async function findRestrictions(
  tx: Tx, performerId: number, subject: Subject,
): Promise<StoredRestriction[]> {
  return (await of(tx, performerId, subject).execute()).map(restrictionOf);
}

export async function findRestriction(tx: Tx, id: number): Promise<StoredRestriction | null> {
  const row = await tables(tx).selectFrom('room_moderation.restrictions').selectAll()
    .where('id', '=', id).where('ended_at', 'is', null).executeTakeFirst();
  return row ? restrictionOf(row) : null;
}

/** Traces of who is banned or kicked in a room, and session marks of bans; null for more than `limit`. */
export async function findExcluded(tx: Tx, performerId: number, limit: number): Promise<Set<string> | null> {
  const rows = await holding(tx).where('performer_id', '=', performerId)
    .where('kind', 'in', ['banned', 'kicked']).limit(limit + 1).execute();
  if (rows.length === 0 || rows.length > limit) return rows.length === 0 ? new Set() : null;
  const marks = await tables(tx).selectFrom('room_moderation.marks').select('digest')
    .where('performer_id', '=', performerId).where('kind', '=', 'session')
    .where('restriction_id', 'in', rows.map(({ id }) => id)).execute();
  return new Set([...rows.map((row) => traceOf(subjectOf(row))), ...marks.map(({ digest }) => digest)]);
}

/** Whether somebody is a moderator of a room now. */
export async function isModeratorOf(tx: Tx, personId: number, performerId: number): Promise<boolean> {
  const row = await of(tx, performerId, { personId }).where('kind', '=', 'moderator')
    .executeTakeFirst();
  return row !== undefined;
}

/** People with an active restriction of a kind in a room: all moderators, or the latest silenced. */
export async function findPeopleWith(
  tx: Tx, performerId: number, kind: 'moderator' | 'silenced',
): Promise<number[]> {
  const rows = await holding(tx).where('performer_id', '=', performerId).where('kind', '=', kind)
    .where('person_id', 'is not', null).orderBy('id', 'desc')
    .limit(kind === 'moderator' ? MAX_MODERATORS : MAX_SILENCED_NAMED).execute();
  return rows.flatMap((row) => row.person_id ?? []);
}

/** Whether the rules of a room silenced a person, and that has not ended. */
export async function isAutosilenced(tx: Tx, personId: number): Promise<boolean> {
  const row = await tables(tx).selectFrom('room_moderation.restrictions').select('id')
    .where('person_id', '=', personId).where('kind', '=', 'silenced').where('by_id', 'is', null)
    .where('ended_at', 'is', null)
    .where((where) => where.or([where('until', 'is', null), where('until', '>', tx.now)]))
    .limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Whether a room has reached its limit of a kind. */
export async function isFull(tx: Tx, performerId: number, kind: Restriction): Promise<boolean> {
  const most = kind === 'moderator' ? MAX_MODERATORS : MAX_RESTRICTIONS;
  const row = await holding(tx).where('performer_id', '=', performerId).where('kind', '=', kind)
    .orderBy('id').offset(most - 1).limit(1).executeTakeFirst();
  return row !== undefined;
}

/** A page of active restrictions, newest first. */
export async function pageOfRestrictions(
  tx: Tx, performerId: number, kinds: readonly Restriction[], before: number | null,
): Promise<StoredRestriction[]> {
  const rows = await holding(tx).where('performer_id', '=', performerId).where('kind', 'in', kinds)
    .$if(before !== null, (query) => query.where('id', '<', before as number))
    .orderBy('id', 'desc').limit(MODERATION_PER_PAGE + 1).execute();
  return rows.map(restrictionOf);
}

/** Stores a restriction in place of the active one of its kind; its id. */
export async function insertRestriction(
  tx: Tx, { performerId, kind, subject, byId, reason, until }: Omit<StoredRestriction, 'id' | 'at'>,
): Promise<number> {
  await endRestrictions(tx, performerId, kind, subject);
  const { id } = await tables(tx).insertInto('room_moderation.restrictions')
    .values({
      performer_id: performerId, kind, person_id: subject.personId, guest_session: subject.session ?? null,
      guest_name: subject.guestName ?? null, by_id: byId, reason, at: tx.now, until, ended_at: null,
    })
    .returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Serializes actions upon one subject of a room until the unit of work ends. */
export async function lockSubject(tx: Tx, performerId: number, subject: Subject): Promise<void> {
  const key = JSON.stringify(['room-moderation', tx.operatorId, performerId, traceOf(subject)]);
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx.sql());
}

/** Ends somebody's restrictions of a kind, expired ones too, and deletes their marks; the ids. */
export async function endRestrictions(
  tx: Tx, performerId: number, kind: Restriction, subject: Subject,
): Promise<number[]> {
  const rows = await tables(tx).updateTable('room_moderation.restrictions').set({ ended_at: tx.now })
    .where('performer_id', '=', performerId).where('kind', '=', kind).where('ended_at', 'is', null)
    .where((row) => (subject.personId === null
      ? row('guest_session', '=', subject.session) : row('person_id', '=', subject.personId)))
    .returning('id').execute();
  const ids = rows.map((row) => row.id);
  if (ids.length > 0) {
    await tables(tx).deleteFrom('room_moderation.marks').where('restriction_id', 'in', ids).execute();
  }
  return ids;
}

/** Adds marks to a ban, up to the limit. */
export async function insertMarks(
  tx: Tx, { id, performerId }: Pick<StoredRestriction, 'id' | 'performerId'>,
  marks: readonly { readonly kind: Mark; readonly digest: string }[],
): Promise<void> {
  if (marks.length === 0) return;
  const known = await tables(tx).selectFrom('room_moderation.marks').select('kind')
    .where('restriction_id', '=', id).limit(MAX_MARKS).execute();
  if (known.length + marks.length > MAX_MARKS) return;
  await tables(tx).insertInto('room_moderation.marks')
    .values(marks.map((mark) => ({ ...mark, restriction_id: id, performer_id: performerId })))
    .onConflict((conflict) => conflict.doNothing()).execute();
}

/** The marks of a ban. */
export async function findMarks(
  tx: Tx, restrictionId: number,
): Promise<{ readonly kind: Mark; readonly digest: string }[]> {
  return tables(tx).selectFrom('room_moderation.marks').select(['kind', 'digest'])
    .where('restriction_id', '=', restrictionId).limit(MAX_MARKS).execute();
}

/** Deletes the network marks of a ban: addresses move to other people. */
export async function deleteNetworks(tx: Tx, restrictionId: number): Promise<void> {
  await tables(tx).deleteFrom('room_moderation.marks')
    .where('restriction_id', '=', restrictionId).where('kind', '=', 'network').execute();
}

/** Active bans and kicks of a room with one of these marks, each with the marks that matched. */
export async function findMarked(
  tx: Tx, performerId: number, marks: readonly { readonly kind: Mark; readonly digest: string }[],
): Promise<{ readonly restriction: StoredRestriction; readonly matched: ReadonlySet<Mark> }[]> {
  if (marks.length === 0) return [];
  const known = await tables(tx).selectFrom('room_moderation.marks').select(['restriction_id', 'kind'])
    .where('performer_id', '=', performerId)
    .where((row) => row.or(marks.map(({ kind, digest }) => row.and({ kind, digest }))))
    .execute();
  if (known.length === 0) return [];
  const rows = await holding(tx).where('performer_id', '=', performerId)
    .where('kind', 'in', ['banned', 'kicked'])
    .where('id', 'in', [...new Set(known.map((mark) => mark.restriction_id))]).orderBy('id').execute();
  return rows.map((row) => ({
    restriction: restrictionOf(row),
    matched: new Set(known.filter((mark) => mark.restriction_id === row.id).map(({ kind }) => kind)),
  }));
}

/** The key of a subject in traces. */
export const traceOf = (subject: Subject): string =>
  (subject.personId === null ? `guest:${subject.session}` : `person:${subject.personId}`);

/** Stores a visitor's marks of today, and deletes expired ones. */
export async function noteTrace(
  tx: Tx, subject: Subject, marks: Readonly<Partial<Record<Mark, string>>>,
): Promise<void> {
  await tables(tx).deleteFrom('room_moderation.traces')
    .where(sql<boolean>`ctid in (select ctid from room_moderation.traces
      where seen_at < ${new Date(tx.now.getTime() - TRACE_MS)} limit ${SWEPT})`).execute();
  const { session = '', device = '', network = '' } = marks;
  await tables(tx).insertInto('room_moderation.traces')
    .values({
      who: traceOf(subject), guest_name: subject.guestName ?? null, session, device, network, seen_at: tx.now,
    })
    .onConflict((conflict) => conflict.columns(['operator_id', 'who', 'session', 'device', 'network'])
      .doUpdateSet({ seen_at: tx.now })).execute();
  // Somebody who invents devices only loses their earlier ones.
  await tables(tx).deleteFrom('room_moderation.traces').where('who', '=', traceOf(subject))
    .where('seen_at', '<', (row) => row.selectFrom('room_moderation.traces').select('seen_at')
      .where('who', '=', traceOf(subject)).orderBy('seen_at', 'desc').offset(MAX_TRACES - 1).limit(1))
    .execute();
}

/** Somebody's marks of the last day, for a ban. */
export async function findTraces(
  tx: Tx, subject: Subject,
): Promise<{ readonly kind: Mark; readonly digest: string }[]> {
  const rows = await tables(tx).selectFrom('room_moderation.traces').select(['session', 'device', 'network'])
    .where('who', '=', traceOf(subject)).where('seen_at', '>', new Date(tx.now.getTime() - TRACE_MS))
    .orderBy('seen_at', 'desc').limit(MAX_TRACES).execute();
  const marks = rows.flatMap(({ session, device, network }) => [
    { kind: 'session' as const, digest: session }, { kind: 'device' as const, digest: device },
    { kind: 'network' as const, digest: network },
  ]);
  const once = new Map(marks.map((mark) => [`${mark.kind} ${mark.digest}`, mark]));
  return [...once.values()].filter(({ digest }) => digest !== '');
}

/** Others seen with the same device or network in the last day, and what they share. */
export async function findSharing(
  tx: Tx, subject: Subject, marks: readonly { readonly kind: Mark; readonly digest: string }[],
): Promise<{ readonly who: string; readonly matched: ReadonlySet<Mark> }[]> {
  const digests = marks.filter(({ kind }) => kind !== 'session').map(({ digest }) => digest);
  if (digests.length === 0) return [];
  const rows = await tables(tx).selectFrom('room_moderation.traces').select(['who', 'device', 'network'])
    .where('who', '<>', traceOf(subject)).where('seen_at', '>', new Date(tx.now.getTime() - TRACE_MS))
    .where((row) => row.or([row('device', 'in', digests), row('network', 'in', digests)]))
    .orderBy('seen_at', 'desc').limit(MAX_SHARING).execute();
  return rows.map((row) => ({
    who: row.who,
    matched: new Set((['device', 'network'] as const).filter((kind) => digests.includes(row[kind]))),
  }));
}

/** The session of a guest who was in a room in the last day, by the name shown for them. */
export async function findGuest(tx: Tx, guestName: string): Promise<string | null> {
  const row = await tables(tx).selectFrom('room_moderation.traces').select('who')
    .where('guest_name', '=', guestName).orderBy('seen_at', 'desc').executeTakeFirst();
  return row?.who.slice('guest:'.length) ?? null;
}

export interface StoredAction {
  readonly id: number;
  readonly action: ModerationAction;
  readonly personId: number | null;
  readonly guestName: string | null;
  readonly byId: number | null;
  readonly reason: string;
  readonly until: Date | null;
  readonly at: Date;
}

/** Appends to the room's own log; the oldest entries beyond the limit are deleted. */
export async function insertAction(
  tx: Tx, performerId: number, subject: Subject,
  { action, byId, reason, until }: Pick<StoredAction, 'action' | 'byId' | 'reason' | 'until'>,
): Promise<void> {
  await tables(tx).insertInto('room_moderation.actions').values({
    performer_id: performerId, action, person_id: subject.personId, guest_name: subject.guestName ?? null,
    by_id: byId, reason, until, at: tx.now,
  }).execute();
  const last = await tables(tx).selectFrom('room_moderation.actions').select('id')
    .where('performer_id', '=', performerId).orderBy('id', 'desc').offset(MAX_ACTIONS).limit(1)
    .executeTakeFirst();
  if (!last) return;
  await tables(tx).deleteFrom('room_moderation.actions')
    .where('performer_id', '=', performerId).where('id', '<=', last.id).execute();
}

/** A page of a room's own log, newest first. */
export async function pageOfActions(
  tx: Tx, performerId: number, before: number | null,
): Promise<StoredAction[]> {
  const rows = await tables(tx).selectFrom('room_moderation.actions').selectAll()
    .where('performer_id', '=', performerId)
    .$if(before !== null, (query) => query.where('id', '<', before as number))
    .orderBy('id', 'desc').limit(MODERATION_PER_PAGE + 1).execute();
  return rows.map((row) => ({
    id: row.id, action: row.action, personId: row.person_id, guestName: row.guest_name, byId: row.by_id,
    reason: row.reason, until: row.until, at: row.at,
  }));
}

const stateOf = (row: Selectable<SpeakerRow>): SpeakerState => ({
  enteredAt: row.entered_at, admittedAt: row.admitted_at, lastSaidAt: row.last_said_at,
  pace: row.pace_at ? { left: row.pace_left, at: row.pace_at } : null,
  strikes: row.strikes, struckAt: row.struck_at, silences: row.silences, silencedAt: row.silenced_at,
});

/** A speaker's state; null for none. @param locked locks the row until the unit of work ends. */
export async function findSpeaker(
  tx: Tx, performerId: number, personId: number, locked: boolean,
): Promise<{ readonly state: SpeakerState; readonly seenAt: Date } | null> {
  const row = await tables(tx).selectFrom('room_moderation.speakers').selectAll()
    .where('performer_id', '=', performerId).where('person_id', '=', personId)
    .$if(locked, (query) => query.forUpdate()).executeTakeFirst();
  return row ? { state: stateOf(row), seenAt: row.seen_at } : null;
}

/** Saves a speaker's state, seen now. */
export async function saveSpeaker(
  tx: Tx, performerId: number, personId: number, state: SpeakerState,
): Promise<void> {
  const row = {
    entered_at: state.enteredAt, seen_at: tx.now, admitted_at: state.admittedAt,
    last_said_at: state.lastSaidAt, pace_left: state.pace?.left ?? 0, pace_at: state.pace?.at ?? null,
    strikes: state.strikes, struck_at: state.struckAt, silences: state.silences,
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
    .with('swept', (query) => query.deleteFrom('room_moderation.sketches')
      .where('performer_id', '=', performerId).where('at', '<', new Date(tx.now.getTime() - SKETCH_MS))
      .returning('id'))
    .insertInto('room_moderation.sketches').values({
      performer_id: performerId, person_id: sketch.personId, letters: sketch.letters,
      sketch: [...sketch.hashes], at: tx.now,
    }).execute();
}

const heldOf = (row: Selectable<HeldRow>) => ({
  id: row.id, personId: row.person_id, body: row.body, language: row.language, recentTips: row.recent_tips,
  why: row.why, at: row.at,
});
/** A held message. */
export type StoredHeld = Readonly<ReturnType<typeof heldOf>>;

const waiting = (tx: Tx, performerId: number) => tables(tx).selectFrom('room_moderation.held').selectAll()
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

/** Adds a message to the queue; the oldest beyond the limit is deleted. Its id. */
export async function insertHeld(
  tx: Tx, performerId: number, held: Omit<StoredHeld, 'id' | 'at'>,
): Promise<number> {
  await tables(tx).deleteFrom('room_moderation.held').where('performer_id', '=', performerId)
    .where('at', '<=', new Date(tx.now.getTime() - HELD_MS)).execute();
  const { id } = await tables(tx).insertInto('room_moderation.held').values({
    performer_id: performerId, person_id: held.personId, body: held.body, language: held.language,
    recent_tips: held.recentTips, why: held.why, at: tx.now,
  }).returning('id').executeTakeFirstOrThrow();
  const last = await waiting(tx, performerId).orderBy('id', 'desc').offset(MAX_HELD).limit(1)
    .executeTakeFirst();
  if (last) {
    await tables(tx).deleteFrom('room_moderation.held')
      .where('performer_id', '=', performerId).where('id', '<=', last.id).execute();
  }
  return id;
}

/** Takes a held message out of the queue, once; null when it is gone. */
export async function takeHeld(tx: Tx, performerId: number, id: number): Promise<StoredHeld | null> {
  const row = await tables(tx).deleteFrom('room_moderation.held')
    .where('performer_id', '=', performerId).where('id', '=', id)
    .where('at', '>', new Date(tx.now.getTime() - HELD_MS)).returningAll().executeTakeFirst();
  return row ? heldOf(row) : null;
}

/** Deletes all held messages of somebody in a room; their ids. */
export async function dropHeldOf(tx: Tx, performerId: number, personId: number): Promise<number[]> {
  const rows = await tables(tx).deleteFrom('room_moderation.held').where('performer_id', '=', performerId)
    .where('person_id', '=', personId).returning('id').execute();
  return rows.map((row) => row.id);
}
