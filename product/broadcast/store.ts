import type { Tx } from '#platform/data/data.ts';
import { namedBlobs } from '#platform/data/database/named-blobs.ts';
import { sql, type Selectable } from 'kysely';
import { MAX_BROWSER_KEYS, type LifecycleState, type PlaybackMode, type Protocol } from './rules.ts';
import type { KeyKind } from './store/columns.ts';
import type { BroadcastTables } from './store/tables.ts';

type BroadcastRow = BroadcastTables['broadcast.broadcasts'];

/** A stored broadcast with its lifecycle state. */
export interface Broadcast {
  readonly id: number;
  readonly performerId: number;
  readonly stream: string;
  /** Who may watch. */
  readonly mode: PlaybackMode;
  readonly state: LifecycleState;
  readonly publishedWith: KeyKind;
  /** Digest of the log-in session behind a browser key. */
  readonly loginSession: string | null;
  readonly peakViewers: number;
}

/** A performer's key and the protocol it came over. */
export interface Publisher {
  readonly protocol: Protocol;
  readonly performerId: number;
  readonly keyHash: string;
  readonly kind: KeyKind;
  readonly loginSession: string | null;
}

export const tables = (tx: Tx): ReturnType<typeof tx.sql<BroadcastTables>> => tx.sql<BroadcastTables>();

const at = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

const broadcastOf = (row: Selectable<BroadcastRow>): Broadcast => ({
  id: row.id,
  performerId: row.performer_id,
  stream: row.stream,
  mode: row.mode,
  publishedWith: row.published_with,
  loginSession: row.login_session,
  peakViewers: row.peak_viewers,
  state: {
    phase: row.phase,
    session: row.publish_session,
    startedAt: row.started_at?.getTime() ?? null,
    endedAt: row.ended_at?.getTime() ?? null,
    endReason: row.end_reason,
    deadline: row.deadline_at?.getTime() ?? null,
  },
});

/** The open broadcast of a performer, locked for a transition. */
export async function lockOpen(tx: Tx, performerId: number): Promise<Broadcast | null> {
  const row = await tables(tx).selectFrom('broadcast.broadcasts').selectAll()
    .where('performer_id', '=', performerId).where('phase', '<>', 'ended')
    .forUpdate().executeTakeFirst();
  return row ? broadcastOf(row) : null;
}

/** The broadcast of a stream, running or ended. */
export async function findByStream(tx: Tx, stream: string): Promise<Broadcast | null> {
  const row = await tables(tx).selectFrom('broadcast.broadcasts').selectAll()
    .where('stream', '=', stream).executeTakeFirst();
  return row ? broadcastOf(row) : null;
}

/** The performer of a broadcast. */
export async function performerOf(tx: Tx, broadcastId: number): Promise<number | null> {
  const row = await tables(tx).selectFrom('broadcast.broadcasts').select('performer_id')
    .where('id', '=', broadcastId).executeTakeFirst();
  return row?.performer_id ?? null;
}

/** One page of performers with an open broadcast, by id, after `after`. */
export async function openPerformers(tx: Tx, after: number, limit: number): Promise<number[]> {
  const rows = await tables(tx).selectFrom('broadcast.broadcasts').select('performer_id')
    .where('phase', '<>', 'ended').where('performer_id', '>', after)
    .orderBy('performer_id').limit(limit).execute();
  return rows.map((row) => row.performer_id);
}

/** Performers whose current publisher uses a browser key of one of these log-in sessions. */
export async function openBySessions(tx: Tx, loginSessions: readonly string[]): Promise<number[]> {
  const rows = await tables(tx).selectFrom('broadcast.broadcasts').select('performer_id')
    .where('phase', '<>', 'ended').where('login_session', 'in', loginSessions).execute();
  return rows.map((row) => row.performer_id);
}

/** The open broadcast of a performer, and the end of the last one that was online; either may be missing. */
export async function lastBroadcasts(
  tx: Tx,
  performerId: number,
): Promise<{ open: Broadcast | null; lastEndedAt: Date | null }> {
  const rows = await tables(tx).selectFrom('broadcast.broadcasts').selectAll()
    .where('performer_id', '=', performerId)
    .where((where) => where.or([where('phase', '<>', 'ended'), where('started_at', 'is not', null)]))
    .orderBy('id', 'desc').limit(2).execute();
  const open = rows.find((row) => row.phase !== 'ended');
  const over = rows.find((row) => row.phase === 'ended');
  return { open: open ? broadcastOf(open) : null, lastEndedAt: over?.ended_at ?? null };
}

/**
 * As {@link lastBroadcasts}, for many performers with one query; performers who never broadcast are missing.
 */
export async function lastBroadcastsOf(
  tx: Tx,
  performerIds: readonly number[],
): Promise<ReadonlyMap<number, { open: Broadcast | null; lastEndedAt: Date | null }>> {
  const rows = await tables(tx).selectFrom(
    sql<{ id: number }>`unnest(${[...performerIds]}::bigint[])`.as<'asked'>(sql`asked(id)`),
  ).innerJoinLateral(
    (inner) =>
      inner.selectFrom('broadcast.broadcasts as one').selectAll('one')
        .whereRef('one.performer_id', '=', 'asked.id')
        .where((where) =>
          where.or([
            where('one.phase', '<>', 'ended'),
            where('one.started_at', 'is not', null),
          ])
        )
        .orderBy('one.id', 'desc').limit(2).as('last'),
    (join) => join.onTrue(),
  ).selectAll('last').orderBy('last.id', 'desc').execute();
  const found = new Map<number, { open: Broadcast | null; lastEndedAt: Date | null }>();
  for (const row of rows) {
    const before = found.get(row.performer_id) ?? { open: null, lastEndedAt: null };
    found.set(
      row.performer_id,
      row.phase === 'ended'
        ? { ...before, lastEndedAt: before.lastEndedAt ?? row.ended_at }
        : { ...before, open: broadcastOf(row) },
    );
  }
  return found;
}

/** Inserts a broadcast under a clearance of the same performer; returns its id. */
export async function insertBroadcast(
  tx: Tx,
  { stream, mode, clearanceId, publisher, state }: {
    readonly stream: string;
    readonly mode: PlaybackMode;
    readonly clearanceId: number;
    readonly publisher: Publisher;
    readonly state: LifecycleState;
  },
): Promise<number> {
  const { id } = await tables(tx).insertInto('broadcast.broadcasts')
    .values({
      performer_id: publisher.performerId,
      clearance_id: clearanceId,
      stream,
      mode,
      made_at: tx.now,
      protocol: publisher.protocol,
      published_with: publisher.kind,
      login_session: publisher.loginSession,
      ...columnsOf(state),
    })
    .returning('id').executeTakeFirstOrThrow();
  return id;
}

function columnsOf(state: LifecycleState) {
  return {
    phase: state.phase,
    publish_session: state.session,
    started_at: at(state.startedAt),
    deadline_at: at(state.deadline),
    ended_at: at(state.endedAt),
    end_reason: state.endReason,
  };
}

export async function saveState(tx: Tx, id: number, state: LifecycleState): Promise<void> {
  await tables(tx).updateTable('broadcast.broadcasts').set(columnsOf(state)).where('id', '=', id).execute();
}

/** Saves that another publisher has taken over the broadcast. */
export async function saveTakeover(
  tx: Tx,
  id: number,
  publisher: Publisher,
  state: LifecycleState,
): Promise<void> {
  await tables(tx).updateTable('broadcast.broadcasts')
    .set({
      ...columnsOf(state),
      published_with: publisher.kind,
      login_session: publisher.loginSession,
      protocol: publisher.protocol,
    })
    .where('id', '=', id).execute();
}

/** Saves the new stream name and mode of a broadcast. */
export async function saveMove(tx: Tx, id: number, stream: string, mode: PlaybackMode): Promise<void> {
  await tables(tx).updateTable('broadcast.broadcasts').set({ stream, mode }).where('id', '=', id).execute();
}

/** Raises the peak viewer count; a lower count changes nothing. */
export async function raisePeak(tx: Tx, stream: string, viewers: number): Promise<void> {
  await tables(tx).updateTable('broadcast.broadcasts').set({ peak_viewers: viewers })
    .where('stream', '=', stream).where('peak_viewers', '<', viewers).execute();
}

export async function findDetails(tx: Tx, performerId: number): Promise<{ title: string; tags: string[] }> {
  const row = await tables(tx).selectFrom('broadcast.details').select(['title', 'tags'])
    .where('performer_id', '=', performerId).executeTakeFirst();
  return row ?? { title: '', tags: [] };
}

export async function findDetailsOf(
  tx: Tx,
  performerIds: readonly number[],
): Promise<ReadonlyMap<number, { readonly title: string; readonly tags: string[] }>> {
  const rows = await tables(tx).selectFrom('broadcast.details').select(['performer_id', 'title', 'tags'])
    .where('performer_id', '=', sql<number>`any(${[...performerIds]}::bigint[])`).execute();
  return new Map(rows.map(({ performer_id: id, title, tags }) => [id, { title, tags }]));
}

export async function saveDetails(tx: Tx, performerId: number, title: string, tags: string[]): Promise<void> {
  await tables(tx).insertInto('broadcast.details').values({ performer_id: performerId, title, tags })
    .onConflict((conflict) => conflict.columns(['operator_id', 'performer_id']).doUpdateSet({ title, tags }))
    .execute();
}

/** Saves a stream key in place of the performer's previous one. */
export async function saveStreamKey(tx: Tx, performerId: number, keyHash: string): Promise<void> {
  const row = { key_hash: keyHash, made_at: tx.now };
  await tables(tx).insertInto('broadcast.stream_keys').values({ performer_id: performerId, ...row })
    .onConflict((conflict) => conflict.columns(['operator_id', 'performer_id']).doUpdateSet(row))
    .execute();
}

/** Removes a performer's stream key, so that no encoder can start with it. False if there was none. */
export async function deleteStreamKey(tx: Tx, performerId: number): Promise<boolean> {
  const { numDeletedRows } = await tables(tx).deleteFrom('broadcast.stream_keys')
    .where('performer_id', '=', performerId).executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function streamKeyMadeAt(tx: Tx, performerId: number): Promise<Date | null> {
  const row = await tables(tx).selectFrom('broadcast.stream_keys').select('made_at')
    .where('performer_id', '=', performerId).executeTakeFirst();
  return row?.made_at ?? null;
}

/** Inserts a browser key; deletes expired keys and all but the newest unused ones. */
export async function insertBrowserKey(
  tx: Tx,
  key: { keyHash: string; performerId: number; loginSession: string; expiresAt: Date },
): Promise<void> {
  const { keyHash, performerId, loginSession, expiresAt } = key;
  const unused = tables(tx).selectFrom('broadcast.browser_keys').select('key_hash')
    .where('performer_id', '=', performerId).where('broadcast_id', 'is', null)
    .where('expires_at', '>', tx.now).orderBy('made_at', 'desc').limit(MAX_BROWSER_KEYS - 1);
  const running = tables(tx).selectFrom('broadcast.broadcasts').select('id')
    .where('performer_id', '=', performerId).where('phase', '<>', 'ended');
  await tables(tx).deleteFrom('broadcast.browser_keys')
    .where('performer_id', '=', performerId)
    .where((where) =>
      where.not(where.or([
        where('key_hash', 'in', unused),
        where.and([where('broadcast_id', 'is not', null), where('broadcast_id', 'in', running)]),
      ]))
    )
    .execute();
  await tables(tx).insertInto('broadcast.browser_keys')
    .values({
      key_hash: keyHash,
      performer_id: performerId,
      login_session: loginSession,
      made_at: tx.now,
      expires_at: expiresAt,
    })
    .execute();
}

/** Binds a browser key to the broadcast of its first use. */
export async function bindBrowserKey(tx: Tx, keyHash: string, broadcastId: number): Promise<void> {
  await tables(tx).updateTable('broadcast.browser_keys').set({ broadcast_id: broadcastId })
    .where('key_hash', '=', keyHash).execute();
}

export async function deleteBrowserKeys(tx: Tx, loginSessions: readonly string[]): Promise<void> {
  await tables(tx).deleteFrom('broadcast.browser_keys').where('login_session', 'in', loginSessions).execute();
}

/** The operator a stream key belongs to, across operators; null for an unknown key. */
export async function operatorOfKey(tx: Tx, keyHash: string): Promise<number | null> {
  // Row-level security shows only the row of this key.
  await sql`select set_config('app.stream_key', ${keyHash}, true)`.execute(tx.sql());
  const row = await tables(tx).selectFrom('broadcast.stream_keys').select('operator_id')
    .where('key_hash', '=', keyHash).executeTakeFirst();
  return row?.operator_id ?? null;
}

/**
 * The publisher a key belongs to; null when the key is unknown or expired. A browser key is valid while it is
 * unused and unexpired, or while the broadcast of its first use runs.
 */
export async function findPublisher(tx: Tx, keyHash: string, protocol: Protocol): Promise<Publisher | null> {
  const stream = await tables(tx).selectFrom('broadcast.stream_keys').select('performer_id')
    .where('key_hash', '=', keyHash).executeTakeFirst();
  const credential = { keyHash, protocol };
  if (stream) {
    return {
      ...credential,
      performerId: stream.performer_id,
      kind: 'stream_key',
      loginSession: null,
    };
  }
  const browser = await tables(tx).selectFrom('broadcast.browser_keys as key')
    .leftJoin(
      'broadcast.broadcasts as used',
      (join) =>
        join.onRef('used.id', '=', 'key.broadcast_id').onRef('used.operator_id', '=', 'key.operator_id'),
    )
    .select(['key.performer_id', 'key.login_session', 'key.expires_at', 'key.broadcast_id', 'used.phase'])
    .where('key.key_hash', '=', keyHash).executeTakeFirst();
  if (!browser) return null;
  const isValid = browser.broadcast_id === null ? browser.expires_at > tx.now : browser.phase !== 'ended';
  if (!isValid) return null;
  return {
    ...credential,
    performerId: browser.performer_id,
    kind: 'browser_key',
    loginSession: browser.login_session,
  };
}

/** The blob id of a performer's portrait. */
export async function findPortrait(tx: Tx, performerId: number): Promise<string | null> {
  const row = await tables(tx).selectFrom('broadcast.portraits').select('blob_id')
    .where('performer_id', '=', performerId).executeTakeFirst();
  return row?.blob_id ?? null;
}

export async function savePortrait(tx: Tx, performerId: number, blobId: string): Promise<void> {
  await tables(tx).insertInto('broadcast.portraits')
    .values({ performer_id: performerId, blob_id: blobId })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'performer_id']).doUpdateSet({ blob_id: blobId })
    )
    .execute();
}

/** Blobs of this slice that the blob sweep must not delete. */
export const portraitBlobs = [namedBlobs({ table: 'broadcast.portraits', column: 'blob_id', many: false })];
