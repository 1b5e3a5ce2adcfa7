import type { OutputOf } from '../../../platform/contract/call.ts';
import type { getOrder, listProducts, ProductView } from '../contract.ts';
import type { DeclineCode } from '../rules.ts';

export type Order = OutputOf<typeof getOrder>['order'];
export type Shelf = OutputOf<typeof listProducts>;

/** How somebody pays, as the shelf groups its products. */
export const METHODS = ['credit', 'paypal', 'crypto', 'voucher'] as const;
export type Method = (typeof METHODS)[number];

/** One dialog of the money screens. One is open at a time; `go` leads to the next. */
export type MoneyStep =
  | {
    readonly kind: 'purchase';
    /** Tokens were lacking a moment ago: one product stands out. */
    readonly low?: boolean;
    readonly method?: Method;
    /** The payment company wanted, where it is offered: another one declined a moment ago. */
    readonly biller?: string;
    /** Shows products of memberships alone. */
    readonly memberships?: boolean;
  }
  | { readonly kind: 'biller'; readonly link: string; readonly orderId: string }
  | { readonly kind: 'waiting'; readonly orderId: string }
  | { readonly kind: 'success'; readonly orderId: string | null }
  | { readonly kind: 'failed'; readonly reason: DeclineCode | null; readonly reference: string | null }
  /** `orderId` where it is known: an automatic purchase only says that it failed. */
  | { readonly kind: 'declined'; readonly reason: DeclineCode | null; readonly orderId?: string }
  | { readonly kind: 'postpay_card' }
  | { readonly kind: 'postpay_verify' }
  /** What reached its limit: the purchases of the day, or what somebody lets themselves spend. */
  | { readonly kind: 'daily_low_limit'; readonly of: 'purchases' | 'spending' }
  | { readonly kind: 'country' }
  | { readonly kind: 'support' }
  | { readonly kind: 'promo'; readonly product: ProductView; readonly special: boolean }
  | { readonly kind: 'wheel'; readonly vault: boolean }
  | { readonly kind: 'free_tokens'; readonly tokens: number };

/** What every money dialog gets. */
export interface StepProps {
  readonly go: (step: MoneyStep) => void;
  readonly onClose: () => void;
}

/** What the page's address asked of the shelf (spec 1 §2, Query parameters). */
export interface ShelfWish {
  readonly advertId: string | null;
  readonly crypto: boolean;
  readonly voucherCountry: string | null;
  readonly promoTest: string | null;
  /** The promotion it named: what the field of promo codes holds at first. */
  readonly promo: string | null;
}

/** Of an address that asks nothing. */
export const NO_WISH: ShelfWish = {
  advertId: null, crypto: false, voucherCountry: null, promoTest: null, promo: null,
};

/** Input of the call that lists products. */
export const shelfInput = (wish: ShelfWish) => ({
  ...(wish.advertId === null ? {} : { advert_id: wish.advertId }),
  ...(wish.crypto ? { crypto: true } : {}),
  ...(wish.voucherCountry === null ? {} : { cashtocode_country_code: wish.voucherCountry }),
  ...(wish.promoTest === null ? {} : { custom_promo_test: wish.promoTest }),
});
