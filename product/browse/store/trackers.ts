import type { Tx } from '#platform/data/data.ts';
import { dayOf } from '#platform/time/days.ts';
import { sql } from 'kysely';
import { SEO_DAYS_MS, type Wording } from '../rules/reports/seo-words.ts';
import { EVENTS_MS, SHOWN_THUMBS, type ThumbKind } from '../rules/reports/trackers.ts';
import type { BrowseTables } from './tables.ts';

const oldestDay = (tx: Tx): string => dayOf(new Date(tx.now.getTime() - EVENTS_MS));

export async function countClick(tx: Tx, performerId: number, kind: ThumbKind): Promise<void> {
  await tx.sql<BrowseTables>().insertInto('browse.thumb_clicks')
    .values({ performer_id: performerId, kind, clicks: 1, last_at: tx.now })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'performer_id', 'kind'])
        .doUpdateSet({ clicks: sql<number>`browse.thumb_clicks.clicks + 1`, last_at: tx.now })
    )
    .execute();
}

/** Counts an event of today, and deletes counts that are no longer shown. */
export async function countEvent(tx: Tx, event: string): Promise<void> {
  const tables = tx.sql<BrowseTables>();
  await tables.deleteFrom('browse.page_events').where('event', '=', event)
    .where('day', '<', oldestDay(tx)).execute();
  await tables.insertInto('browse.page_events').values({ event, day: dayOf(tx.now), times: 1 })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'event', 'day'])
        .doUpdateSet({ times: sql<number>`browse.page_events.times + 1` })
    )
    .execute();
}

export async function listEvents(
  tx: Tx,
): Promise<readonly { readonly event: string; readonly day: string; readonly times: number }[]> {
  return tx.sql<BrowseTables>().selectFrom('browse.page_events').select(['event', 'day', 'times'])
    .where('day', '>=', oldestDay(tx)).orderBy('day', 'desc').orderBy('event').execute();
}

export async function listClicks(
  tx: Tx,
): Promise<readonly { readonly performerId: number; readonly kind: ThumbKind; readonly clicks: number }[]> {
  return tx.sql<BrowseTables>().selectFrom('browse.thumb_clicks')
    .select(['performer_id as performerId', 'kind', 'clicks'])
    .orderBy('clicks', 'desc').orderBy('performer_id').orderBy('kind').limit(SHOWN_THUMBS).execute();
}

/** Visits of one day (UTC) with one wording. */
export interface SeoVisitCount {
  readonly day: string;
  readonly wording: Wording;
  readonly people: number;
  readonly crawlers: number;
}

/** Ids of the performers in the experiment: at most `MAX_SEO_PERFORMERS`. */
export async function listSeoPerformers(tx: Tx): Promise<number[]> {
  const rows = await tx.sql<BrowseTables>().selectFrom('browse.seo_performers').select('performer_id')
    .execute();
  return rows.map(({ performer_id: id }) => id);
}

/** Replaces the list. */
export async function saveSeoPerformers(tx: Tx, ids: readonly number[]): Promise<void> {
  const tables = tx.sql<BrowseTables>();
  await tables.deleteFrom('browse.seo_performers').execute();
  if (ids.length === 0) return;
  await tables.insertInto('browse.seo_performers').values(ids.map((id) => ({ performer_id: id }))).execute();
}

const oldestSeoDay = (tx: Tx): string => dayOf(new Date(tx.now.getTime() - SEO_DAYS_MS));

/** Adds counts to their days, and deletes those that are no longer shown. */
export async function addSeoVisits(tx: Tx, counts: readonly SeoVisitCount[]): Promise<void> {
  const tables = tx.sql<BrowseTables>();
  await tables.deleteFrom('browse.seo_visits').where('day', '<', oldestSeoDay(tx)).execute();
  await tables.insertInto('browse.seo_visits').values([...counts])
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'day', 'wording']).doUpdateSet({
        people: sql<number>`browse.seo_visits.people + excluded.people`,
        crawlers: sql<number>`browse.seo_visits.crawlers + excluded.crawlers`,
      })
    )
    .execute();
}

export async function listSeoVisits(tx: Tx): Promise<readonly SeoVisitCount[]> {
  return tx.sql<BrowseTables>().selectFrom('browse.seo_visits')
    .select(['day', 'wording', 'people', 'crawlers'])
    .where('day', '>=', oldestSeoDay(tx)).orderBy('day', 'desc').orderBy('wording').execute();
}
