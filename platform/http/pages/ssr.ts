import type { CallFunction } from '#platform/contract/client.ts';
import {
  documentPolicy,
  MARK_HEADER,
  POLICY_HEADER,
  type DocumentPolicy,
} from '#platform/contract/document-policy.ts';
import type { Clock } from '#platform/data/clock.ts';
import type { BucketRate } from '#platform/time/token-bucket.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { AudienceCache } from '../document-cache/audience-cache.ts';
import { PageCache } from '../document-cache/page-cache.ts';
import {
  FRAMING,
  sendStored,
  setHeaders,
  takesGzip,
  type FindCached,
  type StoredPage,
} from '../document-cache/stored-page.ts';
import type { PageContext, PageHandler } from '../host.ts';
import { isPhone } from './devices.ts';
import { hashInline, pagePolicy } from './page-policy.ts';
import { Busy, Renderings, TooMany } from './renderings.ts';

const compress = promisify(gzip);

/** The input that a document is rendered from. */
export interface PageRequest {
  readonly url: URL;
  readonly locale: string;
  /** Whether somebody is logged in: then the document is for them alone. */
  readonly personal: boolean;
  readonly call: CallFunction;
  /** The time of the site, in ms since 1970. */
  readonly time: number;
  /** Path below which the browser makes its calls. */
  readonly apiBase: string;
  readonly cookie: (name: string) => string | null;
  /** The browser says that it runs on a phone: pages are shorter there. */
  readonly isPhone: boolean;
  /** Nonce of every inline script and style. */
  readonly nonce: string;
  /** Logs an error and returns its reference. */
  readonly report: (error: unknown) => string;
}

/** What the pages' server build exports from its entry module, besides the exports of React Router. */
export interface PagesEntry {
  /** React Router's request handler over the build itself. */
  readonly createRequestHandler: (build: unknown, mode: string) => (
    request: Request,
    context: never,
  ) => Promise<Response>;
  /** The router context of one request. */
  readonly contextOf: (page: PageRequest) => unknown;
  /** The text rendered with a context; null when the response has a body of its own. */
  readonly textOf: (context: never) => string | null;
  /**
   * Names what else distinguishes anonymous documents of one address (gate, look), as a short text. It may
   * depend only on the cookies, the region and the size of the screen, because the result is cached by these.
   */
  readonly variantOf: (page: Pick<PageRequest, 'call' | 'cookie' | 'isPhone'>) => Promise<string>;
  /** The language that a link to a page requests; null leaves it to the viewer's settings. */
  readonly linkLanguage: (url: URL) => string | null;
  /** Query parameters that shared pages read; others are dropped before these pages are rendered. */
  readonly queryNames: readonly string[];
}

/** React Router's server build; its additional exports are a {@link PagesEntry}. */
export interface PagesBuild {
  readonly entry: { readonly module: unknown };
}

export interface PagesOptions {
  readonly clock: Clock;
  /** Logs an error without user text and returns its reference. */
  readonly logError: (error: unknown, where: string) => string;
  readonly mode: 'production' | 'development';
  /** The rate of renderings for one address; higher in tests, whose clock stands still. */
  readonly renderRate?: BucketRate;
  /** Origins whose pages an operator's pages may show in a frame; none by default. */
  readonly frames?: (operatorId: number) => readonly string[];
  /** Called for every shared document with a mark, also where it is sent before the request is read. */
  readonly onMarked?: (visit: MarkedVisit) => void;
}

/** A document with a mark was sent to a viewer who is not logged in, from the cache or not. */
export interface MarkedVisit {
  readonly operatorId: number;
  /** The mark that the page's route gives the document (`RouteHandle.mark`). */
  readonly mark: string;
  /** Headers of the request; nothing of them may be stored. */
  readonly headers: IncomingHttpHeaders;
  /** The region that the request comes from. */
  readonly region: string;
}

/** Longer query values are no ordinary links. */
const MAX_QUERY_VALUE_LENGTH = 256;
const NONCE_BYTES = 16;
const RETRY_AFTER_SECONDS = 2;
/** Personal documents are rendered for one reader: speed matters more than size. */
const PERSONAL_GZIP_LEVEL = 3;

/** The documents, as the host requests them. */
export interface Pages {
  readonly handle: PageHandler;
  /** The cached document for a request, found before its caller is known. */
  readonly cached: FindCached;
}

/**
 * Turns the pages' server build into the host's page handler.
 *
 * Shared documents set no cookie, carry no token, allow their inline scripts by hash, and are cached as gzip
 * buffers. Personal documents get a nonce and are never stored.
 */
export function pages(build: PagesBuild, options: PagesOptions): Pages {
  const entry = build.entry.module as PagesEntry;
  const answer = entry.createRequestHandler(build, options.mode);
  const cache = new PageCache(options.clock);
  const audiences = new AudienceCache(options.clock);
  const renderings = new Renderings(options.clock, options.renderRate);

  const render = (page: PageRequest, address: string, signal: AbortSignal): Promise<Rendered> =>
    renderings.run(address, async () => {
      const request = new Request(page.url, { headers: { accept: 'text/html' }, signal });
      const context = entry.contextOf(page) as never;
      return renderedOf(await answer(request, context), entry.textOf(context));
    });
  const visited = ({ marked }: StoredPage, headers: IncomingHttpHeaders, region: string): void => {
    if (marked) options.onMarked?.({ ...marked, headers, region });
  };

  const cached: FindCached = (url, asking) => {
    const audience = audiences.find(asking);
    const path = audience === null ? null : pathOf(url, entry.queryNames);
    const page = path === null ? null : cache.ready(`${audience} ${path}`);
    if (page) visited(page, asking.headers, asking.region);
    return page;
  };

  const handle: PageHandler = async (request, reply, context) => {
    const { facts, visit, callIn } = context;
    const { operatorId, siteId } = visit.scope;
    const frames = options.frames?.(operatorId) ?? [];
    const path = pathOf(request.url, visit.caller.kind === 'person' ? null : entry.queryNames);
    if (path === null) return reply.code(404).type('text/plain').send('404\n');
    const whole = withoutSlash(path);
    if (whole !== path) return reply.redirect(whole, 301);
    if (visit.caller.kind === 'person') {
      const left = closed(reply);
      try {
        const page = pageOf(path, context, entry, options);
        const rendered = await render(page, facts.address, left);
        return await sendPersonal(request, reply, rendered, page.nonce, frames);
      } catch (error) {
        if (isRefusal(error)) return sendBusy(reply, error);
        // The viewer is gone, so nobody would read the error.
        if (left.aborted) return reply.hijack();
        throw error;
      }
    }
    const isSmall = isPhone(facts.headers);
    const variant = await entry.variantOf({ call: callIn(null), cookie: facts.cookie, isPhone: isSmall });
    const audience = JSON.stringify([operatorId, siteId, facts.host, visit.locale, visit.region, variant]);
    audiences.remember({ ...visit, headers: request.headers }, audience);
    try {
      const stored = await cache.get(`${audience} ${path}`, async () => {
        const page = pageOf(path, context, entry, options);
        // A shared rendering outlives the request that started it.
        const rendered = await render(page, facts.address, new AbortController().signal);
        const made = await store(rendered, page.nonce, facts.host, frames);
        return rendered.mark === null ? made : { ...made, marked: { operatorId, mark: rendered.mark } };
      });
      if (request.method === 'GET') visited(stored, request.headers, visit.region);
      return await sendStored(request, reply, stored);
    } catch (error) {
      if (isRefusal(error)) return sendBusy(reply, error);
      throw error;
    }
  };
  return { handle, cached };
}

interface Rendered {
  readonly status: number;
  readonly location: string | null;
  readonly html: string;
  readonly policy: DocumentPolicy;
  readonly mark: string | null;
}

async function renderedOf(response: Response, text: string | null): Promise<Rendered> {
  const { status, headers } = response;
  return {
    status,
    location: headers.get('location'),
    html: text ?? await response.text(),
    policy: documentPolicy(headers.get(POLICY_HEADER)),
    mark: headers.get(MARK_HEADER),
  };
}

const isRefusal = (error: unknown): error is Busy | TooMany =>
  error instanceof Busy || error instanceof TooMany;

/** Never cached, because the next request may find room. */
const sendBusy = (reply: FastifyReply, error: Busy | TooMany): FastifyReply => {
  reply.removeHeader('set-cookie');
  const [status, wait] = error instanceof TooMany ? [429, error.waitSeconds] : [503, RETRY_AFTER_SECONDS];
  return reply.code(status).type('text/html; charset=utf-8')
    .headers({ 'retry-after': wait, 'cache-control': 'no-store' })
    .send(`<!doctype html><title>${status}</title><h1>${status}</h1>`);
};

/**
 * The older alternative to `frame-ancestors`. It cannot express that everybody may frame a page, so it is
 * left out then.
 */
const framing = (
  policy: DocumentPolicy,
): Record<
  string,
  string
> => (policy.framedByAnyone ? { [FRAMING]: '' } : policy.framedBySelf ? { [FRAMING]: 'SAMEORIGIN' } : {});

function pageOf(
  path: string,
  { facts, visit, callIn, apiBase }: PageContext,
  entry: PagesEntry,
  options: PagesOptions,
): PageRequest {
  const url = new URL(path, visit.origin);
  const language = entry.linkLanguage(url);
  return {
    url,
    locale: language ?? visit.locale,
    personal: visit.caller.kind === 'person',
    call: callIn(language),
    time: options.clock.now().getTime(),
    apiBase,
    cookie: facts.cookie,
    isPhone: isPhone(facts.headers),
    nonce: randomBytes(NONCE_BYTES).toString('base64'),
    report: (error) => options.logError(error, 'page'),
  };
}

/** Matches most addresses, none of whose characters are special in a URL. */
const PLAIN_PATH = /^\/(?:[\w-]+(?:\/[\w-]+)*)?$/u;

/**
 * Path and query to render: unchanged for a personal document; for a shared one with the allowed parameters
 * in a fixed order, so that they form a cache key. Null for addresses that are no page: broken ones, and
 * React Router's data requests, which would run loaders outside a document.
 */
function pathOf(address: string, names: readonly string[] | null): string | null {
  if (PLAIN_PATH.test(address)) return address;
  // A URL parser would read `//host` and `/\host` as another host.
  const asked = address.replace(/^[/\\]+/u, '/');
  const [path = '', query] = asked.split('?', 2);
  if (!path.startsWith('/') || path.endsWith('.data') || !URL.canParse(asked, 'http://any.host')) return null;
  if (names === null) return asked;
  if (query === undefined) return path;
  const given = new URLSearchParams(query);
  const known = new URLSearchParams();
  for (const name of names) {
    const value = given.get(name);
    if (value !== null && value.length <= MAX_QUERY_VALUE_LENGTH) known.set(name, value);
  }
  return known.size > 0 ? `${path}?${known.toString()}` : path;
}

/** Each page has a single address: without a trailing slash. */
function withoutSlash(address: string): string {
  const [path = '', ...query] = address.split('?');
  return [path.replace(/[/\\]+$/u, '') || '/', ...query].join('?');
}

/** Fires when the reader leaves before the document is sent. */
function closed(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

async function store(
  { status, location, html, policy }: Rendered,
  nonce: string,
  host: string,
  frames: readonly string[],
): Promise<StoredPage> {
  const hashed = hashInline(html, nonce);
  const headers: Record<string, string> = {
    ...framing(policy),
    'content-security-policy': pagePolicy(host, hashed, { ...policy, frames }),
    // Browsers revalidate each time, because logging in changes what an address shows.
    'cache-control': 'private, no-cache',
    vary: 'Cookie, Accept-Language, Accept-Encoding, User-Agent, Sec-CH-UA-Mobile',
  };
  if (location !== null) headers['location'] = location;
  return { status, headers, gzip: await compress(hashed.html) };
}

async function sendPersonal(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, location, html, policy }: Rendered,
  nonce: string,
  frames: readonly string[],
): Promise<FastifyReply> {
  const host = request.headers.host ?? '';
  const allowed = [`'nonce-${nonce}'`];
  setHeaders(reply.code(status).type('text/html; charset=utf-8'), {
    ...framing(policy),
    'content-security-policy': pagePolicy(host, { scripts: allowed, styles: allowed }, { ...policy, frames }),
    'cache-control': 'no-store',
  });
  if (location !== null) reply.header('location', location);
  if (!takesGzip(request.headers)) return reply.send(html);
  reply.header('content-encoding', 'gzip');
  return reply.send(await compress(html, { level: PERSONAL_GZIP_LEVEL }));
}
