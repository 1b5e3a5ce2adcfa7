import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Asking } from './audience-cache.ts';

const expand = promisify(gunzip);

/** A rendered document, ready to send. */
export interface StoredPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Gzip (RFC 1952) of the HTML. */
  readonly gzip: Buffer;
  /** The name under which visits of the document are counted, and for which operator; absent for most. */
  readonly marked?: { readonly operatorId: number; readonly mark: string };
}

/** The cached document for an address; null when the caller has to be known first. */
export type FindCached = (url: string, asking: Asking) => StoredPage | null;

export const takesGzip = (headers: IncomingHttpHeaders): boolean =>
  /\bgzip\b/u.test(headers['accept-encoding'] ?? '');

export const FRAMING = 'x-frame-options';

/** Sets the headers of a document; an empty framing header of the document removes the host's own. */
export function setHeaders(reply: FastifyReply, headers: Readonly<Record<string, string>>): FastifyReply {
  reply.headers(headers);
  if (headers[FRAMING] === '') reply.removeHeader(FRAMING);
  return reply;
}

/**
 * Adds to a redirect the parameters of the requested query that it lacks, because pages do not read them:
 * links from elsewhere do not lose what they carried.
 */
function withQuery(location: string, asked: string): string {
  const [path = '', own] = location.split('?', 2);
  const [, given] = asked.split('?', 2);
  if (given === undefined || !location.startsWith('/')) return location;
  const query = new URLSearchParams(own);
  for (const [name, value] of new URLSearchParams(given)) if (!query.has(name)) query.append(name, value);
  return query.size > 0 ? `${path}?${query.toString()}` : path;
}

export async function sendStored(
  request: FastifyRequest,
  reply: FastifyReply,
  page: StoredPage,
): Promise<FastifyReply> {
  // Cookies that a call sets during a shared rendering belong to nobody.
  reply.removeHeader('set-cookie');
  setHeaders(reply.code(page.status), page.headers).type('text/html; charset=utf-8');
  const { location } = page.headers;
  if (page.status === 301 && location) reply.header('location', withQuery(location, request.url));
  if (!takesGzip(request.headers)) return reply.send(await expand(page.gzip));
  return reply.header('content-encoding', 'gzip').send(page.gzip);
}
