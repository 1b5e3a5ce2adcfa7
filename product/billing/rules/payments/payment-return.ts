import { DECLINE_CODES, type DeclineCode } from '../../rules.ts';

/** The query of an address: what a browser's `URLSearchParams` can say. */
export interface Query {
  readonly get: (name: string) => string | null;
}

/** Cookie of this browser session that keeps where a payment was begun (spec 1 §4, Payment return). */
export const RETURN_COOKIE = 'payment_return';
/** Longest path kept in it: cookies are sent with every request. */
const MAX_RETURN_LENGTH = 512;

/** What the address says a biller sent the person back with. It is shown and never believed. */
export type PaymentReturn =
  /** Said to be paid, or nothing said: the order is asked for, when it is named. */
  | { readonly kind: 'success'; readonly orderId: string | null }
  | { readonly kind: 'failure'; readonly reason: DeclineCode | null; readonly reference: string | null };

/** Longest order id or reference taken over from an address. */
const MAX_ID_LENGTH = 64;
const named = (value: string | null): string | null =>
  (value !== null && value !== '' && value.length <= MAX_ID_LENGTH ? value : null);

/**
 * Reads a payment return: `ans` starting with Y or N, with the biller's `transaction_id`, and the
 * `order_id` we sent the person away with. A page without any of them is none.
 * @param query of the page's address
 */
export function paymentReturn(query: Query): PaymentReturn | null {
  const answer = query.get('ans') ?? '';
  const orderId = named(query.get('order_id'));
  if (answer.startsWith('N')) {
    return { kind: 'failure', reason: declineCode(answer), reference: named(query.get('transaction_id')) };
  }
  return answer.startsWith('Y') || orderId !== null ? { kind: 'success', orderId } : null;
}

/** Billers hang more behind a bar or a comma: `NDECLINED|1234`. */
const declineCode = (answer: string): DeclineCode | null => {
  const code = /^[A-Z\d]+/u.exec(answer)?.[0];
  return DECLINE_CODES.find((known) => known === code) ?? null;
};

/** Key below `web.decline` of the text for a decline code; one for what no catalogue has. */
export const declineText = (code: DeclineCode | null): string => code ?? 'unknown';

/** The path a payment was begun on, as the cookie keeps it: a path of this site or nothing. */
export function returnDestination(kept: string | null): string | null {
  if (kept === null || kept.length > MAX_RETURN_LENGTH) return null;
  return /^\/(?![/\\])[^\s\\]*$/u.test(kept) ? kept : null;
}

/** Fields of an address that say how a payment ended: {@link paymentReturn} reads them. */
const RETURNED = ['ans', 'transaction_id', 'order_id'] as const;

/**
 * Where `/enter.php` goes on: the room of `model`, else where the payment was begun; with what the biller
 * said of it, and with `id`, the order, so that the page there shows the outcome.
 */
export function afterFrame(query: Query, kept: string | null): string {
  const model = query.get('model');
  const path = model !== null && /^[\w-]{3,25}$/u.test(model) ? `/${model}`
    : kept ?? (query.get('type') === 'verify' ? '/account/verify' : '/');
  const order = query.get('order_id') ?? (query.get('type') === 'purchase' ? query.get('id') : null);
  const said = RETURNED.flatMap((name) => {
    const value = named(name === 'order_id' ? order : query.get(name));
    return value === null ? [] : [`${name}=${encodeURIComponent(value)}`];
  });
  return said.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${said.join('&')}`;
}

/** How a person gets at a payment that may have gone wrong. */
export type DeclineWay = 'verify' | 'other_biller' | 'other_card' | 'adjust';

/** Ways on after a decline, the likeliest to help first (spec 1 §8, Declined modal). All four are offered. */
export function declineWays(code: DeclineCode | null): readonly DeclineWay[] {
  const first: DeclineWay = code === 'VERIFY' ? 'verify'
    : code === 'NDECLINEDINSFUNDS' || code === 'NMYINVAMT' ? 'adjust'
      : code !== null && OTHER_METHOD.has(code) ? 'other_biller' : 'other_card';
  const all: readonly DeclineWay[] = ['verify', 'other_biller', 'other_card', 'adjust'];
  return [first, ...all.filter((way) => way !== first)];
}

/** Codes that no other card helps against: the way of paying itself is not taken. */
const OTHER_METHOD: ReadonlySet<DeclineCode> = new Set<DeclineCode>([
  'NMYACNOTACCEPTED', 'NMYDDNOTACCEPTED', 'NMYSERVNOTALLOWED', 'NMYINVTRANSTYPE', 'NMYDNVEL',
]);
