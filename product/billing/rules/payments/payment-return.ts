import { DECLINE_CODES, type DeclineCode } from '../../rules.ts';
import { verifyReturn } from './card-check.ts';
import { waitStep } from './flow.ts';

/** The query of an address, such as `URLSearchParams`. */
export interface Query {
  readonly get: (name: string) => string | null;
}

/** Session cookie with the path where a payment began (spec 1 §4, Payment return). */
export const RETURN_COOKIE = 'payment_return';
/** Longest path in the cookie, because cookies are sent with every request. */
const MAX_RETURN_LENGTH = 512;

/** A biller's return parameters. They are displayed but never trusted. */
export type PaymentReturn =
  /** Reported as paid, or without a report; the order's own state decides. */
  | { readonly kind: 'success'; readonly orderId: string | null }
  | {
    readonly kind: 'failure';
    readonly reason: DeclineCode | null;
    readonly reference: string | null;
    readonly orderId: string | null;
  };

/** Longest order id or reference in an address. */
const MAX_ID_LENGTH = 64;
const named = (
  value: string | null,
): string | null => (value !== null && value !== '' && value.length <= MAX_ID_LENGTH ? value : null);

/**
 * Reads a payment return: `ans` starting with Y or N, the biller's `transaction_id`, and our `order_id`. Null
 * without any of them.
 * @param query of the page's address
 */
export function paymentReturn(query: Query): PaymentReturn | null {
  const answer = query.get('ans') ?? '';
  const orderId = named(query.get('order_id'));
  if (answer.startsWith('N')) {
    const reference = named(query.get('transaction_id'));
    return { kind: 'failure', reason: declineCode(answer), reference, orderId };
  }
  return answer.startsWith('Y') || orderId !== null ? { kind: 'success', orderId } : null;
}

/** The fields of a returning person's order that determine what they see. */
export interface ReturnedOrder {
  readonly id: string;
  readonly state: string;
}

/**
 * The order that a return is about: the named one if it is this person's, else their newest one while it is
 * open. Null for an address that anybody could have written: it proves no payment.
 */
export function orderOfReturn<Order extends ReturnedOrder>(
  { orderId }: PaymentReturn,
  named: Order | null,
  newest: Order | null,
): Order | null {
  if (orderId !== null) return named?.id === orderId ? named : null;
  return newest !== null && waitStep(newest.state) === 'wait' ? newest : null;
}

/** Billers add more after a bar or a comma: `NDECLINED|1234`. */
const declineCode = (answer: string): DeclineCode | null => {
  const code = /^[A-Z\d]+/u.exec(answer)?.[0];
  return DECLINE_CODES.find((known) => known === code) ?? null;
};

/** Key below `web.decline` of the text for a decline code; `unknown` for others. */
export const declineText = (code: DeclineCode | null): string => code ?? 'unknown';

/** The path in the cookie, when it is a path of this site. */
export function returnDestination(path: string | null): string | null {
  if (path === null || path.length > MAX_RETURN_LENGTH) return null;
  return /^\/(?![/\\])[^\s\\]*$/u.test(path) ? path : null;
}

/** Query parameters of a payment return: {@link paymentReturn} reads them. */
const RETURNED = ['ans', 'transaction_id', 'order_id'] as const;

/**
 * Where `/enter.php` leads: the room of `model`, else where the payment began, with the biller's return
 * parameters and the order's id, so that the page there shows the outcome.
 * @param hostName the page's host, whose subdomain decides where cards are verified
 */
export function afterFrame(query: Query, begun: string | null, hostName: string): string {
  const model = query.get('model');
  const path = model !== null && /^[\w-]{3,25}$/u.test(model)
    ? `/${model}`
    : begun ?? (query.get('type') === 'verify' ? verifyReturn(hostName) : '/');
  const order = query.get('order_id') ?? (query.get('type') === 'purchase' ? query.get('id') : null);
  const parameters = RETURNED.flatMap((name) => {
    const value = named(name === 'order_id' ? order : query.get(name));
    return value === null ? [] : [`${name}=${encodeURIComponent(value)}`];
  });
  return parameters.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${parameters.join('&')}`;
}

/** Query parameter with the id of a declined order that is to be bought again. */
export const AGAIN = 'again';
/** The page that offers a declined order again. */
export const againPath = (orderId: string): string =>
  `/account/tokens?${AGAIN}=${encodeURIComponent(orderId)}`;

/** Ways to go on after a declined payment. */
export type DeclineWay = 'verify' | 'other_biller' | 'other_card' | 'adjust';

/** All four ways, the most likely to help first (spec 1 §8, Declined modal). */
export function declineWays(code: DeclineCode | null): readonly DeclineWay[] {
  const first: DeclineWay = code === 'VERIFY'
    ? 'verify'
    : code === 'NDECLINEDINSFUNDS' || code === 'NMYINVAMT'
    ? 'adjust'
    : code !== null && OTHER_METHOD.has(code)
    ? 'other_biller'
    : 'other_card';
  const all: readonly DeclineWay[] = ['verify', 'other_biller', 'other_card', 'adjust'];
  return [first, ...all.filter((way) => way !== first)];
}

/** Codes for which another card does not help, because the payment method itself is refused. */
const OTHER_METHOD: ReadonlySet<DeclineCode> = new Set<DeclineCode>([
  'NMYACNOTACCEPTED',
  'NMYDDNOTACCEPTED',
  'NMYSERVNOTALLOWED',
  'NMYINVTRANSTYPE',
  'NMYDNVEL',
]);
