import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import type { SentCode } from './login-codes.ts';
import type { AccountsTables } from './tables.ts';

const tables = (tx: Tx): ReturnType<typeof tx.sql<AccountsTables>> => tx.sql<AccountsTables>();

/** The number that somebody confirmed; null without one. */
export async function findPhone(tx: Tx, personId: number): Promise<string | null> {
  const row = await tables(tx).selectFrom('accounts.phones').select('number')
    .where('person_id', '=', personId).executeTakeFirst();
  return row?.number ?? null;
}

/** Makes a number a person's confirmed one, and takes it from its former owner, whose id it returns. */
export async function savePhone(tx: Tx, personId: number, number: string): Promise<number | null> {
  // Of two people who confirm one number at once, the second waits here and then takes it over.
  await tx.lock('accounts.phone', number);
  const before = await tables(tx).deleteFrom('accounts.phones').where('number', '=', number)
    .where('person_id', '<>', personId).returning('person_id').executeTakeFirst();
  await tables(tx).insertInto('accounts.phones')
    .values({ person_id: personId, number, confirmed_at: tx.now })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'person_id'])
        .doUpdateSet({ number, confirmed_at: tx.now })
    )
    .execute();
  return before?.person_id ?? null;
}

/** Ends the confirmation of a number, and its code, after the person changed or removed the number. */
export async function endPhone(tx: Tx, personId: number): Promise<void> {
  await tables(tx).deleteFrom('accounts.phones').where('person_id', '=', personId).execute();
  await deletePhoneCode(tx, personId);
}

/** Somebody's code, locked until the unit of work ends; null without one. */
export async function findPhoneCode(tx: Tx, personId: number): Promise<SentCode | null> {
  const row = await tables(tx).selectFrom('accounts.phone_codes')
    .select(['digest', 'sent_at', 'expires_at', 'tries']).where('person_id', '=', personId)
    .forUpdate().executeTakeFirst();
  if (!row) return null;
  return { digest: row.digest, sentAt: row.sent_at, expiresAt: row.expires_at, tries: row.tries };
}

/** Stores a code in place of the one before. */
export async function savePhoneCode(
  tx: Tx,
  personId: number,
  digest: string,
  expiresAt: Date,
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

/** Deletes somebody's code: each works once. */
export async function deletePhoneCode(tx: Tx, personId: number): Promise<void> {
  await tables(tx).deleteFrom('accounts.phone_codes').where('person_id', '=', personId).execute();
}
