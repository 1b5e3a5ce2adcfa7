import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { MAX_BROWSERS } from '../rules/push.ts';
import type { NoticesTables } from './tables.ts';

const tables = (tx: Tx): ReturnType<typeof tx.sql<NoticesTables>> => tx.sql<NoticesTables>();

/** The columns of every registration. */
interface Registration {
  readonly person_id: number;
  readonly player_id: string;
}
/** The browser's push service and keys, with which the site itself sends. */
interface OwnTarget {
  readonly app_id: null;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}
/** A browser that a push provider's app knows by `player_id`. */
interface ProviderTarget {
  readonly app_id: string;
  readonly endpoint: null;
  readonly p256dh: null;
  readonly auth: null;
}
/** A browser that gets push messages. */
export type Browser = Registration & { readonly id: number } & (OwnTarget | ProviderTarget);
const COLUMNS = ['id', 'person_id', 'player_id', 'app_id', 'endpoint', 'p256dh', 'auth'] as const;

/**
 * Registrations of a provider's app, or with null of the site itself; others wait until their sender is back.
 */
const ofApp = (appId: string | null) => sql<boolean>`app_id is not distinct from ${appId}::text`;

/** Browsers of a person that get push messages. */
export async function countSubscriptions(
  tx: Tx,
  personId: number,
  appId: string | null,
): Promise<number> {
  const { count } = await tables(tx).selectFrom('notices.push_subscriptions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('person_id', '=', personId).where(ofApp(appId)).executeTakeFirstOrThrow();
  return count;
}

/** Browsers of these people that were registered or reported after a time. */
export async function findBrowsers(
  tx: Tx,
  personIds: readonly number[],
  appId: string | null,
  since: Date,
): Promise<Browser[]> {
  return tables(tx).selectFrom('notices.push_subscriptions').select(COLUMNS)
    .where(sql<boolean>`person_id = any(${[...personIds]}::bigint[])`).where(ofApp(appId))
    .where(sql<boolean>`coalesce(reported_at, created_at) > ${since}`).orderBy('id')
    .$castTo<Browser>().execute();
}

export async function findBrowser(tx: Tx, id: number): Promise<Browser | null> {
  const row = await tables(tx).selectFrom('notices.push_subscriptions').select(COLUMNS)
    .where('id', '=', id).$castTo<Browser>().executeTakeFirst();
  return row ?? null;
}

/** With the session that it belongs to. */
type Saved<Target> = Registration & Omit<Target, 'app_id'> & { readonly session: string | null };

/**
 * Saves a browser's registration; one of another person becomes this person's. Deletes the oldest beyond the
 * limit, and those that have not reported since a time.
 */
export async function saveBrowser(
  tx: Tx,
  browser: Saved<OwnTarget>,
  unreportedSince: Date,
): Promise<void> {
  const { person_id: personId, player_id: playerId, p256dh, auth, session } = browser;
  await tables(tx).insertInto('notices.push_subscriptions').values({ ...browser, created_at: tx.now })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'endpoint']).doUpdateSet({
        person_id: personId,
        player_id: playerId,
        p256dh,
        auth,
        session,
        created_at: tx.now,
        reported_at: null,
      })
    ).execute();
  await trimBrowsers(tx, personId, unreportedSince);
}

/** The same for a browser that a push provider knows. */
export async function savePlayer(
  tx: Tx,
  { app_id: appId, ...browser }: Registration & {
    readonly app_id: string;
    readonly session: string | null;
  },
  unreportedSince: Date,
): Promise<void> {
  const { person_id: personId, session } = browser;
  await tables(tx).insertInto('notices.push_subscriptions')
    .values({ ...browser, app_id: appId, endpoint: null, p256dh: null, auth: null, created_at: tx.now })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'player_id']).doUpdateSet({
        person_id: personId,
        session,
        created_at: tx.now,
        reported_at: null,
      }).where('notices.push_subscriptions.app_id', '=', appId)
    ).execute();
  await trimBrowsers(tx, personId, unreportedSince);
}

async function trimBrowsers(tx: Tx, personId: number, unreportedSince: Date): Promise<void> {
  await tables(tx).deleteFrom('notices.push_subscriptions').where('person_id', '=', personId)
    .where(sql<boolean>`coalesce(reported_at, created_at) <= ${unreportedSince}`).execute();
  await tables(tx).deleteFrom('notices.push_subscriptions')
    .where('id', 'in', (query) =>
      query.selectFrom('notices.push_subscriptions').select('id')
        .where('person_id', '=', personId).orderBy('created_at', 'desc').orderBy('id', 'desc')
        .offset(MAX_BROWSERS))
    .execute();
}

/** Records a report of a registration of this app, and its session; false where the person has none such. */
export async function saveReport(
  tx: Tx,
  { person_id: personId, player_id: playerId }: Registration,
  appId: string | null,
  session: string | null,
): Promise<boolean> {
  const { numUpdatedRows } = await tables(tx).updateTable('notices.push_subscriptions')
    .set({ reported_at: tx.now, session }).where('person_id', '=', personId).where('player_id', '=', playerId)
    .where(ofApp(appId)).executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Removes another person's registration that this person reports: the browser is theirs now. */
export async function removeOfFormer(
  tx: Tx,
  { person_id: personId, player_id: playerId }: Registration,
): Promise<void> {
  await tables(tx).deleteFrom('notices.push_subscriptions')
    .where('person_id', '!=', personId).where('player_id', '=', playerId).execute();
}

export async function removeBrowser(tx: Tx, personId: number, playerId: string): Promise<void> {
  await tables(tx).deleteFrom('notices.push_subscriptions')
    .where('person_id', '=', personId).where('player_id', '=', playerId).execute();
}

/** Removes the registrations of browsers whose sessions ended. */
export async function removeOfSessions(
  tx: Tx,
  personId: number,
  sessions: readonly string[],
): Promise<void> {
  await tables(tx).deleteFrom('notices.push_subscriptions').where('person_id', '=', personId)
    .where(sql<boolean>`session = any(${[...sessions]}::text[])`).execute();
}

/** Removes a person's registrations except that of one session; null removes all. */
export async function removeAllBut(tx: Tx, personId: number, session: string | null): Promise<void> {
  await tables(tx).deleteFrom('notices.push_subscriptions').where('person_id', '=', personId)
    .where(sql<boolean>`session is distinct from ${session}::text or session is null`).execute();
}

/** Moves registrations to the session that replaces an earlier one of the person. */
export async function moveToSession(
  tx: Tx,
  personId: number,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await tables(tx).updateTable('notices.push_subscriptions').set({ session: to })
    .where('person_id', '=', personId).where('session', '=', from).execute();
}

/** Removes a registration that the push service no longer knows. */
export async function removeGone(tx: Tx, id: number): Promise<void> {
  await tables(tx).deleteFrom('notices.push_subscriptions').where('id', '=', id).execute();
}

/** The operator's key pair; the private half is encrypted. */
export interface StoredKeys {
  readonly public_key: string;
  readonly private_key: string;
}

/** The first saved pair is the operator's for good, because browsers register with it. */
export async function saveKeys(tx: Tx, keys: StoredKeys): Promise<void> {
  await tables(tx).insertInto('notices.push_keys').values({ ...keys, created_at: tx.now })
    .onConflict((conflict) => conflict.column('operator_id').doNothing()).execute();
}
export async function findKeys(tx: Tx): Promise<StoredKeys | null> {
  const row = await tables(tx).selectFrom('notices.push_keys').select(['public_key', 'private_key'])
    .executeTakeFirst();
  return row ?? null;
}
