import { pathFields, UPLOAD_TYPE, type AnyCall, type RateLimit } from '#platform/contract/call.ts';
import { API_BASE } from '#platform/contract/client.ts';
import { hostRefusals, type Refusal } from '#platform/contract/refusal.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { takesGzip } from './document-cache/stored-page.ts';
import { keepsCardsOut } from './pipeline/card-numbers.ts';
import { statusOf } from './pipeline/problem.ts';
import { jsonFields } from './pipeline/shapes.ts';

type Json = Record<string, unknown>;

/** Refusals that the host itself can give to a call, depending on the call's properties. */
function hostRefusalsOf(call: AnyCall): readonly Refusal[] {
  const { invalidInput, tooManyRequests, tooLarge, mediaUnsupported, malformed, csrf } = hostRefusals;
  const { notAuthenticated, forbidden, twoFactorRequired, cardNumber, unknownSite } = hostRefusals;
  const hasBody = call.method === 'POST' || call.method === 'PATCH';
  return [
    invalidInput,
    tooManyRequests,
    malformed,
    unknownSite,
    ...(keepsCardsOut(call) ? [cardNumber] : []),
    ...(hasBody ? [tooLarge, mediaUnsupported] : []),
    ...(call.upload ? [hostRefusals.oneFile] : []),
    ...(call.credential === 'cookie' && call.effects ? [csrf] : []),
    ...(call.access === 'anyone' ? [] : [notAuthenticated, forbidden, twoFactorRequired]),
  ];
}

const PROBLEM: Json = {
  type: 'object',
  required: ['status', 'error', 'errorType', 'error_type', 'message', 'type', 'title', 'detail'],
  properties: {
    status: { type: 'integer' },
    error: { type: 'string' },
    errorType: { type: 'string' },
    error_type: { type: 'string' },
    message: { type: 'string' },
    type: { type: 'string' },
    title: { type: 'string' },
    detail: { type: 'string' },
    reference: { type: 'string' },
    issues: {
      type: 'array',
      items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } } },
    },
  },
};

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const json = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  delete json['$schema'];
  return json;
}

const openPath = (call: AnyCall, base: string): string =>
  (call.root ? '' : base) + call.path.replaceAll(/:([^/]+)/gu, '{$1}').replace(/\*$/u, '{path}');

function parametersOf(call: AnyCall, input: Json): Json[] {
  const inPath = new Set(pathFields(call.path));
  const hasJsonBody = !call.media && (call.method === 'POST' || call.method === 'PATCH');
  const required = (input['required'] as string[] | undefined) ?? [];
  const fields = Object.entries((input['properties'] as Json | undefined) ?? {})
    .filter(([name]) => inPath.has(name) || !(hasJsonBody || (call.media && name === 'body')))
    .map(([name, schema]) => ({
      name,
      in: inPath.has(name) ? 'path' : 'query',
      required: inPath.has(name) || required.includes(name),
      schema,
    }));
  if (call.idempotency) {
    const schema = { type: 'string', minLength: 1, maxLength: 255 };
    fields.push({ name: 'Idempotency-Key', in: 'header', required: call.idempotency === 'required', schema });
  }
  return fields;
}

function bodyOf(call: AnyCall, input: Json): Json {
  if (call.media && (call.method === 'POST' || call.method === 'PATCH')) {
    return {
      requestBody: { required: true, content: { [call.media.accepts]: { schema: { type: 'string' } } } },
    };
  }
  if (call.upload) {
    const properties = { file: { type: 'string', contentMediaType: 'application/octet-stream' } };
    const schema = { type: 'object', required: ['file'], properties };
    return { requestBody: { required: true, content: { [UPLOAD_TYPE]: { schema } } } };
  }
  if (call.method !== 'POST' && call.method !== 'PATCH') return {};
  const inPath = new Set(pathFields(call.path));
  const properties = Object.entries((input['properties'] as Json | undefined) ?? {}).filter(
    ([n]) => !inPath.has(n),
  );
  const required = ((input['required'] as string[] | undefined) ?? []).filter((name) => !inPath.has(name));
  const schema = { ...input, properties: Object.fromEntries(properties), required };
  return { requestBody: { required: true, content: { 'application/json': { schema } } } };
}

/** A problem with one status, and the codes it may have there. */
const problemWith = (refusals: readonly Refusal[]): Json => ({
  allOf: [{ $ref: '#/components/schemas/Problem' }],
  properties: { errorType: { enum: [...new Set(refusals.map(({ code }) => code))] } },
});

/** The statuses that the output of a media call lists; empty when the method alone decides the status. */
function namedStatuses(call: AnyCall): readonly number[] {
  const status = jsonFields(call.output, 'output')['status'] as {
    readonly const?: unknown;
    readonly enum?: readonly unknown[];
  } | undefined;
  return [status?.const, ...(status?.enum ?? [])].filter((item) => typeof item === 'number');
}

function responsesOf(call: AnyCall): Json {
  const success = call.media
    ? {
      description: call.media.streams ? 'Done; the body is streamed, without a length' : 'Done',
      content: { [call.media.answers]: { schema: { type: 'string' } } },
    }
    : { description: 'Done', content: { 'application/json': { schema: schemaOf(call.output, 'output') } } };
  const nothing = { 204: { description: 'Done, nothing to say' } };
  const named = namedStatuses(call);
  const done: Record<string, Json> = !call.media
    ? { 200: success }
    : named.length > 0
    ? Object.fromEntries(
      named.map((status) => [status, isEmpty(status) ? EMPTY : success]),
    )
    : call.method === 'POST'
    ? { 201: success }
    : call.method === 'OPTIONS'
    ? nothing
    : call.method === 'PATCH'
    ? { 200: success, ...nothing }
    : { 200: success };
  const byStatus = new Map<number, Refusal[]>();
  for (const refusal of [...call.refusals, ...hostRefusalsOf(call)]) {
    byStatus.set(statusOf(refusal), [...(byStatus.get(statusOf(refusal)) ?? []), refusal]);
  }
  const refused: [string, Json][] = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, refusals]) => [
      String(status),
      {
        description: refusals.map(({ code, description }) => `\`${code}\`: ${description}`).join('\n\n'),
        content: {
          // A media call may also declare a status with which the host refuses.
          ...(done[status]?.['content'] as Json | undefined),
          'application/problem+json': { schema: problemWith(refusals) },
        },
      },
    ]);
  return { ...done, ...Object.fromEntries(refused) };
}

const EMPTY: Json = { description: 'Done; there is no body' };
/** Statuses without a body: redirects, and 204. */
const isEmpty = (status: number): boolean => status === 204 || (status >= 300 && status < 400);

const SECURITY_OF: Readonly<Record<AnyCall['credential'], (call: AnyCall) => Json[]>> = {
  cookie: ({ effects }) => [effects ? { session: [], csrf: [] } : { session: [] }],
  bearer: () => [{ bearer: [] }],
  signature: () => [{ signature: [] }],
  none: () => [],
};

/** The OpenAPI 3.1 document of the given calls: operation ids are call names. */
/** @param base the path below which the site answers calls */
function openApiOf(
  calls: readonly AnyCall[],
  info: { title: string; version: string },
  base: string = API_BASE,
): Json {
  const paths: Record<string, Json> = {};
  for (const call of calls) {
    const input = schemaOf(call.input, 'input');
    paths[openPath(call, base)] = {
      ...paths[openPath(call, base)],
      [call.method.toLowerCase()]: {
        operationId: call.name,
        tags: [call.name.split('.')[0]],
        summary: call.summary,
        description: call.description,
        security: SECURITY_OF[call.credential](call),
        parameters: parametersOf(call, input),
        ...bodyOf(call, input),
        responses: responsesOf(call),
        'x-access': call.access,
        'x-rate-limit': call.limit,
        'x-requirements': call.requirements,
      },
    };
  }
  return {
    openapi: '3.1.0',
    info,
    paths,
    components: {
      schemas: { Problem: PROBLEM },
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'session' },
        csrf: { type: 'apiKey', in: 'header', name: 'x-csrf-token' },
        bearer: { type: 'http', scheme: 'bearer' },
        signature: { type: 'apiKey', in: 'header', name: 'signature' },
      },
    },
  };
}

/** Programs read it when they are built; it is half a megabyte. */
const OPENAPI_LIMIT: RateLimit = { points: 30, seconds: 60, per: 'address' };

/** Serves the compressed document to clients that do not have it yet. */
export function mountOpenApi(app: FastifyInstance, { calls, apiBase, title, version, refused }: {
  readonly calls: readonly AnyCall[];
  readonly apiBase: string;
  readonly title: string;
  readonly version: string;
  /** Counts a request, and answers it where there were too many. */
  readonly refused: (request: FastifyRequest, reply: FastifyReply, limit: RateLimit) => Promise<boolean>;
}): void {
  let made: { readonly plain: Buffer; readonly packed: Buffer; readonly etag: string } | null = null;
  const make = () => {
    const plain = Buffer.from(JSON.stringify(openApiOf(calls, { title, version }, apiBase)));
    return {
      plain,
      packed: gzipSync(plain),
      etag: `"${createHash('sha256').update(plain).digest('base64url')}"`,
    };
  };
  app.get(`${apiBase}/openapi.json`, async (request, reply) => {
    if (await refused(request, reply, OPENAPI_LIMIT)) return reply;
    const { plain, packed, etag } = made ??= make();
    reply.headers({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'vary': 'Accept-Encoding',
      etag,
    });
    const known = (request.headers['if-none-match'] ?? '').split(',')
      .map((text) => text.trim().replace(/^W\//u, ''));
    if (known.includes(etag) || known.includes('*')) return reply.code(304).send();
    if (!takesGzip(request.headers)) return reply.send(plain);
    return reply.header('content-encoding', 'gzip').send(packed);
  });
}
