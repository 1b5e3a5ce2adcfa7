import type { Generated, JSONColumnType } from 'kysely';
import type { BillerName, DeclineCode } from '#platform/contract/payment.ts';
import type { Tx } from '#platform/data/data.ts';
import type { BillingSettings, OrderMethod, OrderState, Purpose } from '../rules.ts';
import type { Membership } from '#product/accounts/rules/current-user.ts';
import type { CatalogueItem } from '../rules/products.ts';
import type { JudgedOrder, OrderEvent } from '../rules/payments/verdict.ts';

/** The selling company, its address, and its site's name. */
export interface Seller {
  readonly name: string;
  readonly address: string;
  readonly brand: string;
}

interface BillingTables {
  'billing.settings': {
    operator_id: Generated<number>;
    settings: JSONColumnType<Partial<BillingSettings>>;
    products: JSONColumnType<readonly CatalogueItem[]> | null;
  };
  'billing.buyers': {
    operator_id: Generated<number>; person_id: number; first_paid_at: Date | null;
    vault_spins: Generated<number>; free_spin_day: string | null;
  };
  'billing.cards': {
    operator_id: Generated<number>; id: Generated<number>; person_id: number; biller: BillerName;
    token: string; brand: string; first6: string | null; last4: string; expiry: string | null;
    is_default: Generated<boolean>; created_at: Date;
  };
  'billing.orders': {
    operator_id: Generated<number>; id: string; nr: Generated<number>; person_id: number; site_id: number;
    parent_id: string | null; purpose: Purpose; parameter_hash: string; internal_id: string; tokens: number;
    free_tokens: number; membership: Membership | null; membership_days: number | null;
    amount_minor: number; currency: string; us_cents: number; renews: boolean; biller: BillerName;
    descriptor: string; method: OrderMethod; card_id: number | null; card_brand: string | null;
    card_last4: string | null; locale: string; re_up_threshold: number | null; base: JudgedOrder['base'];
    state: OrderState; decline: DeclineCode | null; reference: string | null; subscription: string | null;
    operation: string | null; asked: Generated<number>; asked_at: Date | null; created_at: Date;
    changed_at: Date; paid_at: Date | null; refunded_at: Date | null; refunded_minor: Generated<number>;
    advert_id: string | null; device: string | null; blackbox: string | null; network: string | null;
    seller: JSONColumnType<Seller> | null; keep_card: boolean;
  };
  'billing.callbacks': {
    operator_id: Generated<number>; id: Generated<number>; biller: string; method: string; query: string;
    headers: JSONColumnType<Readonly<Record<string, string>>>; body: string; address: string; at: Date;
    outcome: Generated<string>;
  };
  'billing.unauthenticated_callbacks': {
    operator_id: Generated<number>; id: Generated<number>; biller: string; method: string; query: string;
    headers: JSONColumnType<Readonly<Record<string, string>>>; body: string; address: string;
    address_key: string; at: Date;
  };
  'billing.refused_callbacks': {
    operator_id: Generated<number>; biller: string; day: string; reason: string; count: number;
  };
  'billing.events': {
    operator_id: Generated<number>; biller: BillerName; id: string; order_id: string | null;
    type: OrderEvent['type']; reference: string; of_reference: string | null; subscription: string | null;
    amount_minor: number | null; currency: string | null; decline: DeclineCode | null; happened_at: Date;
    'heard_at': Date; callback_id: number | null; outcome: string;
  };
  'billing.memberships': {
    operator_id: Generated<number>; order_id: string; person_id: number; membership: Membership;
    ends_at: Date; renews: boolean; price_minor: number; currency: string;
  };
  'billing.re_ups': {
    operator_id: Generated<number>; person_id: number; enabled: boolean; threshold: number;
    internal_id: string; card_id: number | null; per_day: number; in_flight: string | null;
    failures: Generated<number>; disabled_by_user: Generated<boolean>; tokens: number | null;
    price_minor: number | null; currency: string | null;
  };
  'billing.post_pay': {
    operator_id: Generated<number>; person_id: number; enabled: boolean; card_failed: Generated<boolean>;
    card_id: number | null; next_charge_at: Date | null;
  };
  'billing.promo_codes': {
    operator_id: Generated<number>; nr: Generated<number>; code: string; tokens: number; starts_at: Date;
    ends_at: Date | null; max_uses: number | null; uses: Generated<number>;
  };
  'billing.sign_up_gifts': {
    operator_id: Generated<number>; person_id: number; tokens: number; held_at: Date; given_at: Date | null;
  };
  'billing.redemptions': { operator_id: Generated<number>; code: string; person_id: number; at: Date };
  'billing.spins': {
    operator_id: Generated<number>; id: string; person_id: number; prize: number; at: Date;
  };
}

/** The tables of this slice, in a unit of work. */
export const tables = (tx: Tx): ReturnType<typeof tx.sql<BillingTables>> => tx.sql<BillingTables>();
