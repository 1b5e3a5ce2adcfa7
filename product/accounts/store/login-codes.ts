import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { MAX_NETWORKS } from '../rules/login-codes.ts';
import type { AccountsTables } from './tables.ts';

/** A code that was sent to somebody. */
export interface SentCode {
  readonly digest: string;
  readonly sentAt: Date;
  readonly expiresAt: Date;
  /** Number of wrong codes typed. */
  readonly tries: number;
}

/** Whether somebody has logged in from a network since a time. */
export async function isNetworkOf(tx: Tx, personId: number, digest: string, since: Date): Promise<boolean> {
  const row = await tx.sql<AccountsTables>().selectFrom('accounts.login_networks').select('person_id')
    .where('person_id', '=', personId).where('digest', '=', digest).where('seen_at', '>', since)
    .executeTakeFirst();
  return row !== undefined;
}

/** Records a log-in from a network; deletes networks beyond the newest. */
export async function saveNetwork(tx: Tx, personId: number, digest: string): Promise<void> {
  await tx.sql<AccountsTables>().insertInto('accounts.login_networks')
    .values({ person_id: personId, digest, seen_at: tx.now })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'person_id', 'digest'])
        .doUpdateSet({ seen_at: tx.now })
    )
    .execute();
  await tx.sql<AccountsTables>().deleteFrom('accounts.login_networks').where('person_id', '=', personId)
    .where('digest', 'in', (old) =>
      old.selectFrom('accounts.login_networks').select('digest')
        .where('person_id', '=', personId).orderBy('seen_at', 'desc').orderBy('digest').offset(MAX_NETWORKS))
    .execute();
}

/** Somebody's code, locked until the unit of work ends; null without one. */
export async function findLoginCode(tx: Tx, personId: number): Promise<SentCode | null> {
  const row = await tx.sql<AccountsTables>().selectFrom('accounts.login_codes')
    .select(['digest', 'sent_at', 'expires_at', 'tries']).where('person_id', '=', personId)
    .forUpdate().executeTakeFirst();
  if (!row) return null;
  return { digest: row.digest, sentAt: row.sent_at, expiresAt: row.expires_at, tries: row.tries };
}

/** Stores a code in place of the one before. */
export async function saveLoginCode(
  tx: Tx,
  personId: number,
  digest: string,
  expiresAt: Date,
): Promise<void> {
  const code = { digest, sent_at: tx.now, expires_at: expiresAt, tries: 0 };
  await tx.sql<AccountsTables>().insertInto('accounts.login_codes').values({ person_id: personId, ...code })
    .onConflict((conflict) => conflict.columns(['operator_id', 'person_id']).doUpdateSet(code))
    .execute();
}

/** Counts a wrong code. */
export async function countWrongCode(tx: Tx, personId: number): Promise<void> {
  await tx.sql<AccountsTables>().updateTable('accounts.login_codes')
    .set({ tries: sql<number>`tries + 1` }).where('person_id', '=', personId).execute();
}

/** Deletes somebody's code: each works once. */
export async function deleteLoginCode(tx: Tx, personId: number): Promise<void> {
  await tx.sql<AccountsTables>().deleteFrom('accounts.login_codes').where('person_id', '=', personId)
    .execute();
}
