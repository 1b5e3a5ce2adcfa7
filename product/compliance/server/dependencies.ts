import type { Bus, Data } from '#platform/data/data.ts';
import type { Places } from '#platform/http/places/places.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import type { NoticesService } from '#product/notices/server.ts';
import type { SiteService } from '#product/site/server.ts';
import type { SeedPolicy } from '../rules/policy-table.ts';

/** How a site finds the region of a request, and its region table. */
export interface ComplianceSettings {
  /** The site's secret; it seals the entry cookie. */
  readonly secret: string;
  /** Demo mode: loopback is the region `demo`, and the header `x-candela-test-region` is trusted. */
  readonly demo: boolean;
  /** Trusts `x-candela-test-region` outside of demo mode too: tests only. */
  readonly testRegions?: boolean;
  /** `GEO_FALLBACK`: `strict` (default), or the region unknown places count as. */
  readonly geoFallback?: string;
  /** Header in which a trusted proxy sends the visitor's region, e.g. `cf-ipcountry`; `US` or `US-FL`. */
  readonly geoHeader?: string | null;
  /** Places of addresses, for requests in which no trusted proxy names one. */
  readonly places?: Pick<Places, 'of'> | null;
  /** Addresses and networks (CIDR) of the proxies whose header is trusted. */
  readonly trustedProxies?: readonly string[];
  /** Replaces the committed table. */
  readonly policies?: readonly SeedPolicy[];
}

export interface ComplianceDependencies {
  readonly data: Data;
  readonly bus: Bus;
  readonly accounts: AccountsService;
  readonly notices: Pick<NoticesService, 'sendTo'>;
  readonly site: Pick<SiteService, 'linkOrigin' | 'operators' | 'viewOf'>;
  readonly settings: ComplianceSettings;
}
