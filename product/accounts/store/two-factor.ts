import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { permissions } from '../rules/permissions.ts';
import type { AccountsTables } from './tables.ts';

/** A person's authenticator app; it counts once it is confirmed. */
export interface Authenticator {
  /** Encrypted. */
  readonly secret: string;
  readonly isConfirmed: boolean;
  readonly lastStep: number;
}

/** A person's authenticator, locked until the unit of work ends; null without one. */
export async function findAuthenticator(tx: Tx, personId: number): Promise<Authenticator | null> {
  const row = await tx.sql<AccountsTables>().selectFrom('accounts.two_factor')
    .select(['secret', 'confirmed_at', 'last_step']).where('person_id', '=', personId)
    .forUpdate().executeTakeFirst();
  if (!row) return null;
  return { secret: row.secret, isConfirmed: row.confirmed_at !== null, lastStep: row.last_step };
}

/** Whether a person has a confirmed authenticator now. */
export async function isConfirmed(tx: Tx, personId: number): Promise<boolean> {
  const row = await tx.sql<AccountsTables>().selectFrom('accounts.two_factor').select('person_id')
    .where('person_id', '=', personId).where('confirmed_at', 'is not', null).executeTakeFirst();
  return row !== undefined;
}

/** What a person has besides a password. */
export interface SecondStep {
  /** Whether there is a confirmed authenticator, or a passkey. */
  readonly isSetUp: boolean;
  /** The same without passkeys that did not verify their owner: for staff those do not count. */
  readonly isOfStaff: boolean;
}

export async function secondStepOf(tx: Tx, personId: number): Promise<SecondStep> {
  const { rows } = await sql<{ has_app: boolean; has_key: boolean; has_verified: boolean }>`select
    exists (select from accounts.two_factor
      where person_id = ${personId} and confirmed_at is not null) as has_app,
    count(*) > 0 as has_key, coalesce(bool_or(is_verified), false) as has_verified
    from accounts.passkeys where person_id = ${personId}`.execute(tx.sql());
  const row = rows[0];
  return {
    isSetUp: row?.has_app === true || row?.has_key === true,
    isOfStaff: row?.has_app === true || row?.has_verified === true,
  };
}

/** When a person's newest authenticator or passkey was set up; null without one. */
export async function secondStepSince(tx: Tx, personId: number): Promise<Date | null> {
  const { rows } = await sql<{ since: Date | null }>`select greatest(
    (select max(confirmed_at) from accounts.two_factor where person_id = ${personId}),
    (select max(created_at) from accounts.passkeys where person_id = ${personId})) as since`
    .execute(tx.sql());
  return rows[0]?.since ?? null;
}

/** Removes a person's authenticator, its recovery codes, and every passkey. */
export async function deleteSecondStep(tx: Tx, personId: number): Promise<void> {
  await deleteAuthenticator(tx, personId);
  await sql`delete from accounts.passkeys where person_id = ${personId}`.execute(tx.sql());
}

/**
 * The first admin able to act, of those who are not suspended or leaving: one with a second step, else the
 * youngest account, whose time to set one up ends last. Null for none.
 */
export async function firstToActAsAdmin(tx: Tx): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`select p.id from accounts.people p
    where p.roles && ${[...permissions.admin]}::text[] and p.suspended_at is null
      and p.deletion_requested_at is null
    order by (exists (select from accounts.two_factor t
        where t.person_id = p.id and t.confirmed_at is not null)
      or exists (select from accounts.passkeys k where k.person_id = p.id and k.is_verified)) desc,
      p.created_at desc, p.id
    limit 1`.execute(tx.sql());
  return rows[0]?.id ?? null;
}

/** Stores an unconfirmed authenticator in place of an earlier unconfirmed one. */
export async function saveAuthenticator(tx: Tx, personId: number, secret: string): Promise<void> {
  await tx.sql<AccountsTables>().insertInto('accounts.two_factor')
    .values({ person_id: personId, secret, confirmed_at: null, created_at: tx.now })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'person_id'])
        .doUpdateSet({ secret, created_at: tx.now, last_step: 0 })
    )
    .execute();
}

export async function confirmAuthenticator(tx: Tx, personId: number): Promise<void> {
  await tx.sql<AccountsTables>().updateTable('accounts.two_factor').set({ confirmed_at: tx.now })
    .where('person_id', '=', personId).execute();
}

export async function saveLastStep(tx: Tx, personId: number, step: number): Promise<void> {
  await tx.sql<AccountsTables>().updateTable('accounts.two_factor').set({ last_step: step })
    .where('person_id', '=', personId).execute();
}

/** Its recovery codes are deleted with it. */
export async function deleteAuthenticator(tx: Tx, personId: number): Promise<void> {
  await tx.sql<AccountsTables>().deleteFrom('accounts.two_factor').where('person_id', '=', personId)
    .execute();
}

/** Replaces all recovery codes of a person. */
export async function saveRecoveryCodes(tx: Tx, personId: number, digests: readonly string[]): Promise<void> {
  await tx.sql<AccountsTables>().deleteFrom('accounts.recovery_codes').where('person_id', '=', personId)
    .execute();
  await tx.sql<AccountsTables>().insertInto('accounts.recovery_codes')
    .values(digests.map((digest) => ({ person_id: personId, digest }))).execute();
}

/** Deletes a recovery code, once in all processes; false if there is none of this digest. */
export async function spendRecoveryCode(tx: Tx, personId: number, digest: string): Promise<boolean> {
  const row = await tx.sql<AccountsTables>().deleteFrom('accounts.recovery_codes')
    .where('person_id', '=', personId).where('digest', '=', digest).returning('digest').executeTakeFirst();
  return row !== undefined;
}

export async function countRecoveryCodes(tx: Tx, personId: number): Promise<number> {
  const { count } = await tx.sql<AccountsTables>().selectFrom('accounts.recovery_codes')
    .select((select) => select.fn.countAll<number>().as('count')).where('person_id', '=', personId)
    .executeTakeFirstOrThrow();
  return count;
}
