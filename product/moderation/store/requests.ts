/** Requests of the public forms. */
import type { Tx } from '#platform/data/data.ts';
import type { ModerationTables } from './tables.ts';

const tables = (tx: Tx) => tx.sql<ModerationTables>();

const COLUMNS = [
  'id',
  'case_id as caseId',
  'reference',
  'key_digest as keyDigest',
  'kind',
  'relation',
  'name',
  'email',
  'locale',
  'addresses',
  'statement',
  'work',
  'signature',
  'network',
  'at',
] as const;
const requests = (tx: Tx) => tables(tx).selectFrom('moderation.requests').select(COLUMNS);
export type RequestRow = Awaited<ReturnType<ReturnType<typeof requests>['execute']>>[number];

export async function insertRequest(tx: Tx, request: Omit<RequestRow, 'id' | 'at'>): Promise<void> {
  const { caseId, keyDigest, addresses, ...rest } = request;
  await tables(tx).insertInto('moderation.requests')
    .values({ ...rest, case_id: caseId, key_digest: keyDigest, addresses: [...addresses], at: tx.now })
    .execute();
}

export const findRequest = async (tx: Tx, reference: string): Promise<RequestRow | null> =>
  await requests(tx).where('reference', '=', reference).executeTakeFirst() ?? null;

export const requestOfCase = async (tx: Tx, caseId: number): Promise<RequestRow | null> =>
  await requests(tx).where('case_id', '=', caseId).executeTakeFirst() ?? null;

/** Requests that wait: of a network, and of all. */
export async function countWaiting(tx: Tx, network: string): Promise<{ own: number; all: number }> {
  const rows = await tables(tx).selectFrom('moderation.requests')
    .select(({ fn }) => ['network', fn.countAll<number>().as('count')])
    .where('network', 'is not', null).groupBy('network').execute();
  return {
    own: rows.find((row) => row.network === network)?.count ?? 0,
    all: rows.reduce((sum, { count }) => sum + count, 0),
  };
}

/** Forgets the network of a request, which is needed only while it waits. */
export async function forgetNetwork(tx: Tx, caseId: number): Promise<void> {
  await tables(tx).updateTable('moderation.requests').set({ network: null })
    .where('case_id', '=', caseId).execute();
}
