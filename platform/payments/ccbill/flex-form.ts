import { decimalOf } from '#platform/text/money.ts';
import type { Order } from '../biller.ts';
import { numberOf } from '../wire/amounts.ts';
import { md5Hex } from '../wire/digests.ts';
import { subaccountText, type CcbillSettings } from './settings.ts';

/** Days a single purchase is called valid for on the form; it has no meaning for what is used up. */
const SINGLE_PERIOD_DAYS = 30;
/** Renewals until somebody cancels, as CCBill spells it. */
const ENDLESS_REBILLS = 99;

/** What a form's price digest covers, in its order. */
export interface FormPrice {
  readonly initialPrice: string;
  readonly initialPeriod: string;
  /** Numeric code of the currency. */
  readonly currencyCode: string;
  readonly recurring: { readonly price: string; readonly period: string; readonly rebills: string } | null;
}

/**
 * MD5 over price, period, currency and salt (single), or price, period, recurring price, its period, number
 * of rebills, currency and salt. Custom variables are not covered: nothing in them may be believed.
 */
export function formDigest(price: FormPrice, salt: string): string {
  const { initialPrice, initialPeriod, currencyCode, recurring } = price;
  const again = recurring ? `${recurring.price}${recurring.period}${recurring.rebills}` : '';
  return md5Hex(`${initialPrice}${initialPeriod}${again}${currencyCode}${salt}`);
}

/** What an order costs in CCBill's words; null for a currency it does not take. */
export function priceOf(order: Order): FormPrice | null {
  const currencyCode = numberOf(order.amount.currency);
  if (!currencyCode) return null;
  const { renewal } = order;
  return {
    initialPrice: decimalOf(order.amount), initialPeriod: String(renewal?.days ?? SINGLE_PERIOD_DAYS),
    currencyCode,
    recurring: renewal && {
      price: decimalOf(renewal.amount), period: String(renewal.days), rebills: String(ENDLESS_REBILLS),
    },
  };
}

/**
 * A FlexForm with a dynamic price. `X-` variables come back with the webhook; the form's approval and denial
 * addresses are set to `%X-returnUrl%` in the account.
 */
export function flexFormUrl(settings: CcbillSettings, order: Order, price: FormPrice): string {
  const query = new URLSearchParams({
    clientSubacc: subaccountText(settings.subaccount), initialPrice: price.initialPrice,
    initialPeriod: price.initialPeriod, currencyCode: price.currencyCode,
    ...(price.recurring && {
      recurringPrice: price.recurring.price, recurringPeriod: price.recurring.period,
      numRebills: price.recurring.rebills,
    }),
    formDigest: formDigest(price, settings.form.salt),
    'X-orderId': order.id, 'X-payer': order.payer.ref, 'X-title': order.title, 'X-returnUrl': order.returnUrl,
    ...(order.payer.email && { email: order.payer.email }),
    ...(order.payer.country && { country: order.payer.country }),
  });
  const form = encodeURIComponent(settings.form.id);
  return `${settings.pages}/wap-frontflex/flexforms/${form}?${query.toString()}`;
}
