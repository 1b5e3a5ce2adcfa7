import type { PathFields } from '#platform/contract/bind.ts';
import { ANY_TYPE } from '#platform/contract/call.ts';
import { hostRefusals, Refused } from '#platform/contract/refusal.ts';
import { holdsCardNumber } from '#platform/text/card-numbers.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestFacts } from './host-port.ts';
import { OPEN_HEADERS, type Paths } from './paths.ts';
import { acceptedBy, readBody } from './pipeline/bodies.ts';
import { keepsCardsOut, searchedBody } from './pipeline/card-numbers.ts';
import type { BoundCall, Outcome, Pipeline, Visit } from './pipeline/pipeline.ts';
import { PROBLEM_TYPE, problemPage } from './pipeline/problem.ts';
import { isStreamed, type Streams } from './pipeline/streams.ts';

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const mediaTypeOf = (request: FastifyRequest): string =>
  (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

/** Options shared by the routes of all calls. */
interface Mounting {
  readonly app: FastifyInstance;
  readonly pipeline: Pipeline;
  readonly paths: Paths;
  readonly streams: Streams;
}

export function mount({ app, pipeline, paths, streams }: Mounting, bound: BoundCall): void {
  const { call } = bound;
  const accepts = acceptedBy(call);
  app.route({
    method: call.method,
    url: bound.route,
    bodyLimit: call.bodyLimitBytes,
    config: { callName: call.name },
    onRequest: async (request, reply) => {
      const facts = request.facts as RequestFacts;
      const refuse = (refused: Refused): FastifyReply =>
        fail(reply, pipeline, bound, pipeline.refused(refused, facts));
      if (call.crossOrigin) reply.headers(OPEN_HEADERS);
      if (call.method === 'OPTIONS') reply.headers(paths.headersOf(request.url));
      const visit = await pipeline.visit(facts, call);
      if (!visit) return refuse(new Refused(hostRefusals.unknownSite));
      request.visit = visit;
      const refused = await pipeline.admit(bound, visit, facts, { path: request.params as PathFields });
      if (refused) return refuse(refused);
      const length = Number(request.headers['content-length'] ?? 0);
      if (length > call.bodyLimitBytes) return refuse(new Refused(hostRefusals.tooLarge));
      // The sender decides how long the rest takes to arrive.
      request.isLate = hasBody(request) && !request.raw.complete;
      const isExpected = !hasBody(request) || accepts === ANY_TYPE || mediaTypeOf(request) === accepts;
      return isExpected
        ? undefined
        : refuse(new Refused(hostRefusals.mediaUnsupported, { values: { accepts } }));
    },
    handler: async (request, reply) => {
      const { params, query } = request;
      const read = readBody(call, request);
      if (read instanceof Refused) {
        return fail(reply, pipeline, bound, pipeline.refused(read, request.facts as RequestFacts));
      }
      const body = read.fields;
      // Whatever the call does with it: a card number must not even be in a field that nobody reads.
      const searched = [...(call.effects ? [params] : []), query, searchedBody(body, call)];
      if (keepsCardsOut(call) && holdsCardNumber(searched, call.effects)) {
        return send(
          reply,
          pipeline.refused(new Refused(hostRefusals.cardNumber), request.facts as RequestFacts),
        );
      }
      const parsed = bound.parse({ params: params as RawParams, query: query as RawParams, body });
      const facts = request.facts as RequestFacts;
      const admitted = request.visit as Visit;
      const visit = request.isLate ? await pipeline.revisit(bound, admitted, facts) : admitted;
      if (visit instanceof Refused) return fail(reply, pipeline, bound, pipeline.refused(visit, facts));
      const outcome = await pipeline.perform(bound, visit, facts, parsed, read.file);
      if (!outcome.ok) return fail(reply, pipeline, bound, outcome);
      if (!call.media?.streams) return succeed(reply, bound, outcome.value);
      return stream(reply, pipeline, bound, outcome.value, streams);
    },
  });
}
type RawParams = Readonly<Record<string, unknown>>;

/** Header values that a handler may set: none can start another header. */
const HEADER_VALUE = /^[\x20-\x7E]*$/u;

function succeed(reply: FastifyReply, bound: BoundCall, value: unknown): FastifyReply {
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  if (!bound.call.media) {
    // Other sites request it without a viewer and may cache it, but its texts are in one language.
    if (bound.call.crossOrigin) reply.header('vary', 'accept-language, cookie');
    reply.header('content-type', 'application/json; charset=utf-8');
    return reply.send(bound.write(value));
  }
  const { status, headers, body } = value as {
    status: number;
    headers: Record<string, string>;
    body: string | Uint8Array;
  };
  writeHead(reply, bound.call, status, headers);
  // 204 has no body, and so no content type.
  if (body.length === 0) return reply.send();
  if (!reply.hasHeader('content-type')) reply.header('content-type', bound.call.media.answers);
  return reply.send(body);
}

/** Status and headers of a media call. */
function writeHead(
  reply: FastifyReply,
  call: BoundCall['call'],
  status: number,
  headers: Readonly<Record<string, string>>,
): void {
  for (const [name, text] of Object.entries(headers)) {
    if (!HEADER_VALUE.test(text)) throw new Error(`header ${name} of ${call.name} is not printable ASCII`);
    reply.header(name, text);
  }
  reply.code(status);
}

/** Sends a streamed answer part by part; refused when the caller has too many open. */
function stream(
  reply: FastifyReply,
  pipeline: Pipeline,
  bound: BoundCall,
  value: unknown,
  streams: Streams,
): FastifyReply {
  const { call } = bound;
  const { request } = reply;
  if (!isStreamed(value)) throw new Error(`${call.name} streams, but is not bound by handleStream`);
  const { personId, sessionId } = (request.visit as Visit).caller;
  const owner = String(personId ?? sessionId ?? request.facts?.address);
  if (!streams.hasRoom(owner)) {
    const busy = new Refused(hostRefusals.tooManyRequests, { retryAfterSeconds: 5, values: { seconds: 5 } });
    return fail(reply, pipeline, bound, pipeline.refused(busy, request.facts as RequestFacts));
  }
  reply.headers({ 'cache-control': 'no-store', 'content-type': call.media?.answers });
  writeHead(reply, call, value.status, value.headers);
  if (request.method === 'HEAD') return reply.send();
  return reply.send(streams.open(owner, call.name, value.parts, reply.raw));
}

/** A failed call: a problem for programs, a page for a person who followed a link to a download. */
function fail(
  reply: FastifyReply,
  pipeline: Pipeline,
  { call }: BoundCall,
  outcome: Outcome & { ok: false },
): FastifyReply {
  const { headers, facts } = reply.request;
  if (!call.media?.streams || !headers.accept?.includes('text/html')) return send(reply, outcome, call);
  const { problem, retryAfterSeconds } = outcome;
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(Math.ceil(retryAfterSeconds)));
  reply.headers({ 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' });
  const request = facts as RequestFacts;
  return reply.code(problem.status).send(problemPage(problem, {
    text: pipeline.textOf(request),
    locale: pipeline.localeOf(request),
    back: pathWithin(headers.referer, headers.host),
  }));
}

/** The page of this host that the request came from, else the home page. */
function pathWithin(referer: string | undefined, host: string | undefined): string {
  if (referer === undefined || !URL.canParse(referer)) return '/';
  const from = new URL(referer);
  return from.host === host ? from.pathname + from.search : '/';
}

export function send(
  reply: FastifyReply,
  outcome: Outcome & { ok: false },
  call?: BoundCall['call'],
): FastifyReply {
  const { problem, retryAfterSeconds } = outcome;
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(Math.ceil(retryAfterSeconds)));
  if (problem.status === 401 && call?.credential === 'bearer') reply.header('www-authenticate', 'Bearer');
  reply.headers({ 'cache-control': 'no-store', 'content-type': PROBLEM_TYPE });
  return reply.code(problem.status).send(JSON.stringify(problem));
}
