import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { duplicatedHeader } from '../pipeline/credentials.ts';
import type { Asking } from './askers.ts';
import type { StoredPage } from './page-cache.ts';

/** A document that is in the cache for this very request; null where more has to be known first. */
export type ReadyPages = (url: string, asking: Asking) => StoredPage | null;

export interface ReadySending {
  readonly ready: () => ReadyPages | null;
  /** Read of every request as the host reads it later: language and region are never remembered. */
  readonly askingOf: (request: IncomingMessage) => Asking;
  /** On every answer; a document's own header of the same name stands for it, and an empty one removes it. */
  readonly headers: Readonly<Record<string, string>>;
  /** Addresses below it are never documents. */
  readonly apiBase: string;
}

export const takesGzip = (headers: IncomingHttpHeaders): boolean =>
  /\bgzip\b/u.test(headers['accept-encoding'] ?? '');

/**
 * Sends what is ready before the request is read any further: by far most visits ask for a listing that was
 * rendered a moment ago. Everything else goes the usual way. Call it before other hooks are added.
 */
export function sendReadyPages(
  app: FastifyInstance, { ready, askingOf, headers, apiBase }: ReadySending,
): void {
  const heads = new WeakMap<StoredPage, string[]>();
  const headOf = (page: StoredPage): string[] => {
    const known = heads.get(page);
    if (known) return known;
    const head = Object.entries({
      ...headers, ...page.headers, 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'gzip',
      'content-length': String(page.gzip.byteLength),
    }).flatMap(([name, value]) => (value === '' ? [] : [name, value]));
    heads.set(page, head);
    return head;
  };
  app.addHook('onRequest', (request, reply, done) => {
    const { raw, raw: { url = '' } } = request;
    const find = isPlainVisit(raw) && !url.startsWith(apiBase) ? ready() : null;
    const page = find?.(url, askingOf(raw));
    if (!page) {
      done();
      return;
    }
    reply.hijack();
    reply.raw.writeHead(page.status, headOf(page)).end(page.gzip);
  });
}

/** A visit whose every header is clear, without a body, by a browser that unpacks. */
const isPlainVisit = ({ method, headers, rawHeaders }: IncomingMessage): boolean =>
  method === 'GET' && takesGzip(headers) && headers['content-length'] === undefined
  && headers['transfer-encoding'] === undefined && duplicatedHeader(rawHeaders) === null;
