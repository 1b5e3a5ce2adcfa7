import { decimalOf } from '#platform/text/money.ts';
import type { Order } from '../biller.ts';
import { numberOf } from '../wire/amounts.ts';
import { md5Hex } from '../wire/digests.ts';
import { subaccountText, type CcbillSettings } from './settings.ts';

/** Days for which the form calls a single purchase valid; they mean nothing for goods that are used up. */
const SINGLE_PERIOD_DAYS = 30;
/** CCBill's number for renewals that go on until they are cancelled. */
const ENDLESS_REBILLS = 99;

/** The values that a form's price digest covers, in order. */
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

/** The price of an order in CCBill's terms; null for a currency CCBill does not take. */
export function priceOf(order: Order): FormPrice | null {
  const currencyCode = numberOf(order.amount.currency);
  if (!currencyCode) return null;
  const { renewal } = order;
  return {
    initialPrice: decimalOf(order.amount),
    initialPeriod: String(renewal?.days ?? SINGLE_PERIOD_DAYS),
    currencyCode,
    recurring: renewal && {
      price: decimalOf(renewal.amount),
      period: String(renewal.days),
      rebills: String(ENDLESS_REBILLS),
    },
  };
}

/**
 * A FlexForm with a dynamic price. Variables with the prefix `X-` are returned in the webhook; in the
 * account, the form's approval and denial addresses are set to `%X-returnUrl%`.
 */
export function flexFormUrl(settings: CcbillSettings, order: Order, price: FormPrice): string {
  const query = new URLSearchParams({
    clientSubacc: subaccountText(settings.subaccount),
    initialPrice: price.initialPrice,
    initialPeriod: price.initialPeriod,
    currencyCode: price.currencyCode,
    ...(price.recurring && {
      recurringPrice: price.recurring.price,
      recurringPeriod: price.recurring.period,
      numRebills: price.recurring.rebills,
    }),
    formDigest: formDigest(price, settings.form.salt),
    'X-orderId': order.id,
    'X-payer': order.payer.ref,
    'X-title': order.title,
    'X-returnUrl': order.returnUrl,
    ...(order.payer.email && { email: order.payer.email }),
    ...(order.payer.country && { country: order.payer.country }),
  });
  const form = encodeURIComponent(settings.form.id);
  return `${settings.pages}/wap-frontflex/flexforms/${form}?${query.toString()}`;
}
