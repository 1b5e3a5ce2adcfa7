import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import type { CamView } from '../contract/settings.ts';
import { DEFAULT_STREAMER_SETTINGS, NO_CAM_SETTINGS, type StreamingTech } from '../rules.ts';
import { tables } from '../store.ts';

/** A performer's own streamer settings. */
export interface OwnSettings {
  readonly streaming_tech: StreamingTech;
  readonly standby_enabled: boolean;
  readonly standby_notifications_enabled: boolean;
  readonly cam: CamView;
}

/** A performer's settings, with defaults for those never changed. */
export async function findStreamerSettings(tx: Tx, performerId: number): Promise<OwnSettings> {
  const row = await tables(tx).selectFrom('broadcast.streamer_settings')
    .select(['streaming_tech', 'standby_enabled', 'standby_notifications_enabled', 'cam'])
    .where('performer_id', '=', performerId).executeTakeFirst();
  return { ...DEFAULT_STREAMER_SETTINGS, ...row, cam: { ...NO_CAM_SETTINGS, ...row?.cam } };
}

/** Saves only the given settings. */
export async function saveStreamerSettings(
  tx: Tx,
  performerId: number,
  { cam, ...rest }: Partial<OwnSettings>,
): Promise<void> {
  const row = { ...rest, ...(cam ? { cam: JSON.stringify(cam) } : {}) };
  if (Object.keys(row).length === 0) return;
  await tables(tx).insertInto('broadcast.streamer_settings').values({ performer_id: performerId, ...row })
    .onConflict((conflict) => conflict.columns(['operator_id', 'performer_id']).doUpdateSet(row))
    .execute();
}

/** Begins standby, or restarts it. */
export async function saveStandby(
  tx: Tx,
  performerId: number,
  loginSession: string,
  endsAt: Date,
): Promise<void> {
  const row = { login_session: loginSession, since: tx.now, ends_at: endsAt };
  await tables(tx).insertInto('broadcast.standbys').values({ performer_id: performerId, ...row })
    .onConflict((conflict) => conflict.columns(['operator_id', 'performer_id']).doUpdateSet(row))
    .execute();
}

/** The studio of a performer; null without one. */
export async function findStudio(tx: Tx, performerId: number): Promise<string | null> {
  const row = await tables(tx).selectFrom('broadcast.studios').select('studio')
    .where('performer_id', '=', performerId).executeTakeFirst();
  return row?.studio ?? null;
}

/** Studios of the given performers, if they have one. */
export async function findStudios(
  tx: Tx,
  performerIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await tables(tx).selectFrom('broadcast.studios').select(['performer_id', 'studio'])
    .where('performer_id', '=', sql<number>`any(${[...performerIds]}::bigint[])`).execute();
  return new Map(rows.map(({ performer_id: id, studio }) => [id, studio]));
}

/** The given performers who are in standby. */
export async function standbyAmong(tx: Tx, performerIds: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await tables(tx).selectFrom('broadcast.standbys').select('performer_id')
    .where('performer_id', '=', sql<number>`any(${[...performerIds]}::bigint[])`).execute();
  return new Set(rows.map(({ performer_id: id }) => id));
}

/** Sets or removes the studio of a performer. */
export async function saveStudio(tx: Tx, performerId: number, studio: string | null): Promise<void> {
  await tables(tx).deleteFrom('broadcast.studios').where('performer_id', '=', performerId).execute();
  if (studio === null) return;
  await tables(tx).insertInto('broadcast.studios').values({ performer_id: performerId, studio }).execute();
}

export async function isStandby(tx: Tx, performerId: number): Promise<boolean> {
  const row = await tables(tx).selectFrom('broadcast.standbys').select('performer_id')
    .where('performer_id', '=', performerId).executeTakeFirst();
  return row !== undefined;
}

/**
 * Ends the standby of a performer; false when there was none to end.
 * @param only ends standby only if it expires by `by`, or only if one of `sessions` began it
 */
export async function deleteStandby(
  tx: Tx,
  performerId: number,
  only: { readonly by?: Date; readonly sessions?: readonly string[] } = {},
): Promise<boolean> {
  let deleting = tables(tx).deleteFrom('broadcast.standbys').where('performer_id', '=', performerId);
  if (only.by) deleting = deleting.where('ends_at', '<=', only.by);
  if (only.sessions) deleting = deleting.where('login_session', 'in', only.sessions);
  return (await deleting.returning('performer_id').executeTakeFirst()) !== undefined;
}
