import { sql, type Generated } from 'kysely';
import type { Tx } from '#platform/data/data.ts';
import type { SentCode } from './login-codes.ts';

interface PhoneTables {
  'accounts.phones': {
    operator_id: Generated<number>; person_id: number; number: string; confirmed_at: Date;
  };
  'accounts.phone_codes': {
    operator_id: Generated<number>; person_id: number; digest: string; sent_at: Date; expires_at: Date;
    tries: Generated<number>;
  };
}
const tables = (tx: Tx): ReturnType<typeof tx.sql<PhoneTables>> => tx.sql<PhoneTables>();

/** The number that somebody confirmed; null without one. */
export async function findPhone(tx: Tx, personId: number): Promise<string | null> {
  const row = await tables(tx).selectFrom('accounts.phones').select('number')
    .where('person_id', '=', personId).executeTakeFirst();
  return row?.number ?? null;
}

/** Makes a number the confirmed one of a person; whoever had it before is answered, and has it no more. */
export async function savePhone(tx: Tx, personId: number, number: string): Promise<number | null> {
  // Of two who confirm one number at a time, the second waits here and then takes it over.
  await tx.lock('accounts.phone', number);
  const before = await tables(tx).deleteFrom('accounts.phones').where('number', '=', number)
    .where('person_id', '<>', personId).returning('person_id').executeTakeFirst();
  await tables(tx).insertInto('accounts.phones')
    .values({ person_id: personId, number, confirmed_at: tx.now })
    .onConflict((conflict) => conflict.columns(['operator_id', 'person_id'])
      .doUpdateSet({ number, confirmed_at: tx.now }))
    .execute();
  return before?.person_id ?? null;
}

/** A person has another number, or none: what was confirmed of the one before ends, and its code. */
export async function endPhone(tx: Tx, personId: number): Promise<void> {
  await tables(tx).deleteFrom('accounts.phones').where('person_id', '=', personId).execute();
  await deletePhoneCode(tx, personId);
}

/** The code of somebody, locked until the unit of work ends; null without one. */
export async function findPhoneCode(tx: Tx, personId: number): Promise<SentCode | null> {
  const row = await tables(tx).selectFrom('accounts.phone_codes')
    .select(['digest', 'sent_at', 'expires_at', 'tries']).where('person_id', '=', personId)
    .forUpdate().executeTakeFirst();
  if (!row) return null;
  return { digest: row.digest, sentAt: row.sent_at, expiresAt: row.expires_at, tries: row.tries };
}

/** Stores a code instead of the one before. */
export async function savePhoneCode(
  tx: Tx, personId: number, digest: string, expiresAt: Date,
): Promise<void> {
  const code = { digest, sent_at: tx.now, expires_at: expiresAt, tries: 0 };
  await tables(tx).insertInto('accounts.phone_codes').values({ person_id: personId, ...code })
    .onConflict((conflict) => conflict.columns(['operator_id', 'person_id']).doUpdateSet(code))
    .execute();
}

export async function countWrongPhoneCode(tx: Tx, personId: number): Promise<void> {
  await tables(tx).updateTable('accounts.phone_codes')
    .set({ tries: sql<number>`tries + 1` }).where('person_id', '=', personId).execute();
}

/** Deletes the code of somebody: each works once. */
export async function deletePhoneCode(tx: Tx, personId: number): Promise<void> {
  await tables(tx).deleteFrom('accounts.phone_codes').where('person_id', '=', personId).execute();
}
