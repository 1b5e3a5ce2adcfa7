import type { Data, Tx } from '../../../platform/data/data.ts';
import type { TextOf } from '../../../platform/text/message-keys.ts';
import type { Biller } from '../../../platform/payments/biller.ts';
import type { AccountsService } from '../../accounts/server.ts';
import type { ComplianceService } from '../../compliance/server.ts';
import type { LedgerService } from '../../ledger/server.ts';
import type { NoticesService } from '../../notices/server.ts';
import type { SiteService } from '../../site/server.ts';
import { settingsWith, type BillingSettings } from '../rules.ts';
import { DEFAULT_PRODUCTS, type CatalogueItem } from '../rules/products.ts';
import { findSettings } from '../store.ts';

export interface BillingDependencies {
  readonly data: Data;
  readonly site: SiteService;
  readonly notices: NoticesService;
  readonly accounts: AccountsService;
  readonly ledger: LedgerService;
  readonly compliance: ComplianceService;
  /** The processors an operator has contracts with, the first one first. */
  readonly billersOf: (operatorId: number) => readonly Biller[];
  /** Payment runs on simulators: pages say so. */
  readonly isTest: boolean;
  readonly text: TextOf;
  /** Logs a fault nobody waits for. */
  readonly onFault: (error: unknown) => void;
  /** The site's secret; people's names at billers come of it. */
  readonly secret: string;
}

/** The caller's own id. The permission table lets only members in, so its absence is a fault. */
export function idOf(caller: { readonly personId: number | null }): number {
  if (caller.personId === null) throw new Error('a member has a person id');
  return caller.personId;
}

/** What an operator decided, with the defaults; what it sells, and that with what it sold. */
export async function decisionsOf(tx: Tx): Promise<{
  readonly settings: BillingSettings; readonly products: readonly CatalogueItem[];
  readonly assortment: readonly CatalogueItem[];
}> {
  const { settings, products } = await findSettings(tx);
  const assortment = products ?? DEFAULT_PRODUCTS;
  return {
    settings: settingsWith(settings), assortment, products: assortment.filter(({ retired }) => !retired),
  };
}
