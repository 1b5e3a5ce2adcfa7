import type { Tx } from '#platform/data/data.ts';
import { PROVIDERS, type ProviderName } from '../rules/providers.ts';
import type { AccountsTables } from './tables.ts';

/** An account at another provider that logs a person in. */
export interface LinkedIdentity {
  readonly personId: number;
  readonly provider: ProviderName;
  readonly subject: string;
  readonly email: string | null;
  readonly createdAt: Date;
  readonly usedAt: Date | null;
}

const identities = (tx: Tx) =>
  tx.sql<AccountsTables>().selectFrom('accounts.identities').select([
    'person_id as personId',
    'provider',
    'subject',
    'email',
    'created_at as createdAt',
    'used_at as usedAt',
  ]);

/** A person's accounts at providers, oldest first. */
export const listIdentities = (tx: Tx, personId: number): Promise<LinkedIdentity[]> =>
  identities(tx).where('person_id', '=', personId).orderBy('id').limit(PROVIDERS.length).execute();

export async function findIdentity(
  tx: Tx,
  { provider, subject }: Pick<LinkedIdentity, 'provider' | 'subject'>,
): Promise<LinkedIdentity | null> {
  const row = await identities(tx).where('provider', '=', provider).where('subject', '=', subject)
    .executeTakeFirst();
  return row ?? null;
}

/** False when the account already logs somebody in, or the person has another one at the provider. */
export async function insertIdentity(
  tx: Tx,
  personId: number,
  { provider, subject, email }: Pick<LinkedIdentity, 'provider' | 'subject' | 'email'>,
): Promise<boolean> {
  const row = await tx.sql<AccountsTables>().insertInto('accounts.identities')
    .values({ person_id: personId, provider, subject, email, created_at: tx.now, used_at: null })
    .onConflict((conflict) => conflict.doNothing()).returning('id').executeTakeFirst();
  return row !== undefined;
}

/** Records a log-in; false where the account no longer logs the person in. */
export async function saveIdentityUse(
  tx: Tx,
  personId: number,
  { provider, subject }: Pick<LinkedIdentity, 'provider' | 'subject'>,
): Promise<boolean> {
  const row = await tx.sql<AccountsTables>().updateTable('accounts.identities').set({ used_at: tx.now })
    .where('person_id', '=', personId).where('provider', '=', provider).where('subject', '=', subject)
    .returning('id').executeTakeFirst();
  return row !== undefined;
}

/** False where the person has no account at the provider. */
export async function deleteIdentity(tx: Tx, personId: number, provider: ProviderName): Promise<boolean> {
  const row = await tx.sql<AccountsTables>().deleteFrom('accounts.identities')
    .where('person_id', '=', personId).where('provider', '=', provider).returning('id').executeTakeFirst();
  return row !== undefined;
}
