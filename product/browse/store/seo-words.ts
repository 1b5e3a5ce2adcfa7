import { sql, type Generated } from 'kysely';
import type { Tx } from '../../../platform/data/data.ts';
import { dayOf } from '../../../platform/time/days.ts';
import { SEO_DAYS_MS, type Wording } from '../rules/reports/seo-words.ts';

interface SeoTables {
  'browse.seo_performers': { operator_id: Generated<number>; performer_id: number };
  'browse.seo_visits': {
    operator_id: Generated<number>; day: string; wording: Wording; people: number; crawlers: number;
  };
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
  const rows = await tx.sql<SeoTables>().selectFrom('browse.seo_performers').select('performer_id').execute();
  return rows.map(({ performer_id: id }) => id);
}

/** Replaces the list. */
export async function saveSeoPerformers(tx: Tx, ids: readonly number[]): Promise<void> {
  const tables = tx.sql<SeoTables>();
  await tables.deleteFrom('browse.seo_performers').execute();
  if (ids.length === 0) return;
  await tables.insertInto('browse.seo_performers').values(ids.map((id) => ({ performer_id: id }))).execute();
}

const oldestDay = (tx: Tx): string => dayOf(new Date(tx.now.getTime() - SEO_DAYS_MS));

/** Adds counts to those of their days, and deletes what is older than anybody looks at. */
export async function addSeoVisits(tx: Tx, counts: readonly SeoVisitCount[]): Promise<void> {
  const tables = tx.sql<SeoTables>();
  await tables.deleteFrom('browse.seo_visits').where('day', '<', oldestDay(tx)).execute();
  await tables.insertInto('browse.seo_visits').values([...counts])
    .onConflict((conflict) => conflict.columns(['operator_id', 'day', 'wording']).doUpdateSet({
      people: sql<number>`browse.seo_visits.people + excluded.people`,
      crawlers: sql<number>`browse.seo_visits.crawlers + excluded.crawlers`,
    }))
    .execute();
}

export async function listSeoVisits(tx: Tx): Promise<readonly SeoVisitCount[]> {
  return tx.sql<SeoTables>().selectFrom('browse.seo_visits').select(['day', 'wording', 'people', 'crawlers'])
    .where('day', '>=', oldestDay(tx)).orderBy('day', 'desc').orderBy('wording').execute();
}
