import type { Tx } from '#platform/data/data.ts';
import { MAX_SESSIONS, SPENT_TOKENS_SWEPT } from '../rules.ts';
import { accountOf, people, type Account } from '../store.ts';
import type { AccountsTables } from './tables.ts';

/** A stored session, with its person. */
export interface SessionRow {
  readonly id: number;
  readonly digest: string;
  readonly startedAt: Date;
  readonly renewedAt: Date;
  /** When it proved a second step; null for one that did not. */
  readonly steppedAt: Date | null;
  readonly person: Account;
}

export async function insertSession(tx: Tx, session: {
  readonly digest: string;
  readonly personId: number;
  readonly expiresAt: Date;
  readonly steppedAt: Date | null;
  readonly browser: string;
  readonly platform: string;
  readonly region: string;
}): Promise<void> {
  const { digest, personId, expiresAt, steppedAt, ...device } = session;
  await tx.sql<AccountsTables>().insertInto('accounts.sessions').values({
    digest,
    person_id: personId,
    created_at: tx.now,
    renewed_at: tx.now,
    expires_at: expiresAt,
    stepped_at: steppedAt,
    ...device,
  }).execute();
}

/** A session as its person sees it. */
export interface ListedSession {
  readonly id: number;
  readonly digest: string;
  readonly browser: string;
  readonly platform: string;
  readonly region: string;
  readonly startedAt: Date;
  readonly renewedAt: Date;
}

/** A person's sessions that have not ended, newest first. */
export const listSessions = (tx: Tx, personId: number): Promise<ListedSession[]> =>
  tx.sql<AccountsTables>().selectFrom('accounts.sessions')
    .select([
      'id',
      'digest',
      'browser',
      'platform',
      'region',
      'created_at as startedAt',
      'renewed_at as renewedAt',
    ])
    .where('person_id', '=', personId).where('expires_at', '>', tx.now)
    .orderBy('id', 'desc').limit(MAX_SESSIONS).execute();

/**
 * A session that has not ended, by the digest of its cookie or by its id. Its person may be suspended.
 */
export async function findSession(
  tx: Tx,
  by: { readonly digest: string } | { readonly id: number },
): Promise<SessionRow | null> {
  const row = await people(tx).innerJoin('accounts.sessions as s', (join) =>
    join
      .onRef('s.operator_id', '=', 'p.operator_id').onRef('s.person_id', '=', 'p.id'))
    .select([
      's.id as sessionId',
      's.digest',
      's.created_at as startedAt',
      's.renewed_at as renewedAt',
      's.stepped_at as steppedAt',
    ])
    .where('s.expires_at', '>', tx.now)
    .where('digest' in by ? 's.digest' : 's.id', '=', 'digest' in by ? by.digest : by.id)
    .executeTakeFirst();
  if (!row) return null;
  const { sessionId, digest, startedAt, renewedAt, steppedAt, ...person } = row;
  return { id: sessionId, digest, startedAt, renewedAt, steppedAt, person: accountOf(person) };
}

/**
 * The person of a session that has not ended, by its cookie's digest; the session cannot end before the unit
 * of work does. Callers that also lock the person do that first.
 */
export async function lockSession(tx: Tx, digest: string): Promise<number | null> {
  const row = await tx.sql<AccountsTables>().selectFrom('accounts.sessions').select('person_id')
    .where('digest', '=', digest).where('expires_at', '>', tx.now).forKeyShare().executeTakeFirst();
  return row?.person_id ?? null;
}

export async function renewSession(tx: Tx, id: number, expiresAt: Date): Promise<void> {
  await tx.sql<AccountsTables>().updateTable('accounts.sessions')
    .set({ renewed_at: tx.now, expires_at: expiresAt }).where('id', '=', id).execute();
}

/** When a session that has not ended proved a second step; null where it did not. */
export async function steppedAtOf(tx: Tx, digest: string | null): Promise<Date | null> {
  const row = await tx.sql<AccountsTables>().selectFrom('accounts.sessions').select('stepped_at')
    .where('digest', '=', digest ?? '').where('expires_at', '>', tx.now).executeTakeFirst();
  return row?.stepped_at ?? null;
}

/** Records that a session proved a second step. */
export async function saveStepped(tx: Tx, digest: string | null): Promise<void> {
  await tx.sql<AccountsTables>().updateTable('accounts.sessions').set({ stepped_at: tx.now })
    .where('digest', '=', digest ?? '').execute();
}

/** Which sessions of a person to end. */
export type SessionChoice =
  | { readonly only: string }
  | { readonly id: number }
  | { readonly allBut: string | null }
  | { readonly beyondNewest: number };

/** Ends sessions of a person and deletes expired ones; returns their digests. */
export async function deleteSessions(tx: Tx, personId: number, choice: SessionChoice): Promise<string[]> {
  const rows = await tx.sql<AccountsTables>().deleteFrom('accounts.sessions')
    .where('person_id', '=', personId)
    .where((where) => {
      if ('only' in choice) return where('digest', '=', choice.only);
      if ('id' in choice) return where('id', '=', choice.id);
      if ('allBut' in choice) return where('digest', '!=', choice.allBut ?? '');
      const older = where.selectFrom('accounts.sessions').select('id')
        .where('person_id', '=', personId).orderBy('id', 'desc').offset(choice.beyondNewest);
      return where.or([where('expires_at', '<=', tx.now), where('id', 'in', older)]);
    })
    .returning('digest').execute();
  return rows.map(({ digest }) => digest);
}

/** Marks a node token as used; false if it already was. Deletes some expired marks too. */
export async function spendToken(tx: Tx, nonce: string, expiresAt: Date): Promise<boolean> {
  await tx.sql<AccountsTables>().deleteFrom('accounts.spent_tokens')
    .where('nonce', 'in', (old) =>
      old.selectFrom('accounts.spent_tokens').select('nonce')
        .where('expires_at', '<', tx.now).limit(SPENT_TOKENS_SWEPT).forUpdate().skipLocked())
    .execute();
  const spent = await tx.sql<AccountsTables>().insertInto('accounts.spent_tokens')
    .values({ nonce, expires_at: expiresAt }).onConflict((conflict) => conflict.doNothing())
    .returning('nonce').executeTakeFirst();
  return spent !== undefined;
}
