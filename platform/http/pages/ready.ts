import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { EarlyAnswer, FindEarly } from '../early/early.ts';
import type { Asking } from './audience-cache.ts';
import type { StoredPage } from './page-cache.ts';

/** The cached document for a request; null when more has to be known first. */
export type ReadyPages = (url: string, asking: Asking) => StoredPage | null;

export interface ReadySending {
  readonly ready: () => ReadyPages | null;
  /** Reads each request as the host does later: language and region are never cached. */
  readonly askingOf: (request: IncomingMessage) => Asking;
  /** Headers of every answer; a document's own header replaces one, and an empty one removes it. */
  readonly headers: Readonly<Record<string, string>>;
}

export const takesGzip = (headers: IncomingHttpHeaders): boolean =>
  /\bgzip\b/u.test(headers['accept-encoding'] ?? '');

/**
 * Finds cached documents in compressed form, for browsers that accept it: by far most visits request a
 * listing that was rendered a moment ago.
 */
export function findReadyPages({ ready, askingOf, headers }: ReadySending): FindEarly {
  const answers = new WeakMap<StoredPage, EarlyAnswer>();
  const answerOf = (page: StoredPage): EarlyAnswer => {
    const known = answers.get(page);
    if (known) return known;
    const head = Object.entries({
      ...headers, ...page.headers, 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'gzip',
      'content-length': String(page.gzip.byteLength),
    }).flatMap(([name, value]) => (value === '' ? [] : [name, value]));
    const answer = { call: 'other', status: page.status, head, body: page.gzip };
    answers.set(page, answer);
    return answer;
  };
  return (request, url) => {
    const find = takesGzip(request.headers) ? ready() : null;
    const page = find?.(url, askingOf(request));
    return page ? { answer: answerOf(page), admit: null } : null;
  };
}
