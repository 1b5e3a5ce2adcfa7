import { handleCall } from '#platform/contract/bind.ts';
import { call } from '#platform/contract/call.ts';
import type { Problem } from '#platform/contract/client.ts';
import { NO_CONSENT, type Caller } from '#platform/contract/context.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { VirtualClock } from '#platform/data/clock.ts';
import { memoryLimits } from '#platform/data/limits/memory-limits.ts';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect } from 'vitest';
import { z } from 'zod';
import type { HostPort } from './host-port.ts';
import { createHost, type Host, type HostOptions, type PageHandler } from './host.ts';
import type { Pages } from './pages/ssr.ts';

// A small product with a shelf that uses everything the host can do.

export const HOST = 'cams.example';
const ORIGIN = `http://${HOST}`;
export const CSRF = 'csrf-of-the-session';

const full = refusal({
  slice: 'shelf',
  code: 'shelf_full',
  kind: 'conflict',
  description: 'No room is left.',
});
const late = refusal({ slice: 'shelf', code: 'too_late', kind: 'limited', description: 'Come back later.' });
const poor = refusal({
  slice: 'shelf',
  code: 'poor',
  kind: 'funds',
  description: 'It costs more than there is.',
});

export const putBook = call({
  name: 'shelf.putBook',
  method: 'POST',
  path: '/shelf/:shelf/books',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({
    shelf: z.string().max(64),
    pages: z.int().min(1).max(9999),
    title: z.string().max(200).optional(),
  }),
  output: z.object({
    shelf: z.string(),
    pages: z.int(),
    title: z.string().nullable(),
    by: z.string().nullable(),
  }),
  refusals: [full, late, poor],
  bodyLimitBytes: 1024,
  limit: { points: 50, seconds: 60, per: 'caller' },
  summary: 'Puts a book',
  description: 'Puts a book on a shelf.',
});
export const listShelf = call({
  name: 'shelf.listBooks',
  method: 'GET',
  path: '/shelf/*',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({
    path: z.string(),
    page: z.int().min(1).optional(),
    sold: z.boolean().optional(),
    tag: z.array(z.string()).optional(),
  }),
  output: z.object({ seen: z.unknown() }),
  refusals: [],
  limit: { points: 5, seconds: 60, per: 'caller' },
  summary: 'Lists books',
  description: 'Lists books.',
});
export const burn = call({
  name: 'shelf.burn',
  method: 'DELETE',
  path: '/shelf/:shelf',
  access: 'staff',
  credential: 'cookie',
  input: z.object({ shelf: z.string() }),
  output: z.object({}),
  refusals: [],
  summary: 'Burns',
  description: 'Burns a shelf.',
});
const buy = call({
  name: 'shelf.buy',
  method: 'POST',
  path: '/buy',
  access: 'anyone',
  credential: 'cookie',
  idempotency: 'required',
  input: z.object({}),
  output: z.object({ key: z.string().nullable() }),
  refusals: [],
  summary: 'Buys',
  description: 'Buys.',
});
const offer = call({
  name: 'shelf.offer',
  method: 'POST',
  path: '/offer/:place',
  root: true,
  access: 'anyone',
  credential: 'bearer',
  media: { accepts: 'application/sdp', answers: 'application/sdp' },
  input: z.object({ place: z.string(), token: z.string().optional(), body: z.string() }),
  output: z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string() }),
  refusals: [],
  summary: 'Offers',
  description: 'Offers.',
});
/** Like `offer`, but open to pages of any origin; the session counts in addition to the bearer token. */
const openOffer = call({
  ...offer,
  name: 'shelf.openOffer',
  path: '/open-offer/:place',
  crossOrigin: true,
  readsSession: true,
});
/** A call that a player makes: without effects, and the session counts. */
const piece = call({
  ...offer,
  name: 'shelf.piece',
  method: 'GET',
  path: '/piece',
  credential: 'none',
  readsSession: true,
  effects: false,
  input: z.object({ body: z.string().optional() }),
});
export const settings = call({
  name: 'shelf.settings',
  method: 'GET',
  path: '/settings',
  access: 'anyone',
  credential: 'cookie',
  startsSession: true,
  input: z.object({}),
  output: z.object({ csrf: z.string().nullable() }),
  refusals: [],
  summary: 'Settings',
  description: 'Settings.',
});
export const broken = call({
  name: 'shelf.broken',
  method: 'GET',
  path: '/broken',
  access: 'anyone',
  credential: 'none',
  input: z.object({}),
  output: z.object({ name: z.string() }),
  refusals: [],
  summary: 'Breaks',
  description: 'Breaks.',
});

const answers = [
  handleCall(putBook)(async ({ shelf, pages, title }, { caller, refuse }) => {
    if (title === 'full') {
      return refuse(full, { values: { shelf }, extra: { suggestions: ['b'], status: 'mine' } });
    }
    if (title === 'late') return refuse(late, { retryAfterSeconds: 7 });
    if (title === 'poor') return refuse(poor);
    const row = { shelf, pages, title: title ?? null, by: caller.username, secret: 'never to be seen' };
    return row;
  }),
  handleCall(listShelf)(async (input) => ({ seen: input })),
  handleCall(burn)(async () => ({})),
  handleCall(buy)(async (_input, { idempotencyKey }) => ({ key: idempotencyKey })),
  handleCall(piece)(async (_input, { caller }) => ({ status: 200, headers: {}, body: caller.kind })),
  handleCall(openOffer)(async ({ body }, { bearer, caller }) => ({
    status: body === '' ? 204 : 201,
    headers: { location: '/open-offer/x' },
    body: body && JSON.stringify({ bearer, kind: caller.kind }),
  })),
  handleCall(offer)(async ({ place, token, body }, { bearer, caller }) => ({
    status: 201,
    headers: { location: `/offer/${place}` },
    body: JSON.stringify({ bearer, token, length: body.length, kind: caller.kind }),
  })),
  handleCall(settings)(async (_input, { csrf }) => ({ csrf })),
  handleCall(broken)(async () => {
    throw new Error('duplicate key (email)=("anna@private.example") for \'anna\'');
  }),
];

export const PEOPLE: Readonly<Record<string, Caller>> = {
  ann: { kind: 'person', personId: 1, sessionId: 's1', username: 'ann', roles: ['reader'] },
  bob: { kind: 'person', personId: 2, sessionId: 's2', username: 'bob', roles: ['staff'] },
  guest: { kind: 'guest', personId: null, sessionId: 'g1', username: 'guest_1', roles: [] },
};
export const NOBODY: Caller = {
  kind: 'anonymous',
  personId: null,
  sessionId: null,
  username: null,
  roles: [],
};

export const port: HostPort = {
  resolveScope: async (host) => (host === HOST ? { operatorId: 1, siteId: 1 } : null),
  resolveCaller: async (_scope, request) => {
    const caller = PEOPLE[request.cookie('session') ?? ''];
    return { ...(caller ? { caller, csrf: CSRF } : { caller: NOBODY, csrf: null }), consent: NO_CONSENT };
  },
  startGuest: async (_scope, request) => {
    request.setCookie('session', 'guest', { httpOnly: true });
    return { caller: PEOPLE['guest'] as Caller, csrf: CSRF };
  },
  mayUse: (access, caller) => {
    if (access !== 'anyone' && access !== 'staff') throw new Error(`no row ${access}`);
    return access === 'anyone' || caller.roles.includes(access);
  },
  localeOf: ({ headers, language }) => language ?? (headers['accept-language'] === 'de' ? 'de' : 'en'),
  regionOf: () => 'unknown',
  text: (locale, key, values) => {
    if (key === 'shelf:refusals.shelf_full') return `${locale} ${values?.['shelf'] ?? ''}`;
    return key;
  },
};

/** Headers of a request that a page of the site itself makes. */
export const GENUINE = { host: HOST, origin: ORIGIN, 'sec-fetch-site': 'same-origin', 'x-csrf-token': CSRF };
export const as = (who: string): Record<string, string> => ({ cookie: `session=${who}` });

type Headers = Readonly<Record<string, string | undefined>>;
type Request = Omit<InjectOptions, 'headers'> & { readonly headers?: Headers };

/** A host of the shelves on a virtual clock. */
export class Shelves {
  readonly host: Host;
  readonly clock = new VirtualClock();
  /** The logged lines. */
  readonly lines: string[] = [];

  constructor(options: Partial<HostOptions> = {}, documents: Pages | null = null) {
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.lines.push(chunk.toString());
        done();
      },
    });
    this.host = createHost({
      handlers: answers,
      port,
      clock: this.clock,
      limits: memoryLimits(this.clock),
      log: pino({ level: 'warn' }, sink),
      scheme: 'http',
      checkOutputs: false,
      operations: { isReady: async () => true, metrics: new Registry() },
      title: 'Shelves',
      version: '1',
      ...options,
    });
    const plain: PageHandler = async (_request, reply, { visit }) =>
      reply.type('text/html').send(`<p>page for ${visit.caller.kind}</p>`);
    this.host.mountPages(documents?.handle ?? plain, documents?.cached);
  }

  /** Makes requests as a browser at the site's own address; undefined headers are not sent. */
  ask(options: Request): Promise<LightMyRequestResponse> {
    const given = Object.entries({ host: HOST, ...options.headers }).filter(
      ([, value]) => value !== undefined,
    );
    return this.host.app.inject({ ...options, headers: Object.fromEntries(given) as Record<string, string> });
  }

  /** Puts a book as Ann, with a genuine request unless `headers` say otherwise. */
  put(payload: unknown, headers: Headers = {}): Promise<LightMyRequestResponse> {
    return this.ask({
      method: 'POST',
      url: '/api/v1/shelf/a/books',
      payload: payload as string,
      headers: { ...GENUINE, ...as('ann'), ...headers },
    });
  }
}

/** Asserts that the answer is a complete problem with this status and code. */
export function expectProblem(response: LightMyRequestResponse, status: number, code: string): Problem {
  expect(response.statusCode, response.body).toBe(status);
  expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  const problem = response.json<Problem>();
  expect(problem).toMatchObject({ status, errorType: code, error_type: code });
  for (const text of [problem.error, problem.message, problem.title, problem.detail, problem.type]) {
    expect(text).toEqual(expect.stringMatching(/./u));
  }
  return problem;
}
