import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { duplicatedHeader } from '../pipeline/credentials.ts';

/** A complete answer that only has to be written. */
export interface EarlyAnswer {
  /** The name under which the answer is counted: that of a call, else `other`. */
  readonly call: string;
  readonly status: number;
  /** Names and values of all headers but those that Node writes itself. */
  readonly head: string[];
  readonly body: Buffer;
}
/** An answer that was found for a request without waiting. */
export interface Found {
  readonly answer: EarlyAnswer;
  /** Counts the request before the answer is sent; false when it must be handled the usual way after all. */
  readonly admit: (() => Promise<boolean>) | null;
}
/** Finds the answer to a plain request: a GET without a body and without repeated headers. */
export type FindEarly = (request: IncomingMessage, url: string) => Found | null;
/** Counts an answer, as the host counts all others. */
export type CountAnswer = (call: string, status: number, seconds: number) => void;

/**
 * Sends stored answers before Fastify reads the request, because most visits request what was made a moment
 * ago. All other requests are handled the usual way. Call this before hooks are added.
 */
export function answerEarly(app: FastifyInstance, find: FindEarly, count: CountAnswer): void {
  const { server } = app;
  const [usual] = server.listeners('request') as ((from: IncomingMessage, to: ServerResponse) => void)[];
  if (!usual) throw new Error('Fastify listens to no requests');
  /** Requests that were looked up here, so that the hook does not look them up again. */
  const seen = new WeakSet<IncomingMessage>();
  let isClosing = false;
  app.addHook('preClose', (done) => {
    isClosing = true;
    done();
  });
  server.off('request', usual);
  server.on('request', (request, response) => {
    const found = isClosing ? null : findPlain(find, request);
    if (!found) {
      seen.add(request);
      usual(request, response);
      return;
    }
    const from = performance.now();
    const { answer: { call, status } } = found;
    send(found, response,
      () => void response.on('finish', () => count(call, status, (performance.now() - from) / 1000)),
      () => {
        seen.add(request);
        usual(request, response);
      });
  });
  // Handles requests from within the process, or over another socket of the host.
  app.addHook('onRequest', (request, reply, done) => {
    const found = seen.has(request.raw) ? null : findPlain(find, request.raw);
    if (!found) done();
    else send(found, reply.raw, () => void reply.hijack(), () => done());
  });
}

/** @param begin called right before the answer is written @param otherwise called when nothing is written */
function send(
  { answer, admit }: Found, response: ServerResponse, begin: () => void, otherwise: () => void,
): void {
  if (admit === null) write(answer, response, begin);
  else {
    admit().then((isAdmitted) => {
      if (isAdmitted) write(answer, response, begin);
      else otherwise();
    }, otherwise);
  }
}

function write({ status, head, body }: EarlyAnswer, response: ServerResponse, begin: () => void): void {
  begin();
  response.writeHead(status, head).end(body);
}

function findPlain(find: FindEarly, request: IncomingMessage): Found | null {
  const { method, url, headers, rawHeaders } = request;
  const isPlain = method === 'GET' && url !== undefined && headers['content-length'] === undefined
    && headers['transfer-encoding'] === undefined && duplicatedHeader(rawHeaders) === null;
  return isPlain ? find(request, url) : null;
}
