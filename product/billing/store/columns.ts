import type { BillerName, DeclineCode } from '#platform/contract/payment.ts';
import type { Json } from '#platform/data/columns.ts';
import type { Membership } from '#product/accounts/rules/current-user.ts';
import type { BillingSettings, OrderMethod, OrderState, Purpose } from '../rules.ts';
import type { JudgedOrder, OrderEvent } from '../rules/payments/verdict.ts';
import type { CatalogueItem } from '../rules/products.ts';

/** The selling company, its address, and its site's name. */
export interface Seller {
  readonly name: string;
  readonly address: string;
  readonly brand: string;
}

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'billing.callbacks.headers': Json<Readonly<Record<string, string>>>;
  'billing.cards.biller': BillerName;
  'billing.events.biller': BillerName;
  'billing.events.type': OrderEvent['type'];
  'billing.events.decline': DeclineCode;
  'billing.memberships.membership': Membership;
  'billing.orders.purpose': Purpose;
  'billing.orders.membership': Membership;
  'billing.orders.biller': BillerName;
  'billing.orders.method': OrderMethod;
  'billing.orders.base': JudgedOrder['base'];
  'billing.orders.state': OrderState;
  'billing.orders.decline': DeclineCode;
  'billing.orders.seller': Json<Seller>;
  'billing.settings.settings': Json<Partial<BillingSettings>>;
  'billing.settings.products': Json<readonly CatalogueItem[]>;
  'billing.unauthenticated_callbacks.headers': Json<Readonly<Record<string, string>>>;
}
