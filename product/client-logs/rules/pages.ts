import { isReserved } from '#product/accounts/rules.ts';
import { MAX_STORED_MESSAGE_LENGTH } from '../rules.ts';

/** A path segment of letters and dashes, which names a page rather than a thing. */
const PLAIN_SEGMENT = /^[a-z][a-z-]{0,30}$/u;

/** Below these, no segment is a username. */
const OWN_PAGES: ReadonlySet<string> = new Set(['account', 'admin']);

/**
 * The page of a URL, without anything that names a person or a thing: the first segment, unless it is a
 * username, and words after it. `/account/receipts/81` is `/account/receipts/:id`, `/anna` is `/:username`.
 */
export function pageOf(address: string): string {
  const path = address.replace(/^[a-z]+:\/\/[^/?#]*/iu, '').replace(/[?#].*$/su, '');
  const segments = path.split('/').filter((part) => part !== '').slice(0, 6);
  const [first, ...rest] = segments;
  if (first === undefined) return '/';
  const isOwn = OWN_PAGES.has(first);
  return `/${
    [
      isReserved(first) ? first.toLowerCase() : ':username',
      ...rest.map((part) => (PLAIN_SEGMENT.test(part) && (isOwn || isReserved(part)) ? part : ':id')),
    ].join('/')
  }`;
}

/**
 * Host and path of a link to another site. Whatever follows `?` or `#` may name an order, and so may long
 * segments.
 */
export function destinationOf(link: string): string {
  const [, host = '', path = ''] = /^https?:\/\/(?:[^/?#@]*@)?([^/?#]+)([^?#]*)/iu.exec(link) ?? [];
  if (host === '') return pageOf(link);
  const parts = path.split('/').filter((part) => part !== '').slice(0, 6)
    .map((part) => (/^[a-z][\w.-]{0,30}$/iu.test(part) && !/\d{3}/u.test(part) ? part : ':id'));
  return `${host.toLowerCase().slice(0, 100)}/${parts.join('/')}`.slice(0, MAX_STORED_MESSAGE_LENGTH);
}
