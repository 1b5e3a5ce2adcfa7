import { ANY_TYPE, UPLOAD_TYPE, type AnyCall } from '#platform/contract/call.ts';
import { hostRefusals, Refused } from '#platform/contract/refusal.ts';
import { holdsCardNumber } from '#platform/text/card-numbers.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CardNumberFound, withoutPhones } from './card-numbers.ts';
import type { BoundCall } from './pipeline.ts';

/** Bodies are JSON, an upload or the text of a media call; each route says which before the body is read. */
export function acceptBodies(app: FastifyInstance, calls: readonly BoundCall[]): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  // Calls that get the body unchanged whatever its declared type, because a signature may cover it.
  const raw = new Set(
    calls.filter(({ call }) => call.media?.accepts === ANY_TYPE)
      .map(({ call }) => call.name),
  );
  const phonesOf = new Map(calls.map(({ call: { name, phones } }) => [name, phones]));
  const searched = (request: FastifyRequest, body: string | Buffer) =>
    withoutPhones(body, phonesOf.get(callNameOf(request)));
  // Fastify itself rejects an invalid content type, but raw bodies may have one.
  app.addHook('onRequest', (request, _reply, done) => {
    const isRaw = raw.has(callNameOf(request));
    if (isRaw && request.mediaType === undefined) delete request.headers['content-type'];
    done();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (raw.has(callNameOf(request))) done(null, body);
    else if (body === '') done(null, {});
    // Searched before parsing, because a long number loses its last digits there.
    else if (holdsCardNumber(searched(request, body))) done(new CardNumberFound());
    else void parseJson(request, body as string, done);
  });
  app.addContentTypeParser(
    UPLOAD_TYPE,
    { parseAs: 'buffer' },
    (request, body, done) => done(null, raw.has(callNameOf(request)) ? body.toString() : body),
  );
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
}

const callNameOf = ({ routeOptions }: FastifyRequest): string =>
  (routeOptions.config as { readonly callName?: string }).callName ?? '';

/** The media type that a call takes. */
export const acceptedBy = (
  { media, upload }: AnyCall,
): string => (upload ? UPLOAD_TYPE : media?.accepts ?? 'application/json');

/** The content of a request's body: fields, and the file of an upload. */
export interface ReadBody {
  readonly fields: unknown;
  readonly file: Uint8Array | null;
}

/** Reads the body of a call. An upload has exactly one file, in the field `file`. */
export function readBody(call: AnyCall, request: FastifyRequest): ReadBody | Refused {
  const { body = call.media ? '' : {} } = request;
  if (!call.upload) return { fields: body, file: null };
  const parts = Buffer.isBuffer(body) ? partsOf(body, request.headers['content-type'] ?? '') : null;
  if (!parts) return new Refused(hostRefusals.malformed);
  const [file, ...more] = parts.filter(({ isFile }) => isFile);
  if (file?.name !== 'file' || more.length > 0) return new Refused(hostRefusals.oneFile);
  const fields = parts.filter(({ isFile }) => !isFile).map(({ name, content }) => [name, content.toString()]);
  return { fields: Object.fromEntries(fields), file: file.content };
}

/** One part of a form. */
interface Part {
  readonly name: string;
  readonly isFile: boolean;
  readonly content: Buffer;
}

/** The most parts; a form with one file has fewer. */
const MAX_PARTS = 20;
/** A browser writes a name, a file's name and a type. */
const MAX_HEAD_BYTES = 2_048;
const BOUNDARY = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s";,]{1,70}))\s*(?:;|$)/iu;
const DISPOSITION =
  /^content-disposition:\s*form-data((?:\s*;\s*[a-z*]+=(?:"(?:[^"\\\r\n]|\\.)*"|[^\s";]+))*)\s*$/imu;

/** The parts of a form in the format of browsers (RFC 7578); null when the body is not one. */
function partsOf(body: Buffer, type: string): readonly Part[] | null {
  const [, quoted, plain] = BOUNDARY.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return null;
  const edge = Buffer.from(`\r\n--${boundary}`);
  const first = edge.subarray(2);
  if (!body.subarray(0, first.length).equals(first)) return null;
  const parts: Part[] = [];
  for (let at = first.length;;) {
    const follows = body.toString('latin1', at, at + 2);
    if (follows === '--') return parts;
    const headEnd = body.indexOf('\r\n\r\n', at);
    const end = headEnd === -1 ? -1 : body.indexOf(edge, headEnd + 4);
    if (follows !== '\r\n' || end === -1) return null;
    if (headEnd - at > MAX_HEAD_BYTES || parts.length >= MAX_PARTS) return null;
    const part = partOf(body.toString('utf8', at + 2, headEnd), body.subarray(headEnd + 4, end));
    if (!part) return null;
    parts.push(part);
    at = end + edge.length;
  }
}

function partOf(head: string, content: Buffer): Part | null {
  const [, said] = DISPOSITION.exec(head) ?? [];
  const [, name] = /;\s*name="((?:[^"\\]|\\.)*)"/iu.exec(said ?? '') ?? [];
  return name === undefined ? null : { name, isFile: /;\s*filename\*?=/iu.test(said ?? ''), content };
}
