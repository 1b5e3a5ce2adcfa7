import type { Tx } from '#platform/data/data.ts';
import type { PersonProof, ProofOfAge } from '#product/compliance/rules.ts';
import { ATTEMPT_MS, MAX_PROOFS_READ, SUPPORT_PAGE, type AgeCheckKind, type AttemptState } from './rules.ts';
import type { AgeChecksTables } from './store/tables.ts';

const tables = (tx: Tx): ReturnType<typeof tx.sql<AgeChecksTables>> => tx.sql<AgeChecksTables>();

/** Who began a check: a browser by the digest of its session, and its person. */
export interface Beginner {
  readonly browser: string;
  readonly personId: number | null;
}
/** How long a proof will count, and whether for one visit only. */
export interface Validity {
  readonly validSeconds: number;
  readonly isVisit: boolean;
}

export interface Attempt extends Beginner, Validity {
  readonly id: string;
  readonly kind: AgeCheckKind;
  /** Null once the check is over. */
  readonly reference: string | null;
  readonly minimumAge: number;
  readonly state: AttemptState;
  readonly proofId: number | null;
  readonly grantedAt: Date | null;
  readonly createdAt: Date;
}

const ATTEMPT = [
  'id',
  'kind',
  'browser',
  'person_id as personId',
  'reference',
  'minimum_age as minimumAge',
  'valid_seconds as validSeconds',
  'is_visit as isVisit',
  'state',
  'proof_id as proofId',
  'granted_at as grantedAt',
  'created_at as createdAt',
] as const;

/** Stores a check that begins, or one that is over at once. */
export async function insertAttempt(
  tx: Tx,
  attempt: Omit<Attempt, 'grantedAt' | 'createdAt'> & { readonly isGranted?: boolean },
): Promise<void> {
  await tables(tx).insertInto('age_checks.attempts').values({
    id: attempt.id,
    kind: attempt.kind,
    browser: attempt.browser,
    person_id: attempt.personId,
    reference: attempt.reference,
    minimum_age: attempt.minimumAge,
    valid_seconds: attempt.validSeconds,
    is_visit: attempt.isVisit,
    state: attempt.state,
    proof_id: attempt.proofId,
    granted_at: attempt.isGranted === true ? tx.now : null,
    created_at: tx.now,
  }).execute();
}

/** Deleted rows apart, a check is found for a day; the deadline that deletes it may be late. */
const since = (tx: Tx): Date => new Date(tx.now.getTime() - ATTEMPT_MS);

export async function findAttempt(tx: Tx, id: string): Promise<Attempt | null> {
  return await tables(tx).selectFrom('age_checks.attempts').select(ATTEMPT)
    .where('id', '=', id).where('created_at', '>', since(tx)).executeTakeFirst() ?? null;
}

/** The check that a provider knows by a reference. */
export async function findByReference(tx: Tx, reference: string): Promise<Attempt | null> {
  return await tables(tx).selectFrom('age_checks.attempts').select(ATTEMPT)
    .where('reference', '=', reference).where('created_at', '>', since(tx)).executeTakeFirst() ?? null;
}

/** Checks of the last day of a browser or its person, newest first. Their number is limited. */
export function attemptsOf(tx: Tx, { browser, personId }: Beginner): Promise<Attempt[]> {
  return tables(tx).selectFrom('age_checks.attempts').select(ATTEMPT)
    .where('created_at', '>', since(tx))
    .where((query) =>
      query.or([
        query('browser', '=', browser),
        ...(personId === null ? [] : [query('person_id', '=', personId)]),
      ])
    )
    .orderBy('created_at', 'desc').orderBy('id').execute();
}

/** Checks of a person of the last day, newest first. */
export function attemptsOfPerson(tx: Tx, personId: number): Promise<Attempt[]> {
  return tables(tx).selectFrom('age_checks.attempts').select(ATTEMPT)
    .where('created_at', '>', since(tx)).where('person_id', '=', personId)
    .orderBy('created_at', 'desc').orderBy('id').execute();
}

/** A person's newest check with a provider that is under way, in whatever browser. */
export async function pendingOfPerson(tx: Tx, personId: number): Promise<Attempt | null> {
  return (await attemptsOfPerson(tx, personId)).find(({ state }) => state === 'pending') ?? null;
}

/** Ends a check that is under way, and forgets what the provider knows it by. False if it was over. */
export async function endAttempt(
  tx: Tx,
  id: string,
  state: 'verified' | 'failed' | 'cancelled',
  proofId: number | null,
): Promise<boolean> {
  const ended = await tables(tx).updateTable('age_checks.attempts')
    .set({ state, proof_id: proofId, reference: null })
    .where('id', '=', id).where('state', '=', 'pending').returning('id').executeTakeFirst();
  return ended !== undefined;
}

/** Gives a guest's checks, under way or passed, to the person who logged in meanwhile. */
export async function adoptChecks(tx: Tx, browser: string, personId: number): Promise<void> {
  await tables(tx).updateTable('age_checks.attempts').set({ person_id: personId })
    .where('browser', '=', browser).where('person_id', 'is', null).where('created_at', '>', since(tx))
    .where('state', 'in', ['pending', 'verified']).execute();
}

/** Takes the one pass of a verified check; false when it was taken before. */
export async function takePass(tx: Tx, id: string): Promise<boolean> {
  const taken = await tables(tx).updateTable('age_checks.attempts').set({ granted_at: tx.now })
    .where('id', '=', id).where('state', '=', 'verified').where('granted_at', 'is', null)
    .returning('id').executeTakeFirst();
  return taken !== undefined;
}

export async function deleteAttempt(tx: Tx, id: string): Promise<void> {
  await tables(tx).deleteFrom('age_checks.attempts').where('id', '=', id).execute();
}

export interface StoredProof extends ProofOfAge {
  readonly id: number;
  readonly personId: number | null;
  readonly provider: string;
  readonly expiresAt: Date;
}

/** Stores a proof given now; its id. */
export async function insertProof(
  tx: Tx,
  proof: Omit<StoredProof, 'id' | 'provedAt'>,
): Promise<number> {
  const { id } = await tables(tx).insertInto('age_checks.proofs').values({
    person_id: proof.personId,
    provider: proof.provider,
    method: proof.method,
    liveness: proof.liveness,
    is_anonymous: proof.isAnonymous,
    minimum_age: proof.minimumAge,
    proved_at: tx.now,
    expires_at: proof.expiresAt,
  }).returning('id').executeTakeFirstOrThrow();
  return id;
}

const PROOF = [
  'id',
  'person_id as personId',
  'provider',
  'method',
  'liveness',
  'is_anonymous as isAnonymous',
  'minimum_age as minimumAge',
  'proved_at as provedAt',
  'expires_at as expiresAt',
] as const;

export async function findProof(tx: Tx, id: number): Promise<StoredProof | null> {
  return await tables(tx).selectFrom('age_checks.proofs').select(PROOF)
    .where('id', '=', id).where('expires_at', '>', tx.now).executeTakeFirst() ?? null;
}

/** A person's proofs that count today, newest first. */
export function proofsOf(tx: Tx, personId: number): Promise<StoredProof[]> {
  return tables(tx).selectFrom('age_checks.proofs').select(PROOF)
    .where('person_id', '=', personId).where('expires_at', '>', tx.now)
    .orderBy('proved_at', 'desc').orderBy('id', 'desc').limit(MAX_PROOFS_READ).execute();
}

/**
 * What a person has proved, in whatever browser: their proofs, and those of their checks of the last day,
 * which are nobody's where they count for one visit.
 */
export async function provedBy(tx: Tx, personId: number): Promise<PersonProof[]> {
  const own = await proofsOf(tx, personId);
  const checked = await tables(tx).selectFrom('age_checks.proofs as proof')
    .innerJoin('age_checks.attempts as attempt', 'attempt.proof_id', 'proof.id')
    .select([
      'method',
      'liveness',
      'proof.is_anonymous as isAnonymous',
      'proof.minimum_age as minimumAge',
      'proof.proved_at as provedAt',
      'attempt.is_visit as isVisit',
    ])
    .where('attempt.person_id', '=', personId).where('attempt.created_at', '>', since(tx))
    .where('proof.expires_at', '>', tx.now).execute();
  return [...checked, ...own.map((proof) => ({ ...proof, isVisit: false }))];
}

/** Deletes a proof that no longer counts. */
export async function deleteExpiredProof(tx: Tx, id: number): Promise<void> {
  await tables(tx).deleteFrom('age_checks.proofs').where('id', '=', id).where('expires_at', '<=', tx.now)
    .execute();
}

export interface SupportCheck {
  readonly id: number;
  readonly personId: number;
  readonly message: string | null;
  readonly minimumAge: number;
  readonly validSeconds: number;
  readonly askedAt: Date;
  readonly decision: 'verified' | 'refused' | null;
  readonly decidedAt: Date | null;
  readonly decidedBy: number | null;
}
const SUPPORT_CHECK = [
  'id',
  'person_id as personId',
  'message',
  'minimum_age as minimumAge',
  'valid_seconds as validSeconds',
  'asked_at as askedAt',
  'decision',
  'decided_at as decidedAt',
  'decided_by as decidedBy',
] as const;

/** Asks support; false while an earlier request of the person waits. */
export async function insertSupportCheck(
  tx: Tx,
  { personId, message, minimumAge, validSeconds }:
    & Pick<SupportCheck, 'personId' | 'minimumAge' | 'validSeconds'>
    & { readonly message: string },
): Promise<boolean> {
  const row = await tables(tx).insertInto('age_checks.support_checks')
    .values({
      person_id: personId,
      message,
      minimum_age: minimumAge,
      valid_seconds: validSeconds,
      asked_at: tx.now,
    })
    .onConflict((conflict) => conflict.doNothing()).returning('id').executeTakeFirst();
  return row !== undefined;
}

export async function findSupportCheck(tx: Tx, id: number): Promise<SupportCheck | null> {
  return await tables(tx).selectFrom('age_checks.support_checks').select(SUPPORT_CHECK)
    .where('id', '=', id).forUpdate().executeTakeFirst() ?? null;
}

/** A person's newest request to support. */
export async function newestSupportCheck(tx: Tx, personId: number): Promise<SupportCheck | null> {
  return await tables(tx).selectFrom('age_checks.support_checks').select(SUPPORT_CHECK)
    .where('person_id', '=', personId).orderBy('id', 'desc').limit(1).executeTakeFirst() ?? null;
}

/** One more than a page, newest first. */
export function supportChecks(
  tx: Tx,
  { isDecided, before }: { readonly isDecided: boolean; readonly before: number | null },
): Promise<SupportCheck[]> {
  return tables(tx).selectFrom('age_checks.support_checks').select(SUPPORT_CHECK)
    .where('decision', isDecided ? 'is not' : 'is', null)
    .$if(before !== null, (query) => query.where('id', '<', before))
    .orderBy('id', 'desc').limit(SUPPORT_PAGE + 1).execute();
}

/** Records a decision, and deletes what the person wrote. */
export async function decideSupport(
  tx: Tx,
  id: number,
  decision: 'verified' | 'refused',
  decidedBy: number,
): Promise<void> {
  await tables(tx).updateTable('age_checks.support_checks')
    .set({ decision, decided_at: tx.now, decided_by: decidedBy, message: null })
    .where('id', '=', id).where('decision', 'is', null).execute();
}

export async function deleteSupportCheck(tx: Tx, id: number): Promise<void> {
  await tables(tx).deleteFrom('age_checks.support_checks').where('id', '=', id)
    .where('decision', 'is not', null).execute();
}
