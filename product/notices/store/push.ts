import { sql, type Generated } from 'kysely';
import type { Tx } from '../../../platform/data/data.ts';
import { MAX_BROWSERS } from '../rules/push.ts';

interface PushTables {
  'notices.push_subscriptions': {
    operator_id: Generated<number>; id: Generated<number>; person_id: number; player_id: string;
    endpoint: string; p256dh: string; auth: string; created_at: Date; reported_at: Date | null;
    session: Generated<string | null>;
  };
  'notices.push_keys': {
    operator_id: Generated<number>; public_key: string; private_key: string; created_at: Date;
  };
}

const tables = (tx: Tx): ReturnType<typeof tx.sql<PushTables>> => tx.sql<PushTables>();

/** A browser that gets push messages. */
export interface Browser {
  readonly id: number;
  readonly person_id: number;
  readonly player_id: string;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}
const COLUMNS = ['id', 'person_id', 'player_id', 'endpoint', 'p256dh', 'auth'] as const;

/** Browsers of a person that get push messages. */
export async function countSubscriptions(tx: Tx, personId: number): Promise<number> {
  const { count } = await tables(tx).selectFrom('notices.push_subscriptions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('person_id', '=', personId).executeTakeFirstOrThrow();
  return count;
}

/** Browsers of these people that were registered or reported since then. */
export async function findBrowsers(tx: Tx, personIds: readonly number[], since: Date): Promise<Browser[]> {
  return tables(tx).selectFrom('notices.push_subscriptions').select(COLUMNS)
    .where(sql<boolean>`person_id = any(${[...personIds]}::bigint[])`)
    .where(sql<boolean>`coalesce(reported_at, created_at) > ${since}`).orderBy('id').execute();
}

export async function findBrowser(tx: Tx, id: number): Promise<Browser | null> {
  const row = await tables(tx).selectFrom('notices.push_subscriptions').select(COLUMNS)
    .where('id', '=', id).executeTakeFirst();
  return row ?? null;
}

/**
 * Saves a browser's registration; one that was another's is this person's now. Deletes the oldest beyond the
 * limit, and those unreported since then.
 */
export async function saveBrowser(
  tx: Tx, browser: Omit<Browser, 'id'> & { readonly session: string | null }, unreportedSince: Date,
): Promise<void> {
  const { person_id: personId, player_id: playerId, p256dh, auth, session } = browser;
  await tables(tx).insertInto('notices.push_subscriptions').values({ ...browser, created_at: tx.now })
    .onConflict((conflict) => conflict.columns(['operator_id', 'endpoint']).doUpdateSet({
      person_id: personId, player_id: playerId, p256dh, auth, session, created_at: tx.now, reported_at: null,
    })).execute();
  await tables(tx).deleteFrom('notices.push_subscriptions').where('person_id', '=', personId)
    .where(sql<boolean>`coalesce(reported_at, created_at) <= ${unreportedSince}`).execute();
  await tables(tx).deleteFrom('notices.push_subscriptions')
    .where('id', 'in', (query) => query.selectFrom('notices.push_subscriptions').select('id')
      .where('person_id', '=', personId).orderBy('created_at', 'desc').orderBy('id', 'desc')
      .offset(MAX_BROWSERS))
    .execute();
}

/** Whether the person has this registration; it goes with the session that reports it. */
export async function saveReport(
  tx: Tx, personId: number, playerId: string, session: string | null,
): Promise<boolean> {
  const { numUpdatedRows } = await tables(tx).updateTable('notices.push_subscriptions')
    .set({ reported_at: tx.now, session }).where('person_id', '=', personId).where('player_id', '=', playerId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function removeBrowser(tx: Tx, personId: number, playerId: string): Promise<void> {
  await tables(tx).deleteFrom('notices.push_subscriptions')
    .where('person_id', '=', personId).where('player_id', '=', playerId).execute();
}

/** Sessions of a person ended: so do the registrations of their browsers. */
export async function removeOfSessions(
  tx: Tx, personId: number, sessions: readonly string[],
): Promise<void> {
  await tables(tx).deleteFrom('notices.push_subscriptions').where('person_id', '=', personId)
    .where(sql<boolean>`session = any(${[...sessions]}::text[])`).execute();
}

/** Its push service knows it no longer. */
export async function removeGone(tx: Tx, id: number): Promise<void> {
  await tables(tx).deleteFrom('notices.push_subscriptions').where('id', '=', id).execute();
}

/** The operator's key pair; the private half is encrypted. */
export interface StoredKeys {
  readonly public_key: string;
  readonly private_key: string;
}

/** The first pair that is saved is the operator's for good: browsers registered with it. */
export async function saveKeys(tx: Tx, keys: StoredKeys): Promise<void> {
  await tables(tx).insertInto('notices.push_keys').values({ ...keys, created_at: tx.now })
    .onConflict((conflict) => conflict.column('operator_id').doNothing()).execute();
}
export async function findKeys(tx: Tx): Promise<StoredKeys | null> {
  const row = await tables(tx).selectFrom('notices.push_keys').select(['public_key', 'private_key'])
    .executeTakeFirst();
  return row ?? null;
}
