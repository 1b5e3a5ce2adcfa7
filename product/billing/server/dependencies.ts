import type { Data, Tx } from '#platform/data/data.ts';
import type { RateLimitStore } from '#platform/data/limits/rate-limits.ts';
import type { Biller } from '#platform/payments/biller.ts';
import type { TextOf } from '#platform/text/message-keys.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import type { ComplianceService } from '#product/compliance/server.ts';
import type { LedgerService } from '#product/ledger/server.ts';
import type { NoticesService } from '#product/notices/server.ts';
import type { SiteService } from '#product/site/server.ts';
import { settingsWith, type BillingSettings } from '../rules.ts';
import { DEFAULT_PRODUCTS, type CatalogueItem } from '../rules/products.ts';
import { findSettings } from '../store.ts';

export interface BillingDependencies {
  readonly data: Data;
  readonly limits: RateLimitStore;
  readonly site: SiteService;
  readonly notices: NoticesService;
  readonly accounts: AccountsService;
  readonly ledger: LedgerService;
  readonly compliance: ComplianceService;
  /** The billers an operator has contracts with, the preferred one first. */
  readonly billersOf: (operatorId: number) => readonly Biller[];
  /** Path prefix of calls. */
  readonly apiBase: string;
  /** Payment runs on simulators, and pages say so. */
  readonly isTest: boolean;
  readonly text: TextOf;
  /** Logs an error of a background job. */
  readonly onError: (error: unknown) => void;
  /** The site's secret; people's references at billers are derived from it. */
  readonly secret: string;
}

/** An operator's settings with defaults, the products on sale, and all products including retired ones. */
export async function configurationOf(tx: Tx): Promise<{
  readonly settings: BillingSettings;
  readonly products: readonly CatalogueItem[];
  readonly allProducts: readonly CatalogueItem[];
}> {
  const { settings, products } = await findSettings(tx);
  const allProducts = products ?? DEFAULT_PRODUCTS;
  return {
    settings: settingsWith(settings),
    allProducts,
    products: allProducts.filter(({ retired }) => !retired),
  };
}
