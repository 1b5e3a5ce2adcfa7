/** What decisions do: removals, strikes, suspensions, statements. */
import type { Tx } from '#platform/data/data.ts';
import type { Statement } from '../rules/statements.ts';
import { STATEMENTS_PAGE } from '../rules/statements.ts';
import type { ModerationTables } from './tables.ts';

const tables = (tx: Tx) => tx.sql<ModerationTables>();

const removals = (tx: Tx) =>
  tables(tx).selectFrom('moderation.removals')
    .select(['case_id as caseId', 'kind', 'subject_id as subjectId', 'target_id as targetId', 'within']);
export type RemovalRow = Awaited<ReturnType<ReturnType<typeof removals>['execute']>>[number];

/** The removal of a case that is in force. */
export const findRemoval = async (tx: Tx, caseId: number): Promise<RemovalRow | null> =>
  await removals(tx).where('case_id', '=', caseId).where('restored_at', 'is', null).executeTakeFirst() ??
    null;

/** Whether another case keeps the same content away. */
export async function isRemovedElsewhere(tx: Tx, of: RemovalRow): Promise<boolean> {
  const row = await removals(tx).where('restored_at', 'is', null).where('case_id', '<>', of.caseId)
    .where('kind', '=', of.kind).where('subject_id', '=', of.subjectId)
    .where('target_id', 'is not distinct from', of.targetId)
    .where('within', 'is not distinct from', of.within).executeTakeFirst();
  return row !== undefined;
}

export async function insertRemoval(
  tx: Tx,
  { caseId, kind, subjectId, targetId, within }: RemovalRow,
): Promise<void> {
  await tables(tx).insertInto('moderation.removals')
    .values({
      case_id: caseId,
      kind,
      subject_id: subjectId,
      target_id: targetId,
      within,
      at: tx.now,
      restored_at: null,
    })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'case_id']).doUpdateSet({ at: tx.now, restored_at: null })
    ).execute();
}

export async function endRemoval(tx: Tx, caseId: number): Promise<void> {
  await tables(tx).updateTable('moderation.removals').set({ restored_at: tx.now })
    .where('case_id', '=', caseId).execute();
}

export async function insertStrike(tx: Tx, caseId: number, personId: number, expiresAt: Date): Promise<void> {
  await tables(tx).insertInto('moderation.strikes')
    .values({ case_id: caseId, person_id: personId, at: tx.now, expires_at: expiresAt, removed_at: null })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'case_id']).doUpdateSet({
        at: tx.now,
        expires_at: expiresAt,
        removed_at: null,
      })
    ).execute();
}

export async function removeStrike(tx: Tx, caseId: number): Promise<void> {
  await tables(tx).updateTable('moderation.strikes').set({ removed_at: tx.now })
    .where('case_id', '=', caseId).execute();
}

/** Present strikes of somebody, without those of one case. */
export async function countStrikes(tx: Tx, personId: number, butOf: number): Promise<number> {
  const { count } = await tables(tx).selectFrom('moderation.strikes')
    .select(({ fn }) => fn.countAll<number>().as('count')).where('person_id', '=', personId)
    .where('case_id', '<>', butOf).where('removed_at', 'is', null).where('expires_at', '>', tx.now)
    .executeTakeFirstOrThrow();
  return count;
}

const suspensions = (tx: Tx) =>
  tables(tx).selectFrom('moderation.suspensions').select([
    'case_id as caseId',
    'person_id as personId',
    'starts_at as startsAt',
    'ends_at as endsAt',
    'applied_at as appliedAt',
    'ended_at as endedAt',
  ]);
export type SuspensionRow = Awaited<ReturnType<ReturnType<typeof suspensions>['execute']>>[number];

export const findSuspension = async (tx: Tx, caseId: number): Promise<SuspensionRow | null> =>
  await suspensions(tx).where('case_id', '=', caseId).executeTakeFirst() ?? null;

/** All suspensions of somebody that cases asked for, oldest first. */
export const suspensionsOf = (tx: Tx, personId: number): Promise<SuspensionRow[]> =>
  suspensions(tx).where('person_id', '=', personId).orderBy('starts_at').orderBy('case_id').execute();

export async function insertSuspension(
  tx: Tx,
  { caseId, personId, startsAt, endsAt }: Pick<SuspensionRow, 'caseId' | 'personId' | 'startsAt' | 'endsAt'>,
): Promise<void> {
  await tables(tx).insertInto('moderation.suspensions').values({
    case_id: caseId,
    person_id: personId,
    starts_at: startsAt,
    ends_at: endsAt,
    applied_at: null,
    ended_at: null,
  }).execute();
}

/** Notes that the account is suspended for this case, and since when. */
export async function markApplied(tx: Tx, caseId: number, since: Date): Promise<void> {
  await tables(tx).updateTable('moderation.suspensions').set({ applied_at: since })
    .where('case_id', '=', caseId).execute();
}

export async function markEnded(tx: Tx, caseId: number): Promise<void> {
  await tables(tx).updateTable('moderation.suspensions').set({ ended_at: tx.now })
    .where('case_id', '=', caseId).execute();
}

const statements = (tx: Tx) =>
  tables(tx).selectFrom('moderation.statements').select([
    'id',
    'case_id as caseId',
    'person_id as personId',
    'reference',
    'key_digest as keyDigest',
    'record',
    'at',
    'withdrawn_at as withdrawnAt',
  ]);
export type StatementRow = Awaited<ReturnType<ReturnType<typeof statements>['execute']>>[number];

export async function insertStatement(
  tx: Tx,
  { caseId, personId, reference, keyDigest, record }: {
    readonly caseId: number;
    readonly personId: number;
    readonly reference: string;
    readonly keyDigest: string;
    readonly record: Statement;
  },
): Promise<void> {
  await tables(tx).insertInto('moderation.statements').values({
    case_id: caseId,
    person_id: personId,
    puid: record.puid,
    reference,
    key_digest: keyDigest,
    record: JSON.stringify(record),
    at: tx.now,
    withdrawn_at: null,
  }).execute();
}

export const findStatement = async (tx: Tx, reference: string): Promise<StatementRow | null> =>
  await statements(tx).where('reference', '=', reference).executeTakeFirst() ?? null;

export async function withdrawStatements(tx: Tx, caseId: number): Promise<void> {
  await tables(tx).updateTable('moderation.statements').set({ withdrawn_at: tx.now })
    .where('case_id', '=', caseId).where('withdrawn_at', 'is', null).execute();
}

/** A page of statements that stand, oldest first, plus one more if there is a next page. */
export const selectStatements = (tx: Tx, from: number | null): Promise<StatementRow[]> =>
  statements(tx).where('withdrawn_at', 'is', null)
    .$if(from !== null, (query) => query.where('id', '>', from as number))
    .orderBy('id').limit(STATEMENTS_PAGE + 1).execute();
