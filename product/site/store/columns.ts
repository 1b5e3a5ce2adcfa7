import type { Json } from '#platform/data/columns.ts';
import type { Look } from '../contract.ts';
import type { SiteSettings } from '../rules.ts';
import type { Banner } from '../rules/banner.ts';

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'site.operators.settings': Json<Partial<SiteSettings>>;
  'site.sites.custom': Json<Partial<Look>>;
  'site.sites.banner': Json<Banner>;
}
