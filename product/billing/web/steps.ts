import type { OutputOf } from '#platform/contract/call.ts';
import type { listProducts, ProductView } from '../contract.ts';
import type { getOrder } from '../contract/orders.ts';
import type { DeclineCode, OrderMethod } from '../rules.ts';
import type { DeviceReport } from './device.ts';

export type Order = OutputOf<typeof getOrder>['order'];
export type ProductListing = OutputOf<typeof listProducts>;

/** Payment methods, as the listing groups its products. */
export const METHODS = ['credit', 'paypal', 'crypto', 'voucher'] as const;
export type Method = (typeof METHODS)[number];

/** A dialog of the money screens. One is open at a time; `go` opens the next. */
export type MoneyStep =
  | {
    readonly kind: 'purchase';
    /** The balance was too low: one product is highlighted. */
    readonly low?: boolean;
    /** Tokens needed for what the person wanted, if known. */
    readonly needed?: number | undefined;
    /** It opened automatically: neither a click nor the address asked for it. */
    readonly popup?: boolean;
    readonly method?: Method;
    /** The preferred biller, after another one declined. */
    readonly biller?: string;
    /** Shows memberships only. */
    readonly memberships?: boolean;
    /**
     * `internal_id` of the wanted product, which stays selected after a failed payment. Nothing is selected
     * in its place.
     */
    readonly product?: string;
  }
  | { readonly kind: 'biller'; readonly link: string; readonly orderId: string }
  | { readonly kind: 'waiting'; readonly orderId: string }
  | { readonly kind: 'success'; readonly orderId: string }
  | {
    readonly kind: 'failed';
    readonly reason: DeclineCode | null;
    readonly reference: string | null;
    readonly orderId: string;
  }
  /** `orderId` where it is known: a refusal that opens the dialog names no order. */
  | {
    readonly kind: 'declined';
    readonly reason: DeclineCode | null;
    readonly orderId?: string | undefined;
  }
  | { readonly kind: 'postpay_card' }
  | { readonly kind: 'postpay_verify' }
  /** The limit that was reached: daily purchases, or the person's own budget. */
  | { readonly kind: 'daily_low_limit'; readonly of: 'purchases' | 'spending' }
  | { readonly kind: 'country' }
  | { readonly kind: 'support' }
  | { readonly kind: 'promo'; readonly product: ProductView; readonly special: boolean }
  | { readonly kind: 'wheel'; readonly vault: boolean }
  | { readonly kind: 'free_tokens'; readonly tokens: number };

/** An order's name for the method of a listing group: only cards have two names. */
export const methodOf = (group: Method): OrderMethod => (group === 'credit' ? 'card' : group);
const groupOf = (method: OrderMethod): Method => (method === 'card' ? 'credit' : method);

/**
 * The step to try again: the wanted product and its payment method stay selected. A debt is settled instead,
 * because no product matches its amount.
 * @param elsewhere a payment method other than the one that declined
 */
export function againStep(
  order: Order | undefined,
  elsewhere: Pick<Extract<MoneyStep, { kind: 'purchase' }>, 'biller' | 'method'> = {},
): MoneyStep {
  if (order === undefined) return { kind: 'purchase', ...elsewhere };
  if (order.purpose === 'post_pay') return { kind: 'postpay_card' };
  return {
    kind: 'purchase',
    product: order.internal_id,
    method: groupOf(order.method),
    ...(order.membership === null ? {} : { memberships: true }),
    ...elsewhere,
  };
}

/** Props of every money dialog. */
export interface StepProps {
  readonly go: (step: MoneyStep) => void;
  readonly onClose: () => void;
}

/** Query parameters of the page's address for the product list (spec 1 §2). */
export interface ListingOptions {
  readonly advertId: string | null;
  readonly crypto: boolean;
  readonly voucherCountry: string | null;
  readonly promoTest: string | null;
  /** The promotion in the address: the initial value of the promo code field. */
  readonly promo: string | null;
  /** The page's report about its device, shared by all its product lists. */
  readonly device: () => DeviceReport;
}

/** For an address without parameters. */
export const NO_OPTIONS: ListingOptions = {
  advertId: null,
  crypto: false,
  voucherCountry: null,
  promoTest: null,
  promo: null,
  device: () => ({}),
};

/** Input of the call that lists products. */
export const listingInput = (wish: ListingOptions) => ({
  ...(wish.advertId === null ? {} : { advert_id: wish.advertId }),
  ...(wish.crypto ? { crypto: true } : {}),
  ...(wish.voucherCountry === null ? {} : { cashtocode_country_code: wish.voucherCountry }),
  ...(wish.promoTest === null ? {} : { custom_promo_test: wish.promoTest }),
  ...wish.device(),
});
