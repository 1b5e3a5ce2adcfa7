import type { Tx } from '#platform/data/data.ts';
import type { Restriction } from '#product/rooms/rules.ts';
import type { Selectable } from 'kysely';
import {
  MAX_MARKS,
  MAX_MODERATORS,
  MAX_RESTRICTIONS,
  MAX_SILENCED_NAMED,
  MODERATION_PER_PAGE,
  type Mark,
} from './rules.ts';
import { tables, traceOf, type RestrictionRow, type Subject } from './store/schema.ts';

/** A stored restriction of somebody in a room, or their moderator rights. */
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

const subjectOf = (row: Selectable<RestrictionRow>): Subject => (row.person_id === null
  ? { personId: null, session: row.guest_session ?? '', guestName: row.guest_name ?? '' }
  : { personId: row.person_id });

const restrictionOf = (row: Selectable<RestrictionRow>): StoredRestriction => ({
  id: row.id,
  performerId: row.performer_id,
  kind: row.kind,
  subject: subjectOf(row),
  byId: row.by_id,
  reason: row.reason,
  at: row.at,
  until: row.until,
});

/** Active restrictions. */
const holding = (tx: Tx) =>
  tables(tx).selectFrom('room_moderation.restrictions').selectAll()
    .where('ended_at', 'is', null)
    .where((row) => row.or([row('until', 'is', null), row('until', '>', tx.now)]));

const of = (tx: Tx, performerId: number, subject: Subject) => {
  const rows = holding(tx).where('performer_id', '=', performerId);
  return subject.personId === null
    ? rows.where('guest_session', '=', subject.session)
    : rows.where('person_id', '=', subject.personId);
};

/** Somebody's active restrictions in a room, of every kind. */
export async function findRestrictions(
  tx: Tx,
  performerId: number,
  subject: Subject,
): Promise<StoredRestriction[]> {
  return (await of(tx, performerId, subject).execute()).map(restrictionOf);
}

export async function findRestriction(tx: Tx, id: number): Promise<StoredRestriction | null> {
  const row = await tables(tx).selectFrom('room_moderation.restrictions').selectAll()
    .where('id', '=', id).where('ended_at', 'is', null).executeTakeFirst();
  return row ? restrictionOf(row) : null;
}

/** Traces of people banned or kicked in a room, and session marks of bans; null for more than `limit`. */
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
  tx: Tx,
  performerId: number,
  kind: 'moderator' | 'silenced',
): Promise<number[]> {
  const rows = await holding(tx).where('performer_id', '=', performerId).where('kind', '=', kind)
    .where('person_id', 'is not', null).orderBy('id', 'desc')
    .limit(kind === 'moderator' ? MAX_MODERATORS : MAX_SILENCED_NAMED).execute();
  return rows.flatMap((row) => row.person_id ?? []);
}

/** Whether the rules of any room silenced a person, and the silence has not ended. */
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
  tx: Tx,
  performerId: number,
  kinds: readonly Restriction[],
  before: number | null,
): Promise<StoredRestriction[]> {
  const rows = await holding(tx).where('performer_id', '=', performerId).where('kind', 'in', kinds)
    .$if(before !== null, (query) => query.where('id', '<', before as number))
    .orderBy('id', 'desc').limit(MODERATION_PER_PAGE + 1).execute();
  return rows.map(restrictionOf);
}

/** Stores a restriction in place of the active one of its kind; returns its id. */
export async function insertRestriction(
  tx: Tx,
  { performerId, kind, subject, byId, reason, until }: Omit<StoredRestriction, 'id' | 'at'>,
): Promise<number> {
  await endRestrictions(tx, performerId, kind, subject);
  const { id } = await tables(tx).insertInto('room_moderation.restrictions')
    .values({
      performer_id: performerId,
      kind,
      person_id: subject.personId,
      guest_session: subject.session ?? null,
      guest_name: subject.guestName ?? null,
      by_id: byId,
      reason,
      at: tx.now,
      until,
      ended_at: null,
    })
    .returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Serializes actions on one subject of a room until the unit of work ends. */
export async function lockSubject(tx: Tx, performerId: number, subject: Subject): Promise<void> {
  await tx.lock('room_moderation.subject', performerId, traceOf(subject));
}

/** Ends somebody's restrictions of a kind, expired ones too, and deletes their marks; returns the ids. */
export async function endRestrictions(
  tx: Tx,
  performerId: number,
  kind: Restriction,
  subject: Subject,
): Promise<number[]> {
  const rows = await tables(tx).updateTable('room_moderation.restrictions').set({ ended_at: tx.now })
    .where('performer_id', '=', performerId).where('kind', '=', kind).where('ended_at', 'is', null)
    .where((row) => (subject.personId === null
      ? row('guest_session', '=', subject.session)
      : row('person_id', '=', subject.personId))
    )
    .returning('id').execute();
  const ids = rows.map((row) => row.id);
  if (ids.length > 0) {
    await tables(tx).deleteFrom('room_moderation.marks').where('restriction_id', 'in', ids).execute();
  }
  return ids;
}

/** Adds marks to a ban, up to the limit. */
export async function insertMarks(
  tx: Tx,
  { id, performerId }: Pick<StoredRestriction, 'id' | 'performerId'>,
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
  tx: Tx,
  restrictionId: number,
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
  tx: Tx,
  performerId: number,
  marks: readonly { readonly kind: Mark; readonly digest: string }[],
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
