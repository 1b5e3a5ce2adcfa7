import type { Scope } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { randomId } from '#platform/data/ids.ts';
import { sql } from 'kysely';
import type { Look } from './contract.ts';
import type { SiteSettings } from './rules.ts';
import type { Banner } from './rules/banner.ts';
import type { SiteTables } from './store/tables.ts';

/** A site as stored; `custom` holds only what differs from the default look. */
export interface SiteRow {
  readonly display_name: string;
  readonly main_domain_url: string | null;
  readonly sitecode: string;
  readonly owner_webmaster_username: string | null;
  readonly is_whitelabel: boolean;
  readonly is_non_nude: boolean;
  readonly co_registration_url: string | null;
  readonly custom: Partial<Look>;
  readonly banner: Banner | null;
}

export interface NewSite {
  readonly displayName: string;
  readonly sitecode: string;
  readonly hosts: readonly string[];
  readonly mainDomainUrl?: string | null;
  readonly isWhitelabel?: boolean;
  readonly coRegistrationUrl?: string | null;
  readonly look?: Partial<Look>;
}

/** The site that lists a host name, whatever the unit of work's operator. */
export async function findHost(tx: Tx, host: string): Promise<Scope | null> {
  const row = await tx.sql<SiteTables>().selectFrom('site.hosts').select(['operator_id', 'site_id'])
    .where('host', '=', host).executeTakeFirst();
  return row ? { operatorId: row.operator_id, siteId: row.site_id } : null;
}

export async function findSite(tx: Tx, siteId: number): Promise<SiteRow | null> {
  const row = await tx.sql<SiteTables>().selectFrom('site.sites')
    .select([
      'display_name',
      'main_domain_url',
      'sitecode',
      'owner_webmaster_username',
      'is_whitelabel',
      'is_non_nude',
      'co_registration_url',
      'custom',
      'banner',
    ])
    .where('site_id', '=', siteId).executeTakeFirst();
  return row ?? null;
}

/** Takes the id of a new operator, whose rows are written in a unit of work of its own. */
export async function takeOperatorId(tx: Tx): Promise<number> {
  const next = sql<{ id: number }>`select nextval('site.operator_ids') as id`;
  const { rows } = await next.execute(tx.sql<SiteTables>());
  if (!rows[0]) throw new Error('a sequence always has a next value');
  return rows[0].id;
}

/** Ids of all operators, also of those without a host name, whatever the unit of work's operator. */
export async function everyOperatorId(tx: Tx): Promise<readonly number[]> {
  const { rows } = await sql<{ id: number }>`select id from site.every_operator() as id order by id`
    .execute(tx.sql<SiteTables>());
  return rows.map(({ id }) => id);
}

/** The random id of this database, in the row of the unit of work's operator; created by the first call. */
export async function databaseId(tx: Tx): Promise<string> {
  const { database_id: id } = await tx.sql<SiteTables>().updateTable('site.operators')
    .set({ database_id: sql<string>`coalesce(database_id, ${randomId()})` })
    .where('operator_id', '=', tx.operatorId).returning('database_id').executeTakeFirstOrThrow();
  if (id === null) throw new Error('the id of a database was just written');
  return id;
}

export async function insertOperator(tx: Tx, name: string): Promise<void> {
  await tx.sql<SiteTables>().insertInto('site.operators')
    .values({ operator_id: tx.operatorId, name }).execute();
}

/** Adds a site to the operator of the unit of work and returns its id; throws for a host of another site. */
export async function insertSite(tx: Tx, site: NewSite): Promise<number> {
  const { site_id } = await tx.sql<SiteTables>().insertInto('site.sites')
    .values({
      display_name: site.displayName,
      main_domain_url: site.mainDomainUrl ?? null,
      sitecode: site.sitecode,
      owner_webmaster_username: null,
      is_whitelabel: site.isWhitelabel ?? false,
      co_registration_url: site.coRegistrationUrl ?? null,
      custom: JSON.stringify(site.look ?? {}),
    })
    .returning('site_id').executeTakeFirstOrThrow();
  for (const host of site.hosts) {
    await tx.sql<SiteTables>().insertInto('site.hosts')
      .values({ operator_id: tx.operatorId, site_id, host: host.toLowerCase() }).execute();
  }
  return site_id;
}

/** Operators that have a host name of their own. */
export async function listHostOperators(tx: Tx): Promise<number[]> {
  const rows = await tx.sql<SiteTables>().selectFrom('site.hosts').select('operator_id').distinct()
    .orderBy('operator_id').execute();
  return rows.map((row) => row.operator_id);
}

/** Name of the operator of the unit of work. */
export async function operatorName(tx: Tx): Promise<string> {
  const { name } = await tx.sql<SiteTables>().selectFrom('site.operators').select('name')
    .where('operator_id', '=', tx.operatorId).executeTakeFirstOrThrow();
  return name;
}

/** Names of the operator's sites, as shown. */
export async function siteNames(tx: Tx): Promise<readonly string[]> {
  const rows = await tx.sql<SiteTables>().selectFrom('site.sites').select('display_name').execute();
  return rows.map((row) => row.display_name);
}

/** Marks the operator of the unit of work as a demo. */
export async function noteDemo(tx: Tx): Promise<void> {
  await tx.sql<SiteTables>().updateTable('site.operators').set({ demo_since: tx.now })
    .where('operator_id', '=', tx.operatorId).execute();
}

export async function demoSince(tx: Tx): Promise<Date | null> {
  const row = await tx.sql<SiteTables>().selectFrom('site.operators').select('demo_since')
    .where('operator_id', '=', tx.operatorId).executeTakeFirst();
  return row?.demo_since ?? null;
}

/** The settings of the operator of the unit of work, without defaults. */
export async function findSettings(tx: Tx): Promise<Partial<SiteSettings>> {
  const row = await tx.sql<SiteTables>().selectFrom('site.operators').select('settings')
    .where('operator_id', '=', tx.operatorId).executeTakeFirst();
  return row?.settings ?? {};
}

/** Changes the given settings and leaves the others. */
export async function mergeSettings(tx: Tx, settings: Partial<SiteSettings>): Promise<void> {
  await tx.sql<SiteTables>().updateTable('site.operators')
    .set({ settings: sql`settings || ${JSON.stringify(settings)}::jsonb` })
    .where('operator_id', '=', tx.operatorId).execute();
}

/** Changes the given parts of a site's design and leaves the others. */
export async function mergeLook(tx: Tx, siteId: number, look: Partial<Look>): Promise<void> {
  await tx.sql<SiteTables>().updateTable('site.sites')
    .set({ custom: sql`custom || ${JSON.stringify(look)}::jsonb` })
    .where('site_id', '=', siteId).execute();
}

/** Replaces a site's banner, or removes it. */
export async function putBanner(tx: Tx, siteId: number, banner: Banner | null): Promise<void> {
  await tx.sql<SiteTables>().updateTable('site.sites')
    .set({ banner: banner === null ? null : JSON.stringify(banner) })
    .where('site_id', '=', siteId).execute();
}
