import type { Tx } from '#platform/data/data.ts';
import type { NoticesTables } from './tables.ts';

const tables = (tx: Tx): ReturnType<typeof tx.sql<NoticesTables>> => tx.sql<NoticesTables>();

/** The provider that sends an operator's push messages. */
export interface StoredProvider {
  readonly script: string;
  readonly worker: string;
  readonly origins: readonly string[];
  readonly api_url: string;
  readonly app_id: string;
  /** Encrypted. */
  readonly api_key: string;
}

export async function findProvider(tx: Tx): Promise<StoredProvider | null> {
  const row = await tables(tx).selectFrom('notices.push_providers')
    .select(['script', 'worker', 'origins', 'api_url', 'app_id', 'api_key']).executeTakeFirst();
  return row ?? null;
}

export async function saveProvider(tx: Tx, provider: StoredProvider): Promise<void> {
  const row = { ...provider, origins: [...provider.origins], changed_at: tx.now };
  await tables(tx).insertInto('notices.push_providers').values(row)
    .onConflict((conflict) => conflict.column('operator_id').doUpdateSet(row)).execute();
}

export async function removeProvider(tx: Tx): Promise<void> {
  await tables(tx).deleteFrom('notices.push_providers').execute();
}
