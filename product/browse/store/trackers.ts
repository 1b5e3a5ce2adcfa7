import { sql, type Generated } from 'kysely';
import type { Tx } from '../../../platform/data/data.ts';
import { dayOf } from '../../../platform/time/days.ts';
import { EVENTS_MS, SHOWN_THUMBS, type ThumbKind } from '../rules/reports/trackers.ts';

interface TrackerTables {
  'browse.thumb_clicks': {
    operator_id: Generated<number>; performer_id: number; kind: ThumbKind; clicks: number; last_at: Date;
  };
  'browse.page_events': { operator_id: Generated<number>; event: string; day: string; times: number };
}

const oldestDay = (tx: Tx): string => dayOf(new Date(tx.now.getTime() - EVENTS_MS));

export async function countClick(tx: Tx, performerId: number, kind: ThumbKind): Promise<void> {
  await tx.sql<TrackerTables>().insertInto('browse.thumb_clicks')
    .values({ performer_id: performerId, kind, clicks: 1, last_at: tx.now })
    .onConflict((conflict) => conflict.columns(['operator_id', 'performer_id', 'kind'])
      .doUpdateSet({ clicks: sql<number>`browse.thumb_clicks.clicks + 1`, last_at: tx.now }))
    .execute();
}

/** Counts an event of today, and forgets what is older than anybody looks at. */
export async function countEvent(tx: Tx, event: string): Promise<void> {
  const tables = tx.sql<TrackerTables>();
  await tables.deleteFrom('browse.page_events').where('event', '=', event)
    .where('day', '<', oldestDay(tx)).execute();
  await tables.insertInto('browse.page_events').values({ event, day: dayOf(tx.now), times: 1 })
    .onConflict((conflict) => conflict.columns(['operator_id', 'event', 'day'])
      .doUpdateSet({ times: sql<number>`browse.page_events.times + 1` }))
    .execute();
}

export async function listEvents(
  tx: Tx,
): Promise<readonly { readonly event: string; readonly day: string; readonly times: number }[]> {
  return tx.sql<TrackerTables>().selectFrom('browse.page_events').select(['event', 'day', 'times'])
    .where('day', '>=', oldestDay(tx)).orderBy('day', 'desc').orderBy('event').execute();
}

export async function listClicks(
  tx: Tx,
): Promise<readonly { readonly performerId: number; readonly kind: ThumbKind; readonly clicks: number }[]> {
  return tx.sql<TrackerTables>().selectFrom('browse.thumb_clicks')
    .select(['performer_id as performerId', 'kind', 'clicks'])
    .orderBy('clicks', 'desc').orderBy('performer_id').orderBy('kind').limit(SHOWN_THUMBS).execute();
}
