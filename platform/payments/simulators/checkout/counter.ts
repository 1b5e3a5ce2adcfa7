import type { DeclineCode } from '#platform/contract/payment.ts';
import type { PayMethod } from '../../biller.ts';
import { FAULTS, type Fault } from '../faults.ts';
import { seeOther, segmentAfter, text } from '../simulator.ts';
import { cardPage, choicePage, operatorPage, page } from './pages.ts';
import type { Checkout, Payment, SavedCard, Till } from './till.ts';

/** The choices on a page without a card form. */
export interface Choice {
  readonly label: string;
  readonly run: (checkout: Checkout) => Payment | null;
}

export interface CounterOptions {
  readonly till: Till;
  readonly company: string;
  /** The simulator's address for browsers, without a slash at the end. */
  readonly pages: string;
  /** How often a card from a page may be charged again; null for any number. */
  readonly cardUses: number | null;
  /** Pages without a card form: the choices by method. */
  readonly choices?: Partial<Record<PayMethod, Readonly<Record<string, Choice>>>>;
  readonly note?: string;
}

type Pages = (path: string, request: Request) => Promise<Response | null>;

/** The number of newest payments that the staff page shows. */
const SHOWN = 100;
/** `MM/YY`: a card is valid at least until the end of its month. */
const EXPIRY = /^(0[1-9]|1[0-2])\/(\d{2})$/;
const CENTURY = 2000;

/**
 * The pages every simulated processor has: the payment page of a checkout, and a page for its staff. Answers
 * null for a path that is neither.
 */
export function counter(options: CounterOptions): Pages {
  return async (path, request) => {
    if (path === '/operator') return operator(options, request);
    const id = segmentAfter(path, '/checkout/');
    if (id === null) return null;
    const checkout = options.till.checkout(id);
    if (!checkout) return page('This page has ended', '<p>Go back to the shop and start again.</p>', 404);
    return request.method === 'POST'
      ? pressed(options, checkout, await formOf(request))
      : show(options, checkout, null);
  };
}

/** Sends a browser to the page of a checkout. */
export const toCheckout = (pages: string, checkout: Checkout): Response =>
  seeOther(`${pages}/checkout/${checkout.id}`);

export async function formOf(request: Request): Promise<URLSearchParams> {
  return new URLSearchParams(await request.text());
}

function show(options: CounterOptions, checkout: Checkout, error: string | null): Response {
  const action = `${options.pages}/checkout/${checkout.id}`;
  const choices = options.choices?.[checkout.method];
  if (!choices) return cardPage(options.company, checkout, action, error);
  const labels = Object.entries(choices).map(([value, { label }]) => [value, label] as const);
  const leave = ['leave', 'Back without paying'] as const;
  return choicePage(options.company, checkout, action, [...labels, leave], options.note ?? '');
}

function pressed(options: CounterOptions, checkout: Checkout, form: URLSearchParams): Response {
  const { till } = options;
  const action = form.get('action') ?? 'pay';
  if (action === 'leave') return back(checkout, null);
  const choices = options.choices?.[checkout.method];
  if (choices) {
    const choice = Object.hasOwn(choices, action) ? choices[action] : undefined;
    return choice ? back(checkout, choice.run(checkout)) : text('no such choice', 400);
  }
  if (isPaid(till, checkout)) return back(checkout, null, 'Y');
  const card = typedCard(till, checkout, form, options.cardUses);
  if (typeof card === 'string') return show(options, checkout, card);
  return back(checkout, till.sell({ ...checkout, checkoutId: checkout.id }, card));
}

const isPaid = (till: Till, checkout: Checkout): boolean =>
  till.ofOrder(checkout.orderId).some((item) => item.checkoutId === checkout.id && item.state === 'approved');

/** The typed card, or what is wrong with it. */
function typedCard(
  till: Till,
  checkout: Checkout,
  form: URLSearchParams,
  uses: number | null,
): SavedCard | string {
  const expiry = form.get('expiry') ?? '';
  if (!isInFuture(expiry, till.now())) return 'This card has run out, or the date is no date.';
  if (!/^\d{3,4}$/.test(form.get('cvv') ?? '')) return 'The security code has three or four digits.';
  const number = (form.get('number') ?? '').replaceAll(/[ -]/g, '');
  return till.keep(number, expiry, checkout.payerRef, uses) ?? 'This is no card number.';
}

export function isInFuture(expiry: string, now: Date): boolean {
  const match = EXPIRY.exec(expiry);
  return match !== null && Date.UTC(CENTURY + Number(match[2]), Number(match[1])) > now.getTime();
}

/** Back to the shop, with a hint in `ans` that nobody may believe: `Y`, or `N` and the reason. */
function back(checkout: Checkout, payment: Payment | null, hint: string | null = hintOf(payment)): Response {
  if (!URL.canParse(checkout.returnUrl)) return text('no way back', 400);
  const url = new URL(checkout.returnUrl);
  if (!/^https?:$/.test(url.protocol)) return text('no way back', 400);
  if (hint !== null) url.searchParams.set('ans', hint);
  return seeOther(url.href);
}

function hintOf(payment: Payment | null): string | null {
  if (!payment) return null;
  const declined: DeclineCode | null = payment.decline;
  return payment.state === 'declined' ? declined : payment.state === 'approved' ? 'Y' : 'P';
}

async function operator(options: CounterOptions, request: Request): Promise<Response> {
  const { till, pages, company } = options;
  const address = `${pages}/operator`;
  if (request.method !== 'POST') {
    return operatorPage(company, till.payments().slice(-SHOWN).reverse(), address);
  }
  const form = await formOf(request);
  return act(till, form) ? seeOther(address) : text('this cannot be done to that payment', 409);
}

/**
 * Actions of the staff: `refund`, `chargeback`, `renew`, `cancel` with a `reference`, `arm` with a `fault`.
 */
export function act(till: Till, form: URLSearchParams): boolean {
  const reference = form.get('reference') ?? '';
  switch (form.get('action') ?? '') {
    case 'refund':
      return till.refund(reference) !== null;
    case 'chargeback':
      return till.chargeback(reference) !== null;
    case 'renew':
      return till.renew(reference) !== null;
    case 'cancel':
      return till.cancel(reference);
    case 'arm': {
      const fault = form.get('fault') as Fault;
      return FAULTS.includes(fault) && till.script.arm(fault, 1);
    }
    default:
      return false;
  }
}
