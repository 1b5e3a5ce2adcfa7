import { PAGE_LANGUAGE, SERVER_TIME, type CallFunction } from '#platform/contract/client.ts';
import type { CallContext } from '#platform/contract/context.ts';
import { hostRefusals, Refused, type Refusal } from '#platform/contract/refusal.ts';
import type { Clock } from '#platform/data/clock.ts';
import Fastify, {
  LogController,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { IncomingMessage, Server } from 'node:http';
import { clientAddress, networks, plainAddress } from './address.ts';
import {
  boundConnections,
  CONNECTION_TIMES,
  MAX_CONNECTIONS_PER_ADDRESS,
  type ConnectionTimes,
} from './connections.ts';
import type { Asking } from './document-cache/audience-cache.ts';
import { sendStored, type FindCached, type StoredPage } from './document-cache/stored-page.ts';
import type { RequestFacts } from './host-port.ts';
import { mount, send } from './mount.ts';
import { mountOpenApi } from './openapi.ts';
import { mountOperations, type Operations } from './operations.ts';
import { Paths } from './paths.ts';
import { acceptBodies } from './pipeline/bodies.ts';
import { CardNumberFound } from './pipeline/card-numbers.ts';
import { cookieName, duplicatedHeader, parseCookies, serializeCookie } from './pipeline/credentials.ts';
import { Pipeline, type PipelineOptions, type Visit } from './pipeline/pipeline.ts';
import { problemOfError } from './pipeline/problem.ts';
import { STALL_MS, Streams } from './pipeline/streams.ts';

/** Longest decoded path segment: session ids and usernames are far shorter. */
const MAX_SEGMENT_LENGTH = 1024;
/** Two years, as browsers' preload lists ask (RFC 6797). */
const HSTS = 'max-age=63072000; includeSubDomains';

/** Headers of every answer; pages set their own Content-Security-Policy. */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'camera=(self), microphone=(self), display-capture=(self), geolocation=(), payment=(), usb=()',
};
/** Answers other than pages may run nothing and be framed by nobody. */
const DATA_POLICY = 'default-src \'none\'; frame-ancestors \'none\'; base-uri \'none\'; form-action \'none\'';

/** What a page handler gets besides request and reply. */
export interface PageContext {
  readonly facts: RequestFacts;
  readonly visit: Visit;
  /**
   * Makes in-process calls with the same checks as over HTTP, answered in this language or else the viewer's.
   */
  readonly callIn: (language: string | null) => CallFunction;
  /** Path below which calls are answered, for those that the page makes. */
  readonly apiBase: string;
}
export type PageHandler = (
  request: FastifyRequest,
  reply: FastifyReply,
  page: PageContext,
) => Promise<unknown>;

export interface HostOptions extends PipelineOptions {
  /** Addresses and networks of proxies whose X-Forwarded-For is believed; none by default. */
  readonly trustedProxies?: readonly string[];
  readonly operations: Operations;
  /** When connections are closed; shorter in tests. */
  readonly connectionTimes?: ConnectionTimes;
  /** Connections one address may hold; fewer in tests. */
  readonly maxConnectionsPerAddress?: number;
  /** How long a client may take nothing of a streamed answer; shorter in tests. */
  readonly streamStallMs?: number;
  readonly title: string;
  readonly version: string;
}

export interface Host {
  readonly app: FastifyInstance;
  readonly server: Server;
  /** Path below which calls are answered. */
  readonly apiBase: string;
  /**
   * Site, caller, region and language of a request that is not a call, such as the upgrade to a socket. Null
   * without a site.
   */
  readonly contextOf: (request: IncomingMessage) => Promise<CallContext | null>;
  /** Makes in-process calls for one request. */
  readonly invoker: (facts: RequestFacts) => CallFunction;
  /** Logs an error without user text and returns its reference. */
  readonly logError: (error: unknown, where: string) => string;
  /**
   * Handles every `GET /*` without a call, asset or operation of its own. Pages that `cached` finds are sent
   * before site and caller are resolved. Call it at most once, before the server starts.
   */
  readonly mountPages: (handler: PageHandler, cached?: FindCached) => void;
  /** Stops accepting requests, finishes the current ones, closes. */
  readonly close: () => Promise<void>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set in the first hook; null only when the address itself was malformed. */
    facts: RequestFacts | null;
    visit: Visit | null;
    /** Whether the caller was admitted before the body had arrived. */
    isLate: boolean;
  }
}

/**
 * Builds the HTTP host of one site installation. Throws when the calls contradict each other or the
 * permissions.
 */
export function createHost(options: HostOptions): Host {
  const pipeline = new Pipeline(options);
  const paths = new Paths(pipeline.calls);
  const factsOf = factsReader(options);
  const times = options.connectionTimes ?? CONNECTION_TIMES;
  const app = Fastify({
    loggerInstance: options.log,
    // Addresses and paths reveal who watches whom: requests are counted, never logged.
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: times.requestMs,
    keepAliveTimeout: times.keepAliveMs,
    http: { headersTimeout: times.headersMs, connectionsCheckingInterval: times.checkMs },
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: MAX_SEGMENT_LENGTH },
    rewriteUrl: ({ url = '/' }) => paths.tidied(url),
    frameworkErrors: (_error, request, reply) => {
      // No hook runs for a malformed address.
      reply.headers({ ...securityHeaders(options.scheme), 'content-security-policy': DATA_POLICY });
      send(reply, pipeline.refused(new Refused(hostRefusals.malformed), factsOf(request.raw, reply)));
    },
  }) as unknown as FastifyInstance;
  boundConnections(app.server, {
    trustedProxies: options.trustedProxies ?? [],
    maxPerAddress: options.maxConnectionsPerAddress ?? MAX_CONNECTIONS_PER_ADDRESS,
  });
  app.decorateRequest('facts', null);
  app.decorateRequest('visit', null);
  app.decorateRequest('isLate', false);
  secure(app, { pipeline, factsOf, clock: options.clock }, securityHeaders(options.scheme));
  acceptBodies(app, pipeline.calls);
  const streams = new Streams({
    stallMs: options.streamStallMs ?? STALL_MS,
    failed: (error, where) => void pipeline.logError(error, where),
  });
  const mounting = { app, pipeline, paths, streams };
  for (const bound of pipeline.calls) mount(mounting, bound);
  mountOperations(app, options.operations);
  serveOpenApi(app, pipeline, options);
  const absent = absentAnswer(pipeline, paths);
  app.setNotFoundHandler(absent);
  app.get(`/${pipeline.apiBase.split('/')[1]}/*`, absent);
  return {
    app,
    apiBase: pipeline.apiBase,
    server: app.server,
    contextOf: (request) => pipeline.contextOf(factsOf(request, null)),
    invoker: (facts) => pipeline.invoker(facts),
    logError: (error, where) => pipeline.logError(error, where),
    mountPages: (handler, cached = () => null) =>
      mountPages(
        app,
        pipeline,
        (request, facts) => {
          // A HEAD request is no visit.
          if (request.method !== 'GET' || paths.isForProgramsAlone(request.url)) return null;
          return cached(request.url, askingOf(facts, options.port));
        },
        (
          request,
          reply,
          page,
        ) => (paths.isForProgramsAlone(request.url) ? absent(request, reply) : handler(request, reply, page)),
      ),
    close: () => app.close(),
  };
}

const securityHeaders = (
  scheme: HostOptions['scheme'],
): Readonly<
  Record<string, string>
> => (scheme === 'https' ? { ...SECURITY_HEADERS, 'strict-transport-security': HSTS } : SECURITY_HEADERS);

function secure(
  app: FastifyInstance,
  { pipeline, factsOf, clock }: {
    readonly pipeline: Pipeline;
    readonly factsOf: FactsReader;
    readonly clock: Clock;
  },
  headers: Readonly<Record<string, string>>,
): void {
  app.addHook('onRequest', async (request, reply) => {
    request.facts = factsOf(request.raw, reply);
    reply.headers(headers);
    if (duplicatedHeader(request.raw.rawHeaders) !== null) {
      return send(reply, pipeline.refused(new Refused(hostRefusals.malformed), request.facts));
    }
    return undefined;
  });
  app.addHook('onSend', async (_request, reply, payload) => {
    const has = (name: string): boolean => reply.hasHeader(name) || reply.raw.hasHeader(name);
    if (!has('content-security-policy')) reply.header('content-security-policy', DATA_POLICY);
    // Answers that nobody stores carry the server's time, from which pages set their clock.
    if (reply.getHeader('cache-control') === 'no-store') reply.header(SERVER_TIME, clock.now().getTime());
    return payload;
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const facts = request.facts ?? factsOf(request.raw, reply);
    const refusal = refusalOfError(error);
    if (refusal) return send(reply, pipeline.refused(new Refused(refusal), facts));
    const reference = pipeline.logError(error, request.routeOptions.url ?? 'no route');
    return send(reply, { ok: false, problem: problemOfError(reference, pipeline.textOf(facts)) });
  });
}

/** Errors that Fastify raises while it reads a request are caused by the sender. */
function refusalOfError(error: FastifyError): Refusal | null {
  if (error instanceof CardNumberFound) return hostRefusals.cardNumber;
  if (error.statusCode === 413) return hostRefusals.tooLarge;
  const status = error.statusCode ?? 500;
  const isReading = error.code?.startsWith('FST_ERR_') && status >= 400 && status < 500;
  const isJson = error instanceof SyntaxError && error.statusCode === 400;
  return isReading || isJson ? hostRefusals.malformed : null;
}

/**
 * Answers requests without a handler: OPTIONS with the methods of a path, 405 for other methods, else 404.
 */
function absentAnswer(
  pipeline: Pipeline,
  paths: Paths,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  return async (request, reply) => {
    const { url, method } = request;
    const refuse = (refusal: Refusal, extra = {}): FastifyReply =>
      send(reply, pipeline.refused(new Refused(refusal, { extra }), request.facts as RequestFacts));
    const calls = paths.callsAt(url);
    if (calls.length === 0) return refuse(hostRefusals.notFound);
    // A call with this method has the path, but the router did not accept it: a segment is too long.
    if (calls.some((call) => call.method === method)) return refuse(hostRefusals.malformed);
    reply.headers(paths.headersOf(url));
    if (method === 'OPTIONS') return reply.code(204).send();
    // A person who opens an encoder's address in a browser reads what it is for.
    const calledBy = Object.fromEntries(calls.map((call) => [call.method, call.summary]));
    return refuse(hostRefusals.methodNotAllowed, { methods: calledBy });
  };
}

function serveOpenApi(app: FastifyInstance, pipeline: Pipeline, options: HostOptions): void {
  mountOpenApi(app, {
    ...options,
    apiBase: pipeline.apiBase,
    calls: pipeline.calls.map(({ call }) => call),
    refused: async (request, reply, limit) => {
      const facts = request.facts as RequestFacts;
      const seconds = await pipeline.countFile('openapi', limit, facts.address);
      if (seconds === 0) return false;
      const detail = { retryAfterSeconds: seconds, values: { seconds } };
      send(reply, pipeline.refused(new Refused(hostRefusals.tooManyRequests, detail), facts));
      return true;
    },
  });
}

/** What decides on a document besides its address and its caller, read as {@link Pipeline} does. */
const askingOf = (facts: RequestFacts, port: HostOptions['port']): Asking => ({
  headers: facts.headers,
  region: port.regionOf(facts),
  epoch: port.epoch?.() ?? '',
  locale: port.localeOf(facts),
});

function mountPages(
  app: FastifyInstance,
  pipeline: Pipeline,
  cached: (request: FastifyRequest, facts: RequestFacts) => StoredPage | null,
  handler: PageHandler,
): void {
  app.get('/*', async (request, reply) => {
    const facts = request.facts as RequestFacts;
    const page = cached(request, facts);
    if (page) return sendStored(request, reply, page);
    const visit = await pipeline.visit(facts);
    if (!visit) return send(reply, pipeline.refused(new Refused(hostRefusals.unknownSite), facts));
    return handler(request, reply, {
      facts,
      visit,
      callIn: (language) => pipeline.invoker({ ...facts, language }, visit),
      apiBase: pipeline.apiBase,
    });
  });
}

type FactsReader = (request: IncomingMessage, reply: FastifyReply | null) => RequestFacts;

/** Reads everything about a request that precedes its caller. Without a reply, cookies cannot be set. */
function factsReader({ scheme, trustedProxies = [] }: HostOptions): FactsReader {
  const isSecure = scheme === 'https';
  const isTrusted = networks(trustedProxies);
  return ({ headers, socket, url = '' }, reply) => {
    let cookies: ReadonlyMap<string, string> | null = null;
    const forwarded = headers['x-forwarded-for'];
    return {
      host: (headers.host ?? '').toLowerCase(),
      address: clientAddress(
        socket.remoteAddress,
        Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
        isTrusted,
      ),
      peer: plainAddress(socket.remoteAddress),
      headers,
      language: [headers[PAGE_LANGUAGE] ?? []].flat()[0] ?? null,
      query: url.includes('?') ? url.slice(url.indexOf('?') + 1) : '',
      // Methods instead of arrow functions, because these objects are made for each request, and the build
      // names every function in a field.
      cookie(name) {
        const full = cookieName(name, isSecure);
        if (!headers.cookie?.includes(full)) return null;
        return (cookies ??= parseCookies(headers.cookie)).get(full) ?? null;
      },
      setCookie(name, value, options) {
        if (!reply) throw new Error(`cookie ${name} cannot be set on a socket`);
        reply.header('set-cookie', serializeCookie(name, value, isSecure, options));
      },
    };
  };
}
