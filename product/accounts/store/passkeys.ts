import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { MAX_PASSKEYS } from '../rules/passkeys.ts';
import type { AccountsTables } from './tables.ts';

/** A passkey as stored; its public key is COSE in base64url. */
export interface Passkey {
  readonly id: number;
  readonly personId: number;
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly host: string;
  readonly transports: readonly string[];
  readonly name: string;
  readonly createdAt: Date;
  readonly usedAt: Date | null;
}

const passkeys = (tx: Tx) =>
  tx.sql<AccountsTables>().selectFrom('accounts.passkeys').select([
    'id',
    'person_id as personId',
    'credential_id as credentialId',
    'public_key as publicKey',
    'counter',
    'host',
    'transports',
    'name',
    'created_at as createdAt',
    'used_at as usedAt',
  ]);

/** A person's passkeys, oldest first. */
export const listPasskeysOf = (tx: Tx, personId: number): Promise<Passkey[]> =>
  passkeys(tx).where('person_id', '=', personId).orderBy('id').limit(MAX_PASSKEYS).execute();

export async function findPasskey(tx: Tx, credentialId: string): Promise<Passkey | null> {
  return (await passkeys(tx).where('credential_id', '=', credentialId).executeTakeFirst()) ?? null;
}

export type NewPasskey = Omit<Passkey, 'id' | 'createdAt' | 'usedAt'> & {
  /** Whether the authenticator verified its owner; otherwise it is no second step for staff. */
  readonly isUserVerified: boolean;
};

/** Stores a passkey; false when its credential id is taken. */
export async function insertPasskey(tx: Tx, passkey: NewPasskey): Promise<boolean> {
  const { personId, credentialId, publicKey, counter, host, transports, name, isUserVerified } = passkey;
  const row = await tx.sql<AccountsTables>().insertInto('accounts.passkeys')
    .values({
      person_id: personId,
      credential_id: credentialId,
      public_key: publicKey,
      counter,
      host,
      transports: [...transports],
      name,
      created_at: tx.now,
      used_at: null,
      is_verified: isUserVerified,
    })
    .onConflict((conflict) => conflict.doNothing()).returning('id').executeTakeFirst();
  return row !== undefined;
}

/** Records a log-in; false when the passkey is gone, or a concurrent log-in raised its counter as far. */
export async function usePasskey(
  tx: Tx,
  id: number,
  { counter, isUserVerified }: { readonly counter: number; readonly isUserVerified: boolean },
): Promise<boolean> {
  const row = await tx.sql<AccountsTables>().updateTable('accounts.passkeys')
    .set({ counter, used_at: tx.now, ...(isUserVerified && { is_verified: true }) }).where('id', '=', id)
    .where((where) =>
      where.or([
        where('counter', '<', counter),
        where.and([where('counter', '=', 0), where.val(counter === 0)]),
      ])
    )
    .returning('id').executeTakeFirst();
  return row !== undefined;
}

/** False where the person has no such passkey. */
export async function savePasskeyName(tx: Tx, personId: number, id: number, name: string): Promise<boolean> {
  const row = await tx.sql<AccountsTables>().updateTable('accounts.passkeys').set({ name })
    .where('id', '=', id).where('person_id', '=', personId).returning('id').executeTakeFirst();
  return row !== undefined;
}

/** The name of the deleted passkey; null where the person has no such passkey. */
export async function deletePasskey(tx: Tx, personId: number, id: number): Promise<string | null> {
  const row = await tx.sql<AccountsTables>().deleteFrom('accounts.passkeys')
    .where('id', '=', id).where('person_id', '=', personId).returning('name').executeTakeFirst();
  return row?.name ?? null;
}

/**
 * How many ways to log in a person has: a password, passkeys, accounts at providers. Locks the person, so
 * that of two concurrent removals the second counts what the first left.
 */
export async function countWaysIn(tx: Tx, personId: number): Promise<number> {
  await sql`select 1 from accounts.people where id = ${personId} for update`.execute(tx.sql());
  const { rows } = await sql<{ ways: number }>`select
    (select count(*) from accounts.passwords where person_id = ${personId})
    + (select count(*) from accounts.passkeys where person_id = ${personId})
    + (select count(*) from accounts.identities where person_id = ${personId}) as ways`.execute(tx.sql());
  return rows[0]?.ways ?? 0;
}
