import { connect } from 'node:net';
import { Writable } from 'node:stream';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { answer } from '../contract/bind.ts';
import { call } from '../contract/call.ts';
import { CallFailed, requestOf, type Problem } from '../contract/client.ts';
import type { Caller } from '../contract/context.ts';
import { refusal } from '../contract/refusal.ts';
import { VirtualClock } from '../data/clock.ts';
import { createHost, type Host, type HostOptions } from './host.ts';
import type { HostPort } from './host-port.ts';

const HOST = 'cams.example';
const ORIGIN = `http://${HOST}`;
const CSRF = 'csrf-of-the-session';

const full = refusal({ slice: 'shelf', code: 'shelf_full', kind: 'conflict', description: 'No room is left.' });
const late = refusal({ slice: 'shelf', code: 'too_late', kind: 'limited', description: 'Come back later.' });
const poor = refusal({ slice: 'shelf', code: 'poor', kind: 'funds', description: 'It costs more than there is.' });

const putBook = call({
  name: 'shelf.putBook', method: 'POST', path: '/shelf/:shelf/books', access: 'anyone', credential: 'cookie',
  input: z.object({ shelf: z.string().max(64), pages: z.int().min(1).max(9999), title: z.string().max(200).optional() }),
  output: z.object({ shelf: z.string(), pages: z.int(), title: z.string().nullable(), by: z.string().nullable() }),
  refusals: [full, late, poor], bodyLimitBytes: 1024, limit: { points: 50, seconds: 60, per: 'caller' },
  summary: 'Puts a book', description: 'Puts a book on a shelf.',
});
const listBooks = call({
  name: 'shelf.listBooks', method: 'GET', path: '/shelf/*', access: 'anyone', credential: 'cookie',
  input: z.object({
    path: z.string(), page: z.int().min(1).optional(), sold: z.boolean().optional(), tag: z.array(z.string()).optional(),
  }),
  output: z.object({ seen: z.unknown() }), refusals: [], limit: { points: 5, seconds: 60, per: 'caller' },
  summary: 'Lists books', description: 'Lists books.',
});
const burn = call({
  name: 'shelf.burn', method: 'DELETE', path: '/shelf/:shelf', access: 'staff', credential: 'cookie',
  input: z.object({ shelf: z.string() }), output: z.object({}), refusals: [], summary: 'Burns', description: 'Burns a shelf.',
});
const buy = call({
  name: 'shelf.buy', method: 'POST', path: '/buy', access: 'anyone', credential: 'cookie', idempotency: 'required',
  input: z.object({}), output: z.object({ key: z.string().nullable() }), refusals: [],
  summary: 'Buys', description: 'Buys.',
});
const offer = call({
  name: 'shelf.offer', method: 'POST', path: '/offer/:place', root: true, access: 'anyone', credential: 'bearer',
  media: { accepts: 'application/sdp', answers: 'application/sdp' },
  input: z.object({ place: z.string(), token: z.string().optional(), body: z.string() }),
  output: z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string() }),
  refusals: [], summary: 'Offers', description: 'Offers.',
});
const settings = call({
  name: 'shelf.settings', method: 'GET', path: '/settings', access: 'anyone', credential: 'cookie', startsSession: true,
  input: z.object({}), output: z.object({ csrf: z.string().nullable() }), refusals: [],
  summary: 'Settings', description: 'Settings.',
});
const broken = call({
  name: 'shelf.broken', method: 'GET', path: '/broken', access: 'anyone', credential: 'none',
  input: z.object({}), output: z.object({ name: z.string() }), refusals: [], summary: 'Breaks', description: 'Breaks.',
});

const answers = [
  answer(putBook)(async ({ shelf, pages, title }, { caller, refuse }) => {
    if (title === 'full') return refuse(full, { values: { shelf }, extra: { suggestions: ['b'], status: 'mine' } });
    if (title === 'late') return refuse(late, { retryAfterSeconds: 7 });
    if (title === 'poor') return refuse(poor);
    const row = { shelf, pages, title: title ?? null, by: caller.username, secret: 'never to be seen' };
    return row;
  }),
  answer(listBooks)(async (input) => ({ seen: input })),
  answer(burn)(async () => ({})),
  answer(buy)(async (_input, { idempotencyKey }) => ({ key: idempotencyKey })),
  answer(offer)(async ({ place, token, body }, { bearer, caller }) => ({
    status: 201, headers: { location: `/offer/${place}` },
    body: JSON.stringify({ bearer, token, length: body.length, kind: caller.kind }),
  })),
  answer(settings)(async (_input, { csrf }) => ({ csrf })),
  answer(broken)(async () => {
    throw new Error('duplicate key (email)=("anna@private.example") for \'anna\'');
  }),
];

const PEOPLE: Readonly<Record<string, Caller>> = {
  ann: { kind: 'person', personId: 1, sessionId: 's1', username: 'ann', roles: ['reader'] },
  bob: { kind: 'person', personId: 2, sessionId: 's2', username: 'bob', roles: ['staff'] },
  guest: { kind: 'guest', personId: null, sessionId: 'g1', username: 'guest_1', roles: [] },
};
const NOBODY: Caller = { kind: 'anonymous', personId: null, sessionId: null, username: null, roles: [] };

const port: HostPort = {
  resolveScope: async (host) => (host === HOST ? { operatorId: 1, siteId: 1 } : null),
  resolveCaller: async (_scope, request) => {
    const caller = PEOPLE[request.cookie('session') ?? ''];
    return caller ? { caller, csrf: CSRF } : { caller: NOBODY, csrf: null };
  },
  startGuest: async (_scope, request) => {
    request.setCookie('session', 'guest', { httpOnly: true });
    return { caller: PEOPLE['guest'] as Caller, csrf: CSRF };
  },
  mayUse: (access, caller) => {
    if (access !== 'anyone' && access !== 'staff') throw new Error(`no row ${access}`);
    return access === 'anyone' || caller.roles.includes(access);
  },
  localeOf: (request) => (request.headers['accept-language'] === 'de' ? 'de' : 'en'),
  regionOf: () => 'unknown',
  text: (locale, key, values) => {
    if (key === 'shelf:refusals.shelf_full') return `${locale} ${values?.['shelf'] ?? ''}`;
    return key;
  },
};

interface Bench {
  readonly host: Host;
  readonly clock: VirtualClock;
  readonly lines: string[];
}

function open(options: Partial<HostOptions> = {}): Bench {
  const lines: string[] = [];
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
  const clock = new VirtualClock();
  const host = createHost({
    answers, port, clock, log: pino({ level: 'warn' }, sink), scheme: 'http', checkOutputs: false,
    operations: { isReady: async () => true, metrics: new Registry() }, title: 'Shelves', version: '1', ...options,
  });
  return { host, clock, lines };
}

let bench: Bench;
beforeAll(async () => {
  bench = open();
  bench.host.mountPages(async (_request, reply, { visit }) =>
    reply.type('text/html').send(`<p>page for ${visit.caller.kind}</p>`));
  await bench.host.app.ready();
});
afterAll(() => bench.host.close());

const GENUINE = { host: HOST, origin: ORIGIN, 'sec-fetch-site': 'same-origin', 'x-csrf-token': CSRF };
const as = (who: string): Record<string, string> => ({ cookie: `session=${who}` });

/** Headers that are undefined are not sent. */
function ask(options: InjectOptions, { host } = bench): Promise<LightMyRequestResponse> {
  const given = Object.entries({ host: HOST, ...options.headers }).filter(([, value]) => value !== undefined);
  return host.app.inject({ ...options, headers: Object.fromEntries(given) });
}

const put = (payload: unknown, headers: Record<string, string | undefined> = {}): Promise<LightMyRequestResponse> =>
  ask({
    method: 'POST', url: '/api/v1/shelf/a/books', payload: payload as string,
    headers: { ...GENUINE, ...as('ann'), ...headers } as Record<string, string>,
  });

function expectProblem(response: LightMyRequestResponse, status: number, code: string): Problem {
  expect(response.statusCode, response.body).toBe(status);
  expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  const problem = response.json<Problem>();
  expect(problem).toMatchObject({ status, errorType: code, error_type: code });
  for (const text of [problem.error, problem.message, problem.title, problem.detail, problem.type]) {
    expect(text).toEqual(expect.stringMatching(/./u));
  }
  return problem;
}

describe('input', () => {
  it('joins path and body into one input; the path wins and unknown fields are gone', async () => {
    const response = await put({ pages: 3, shelf: 'other', owner: 'eve' });
    expect(response.json()).toEqual({ shelf: 'a', pages: 3, title: null, by: 'ann' });
  });

  it('never sends a field that the contract does not name', async () => {
    expect((await put({ pages: 3 })).body).not.toContain('secret');
  });

  it('reads numbers, truth values and lists out of a query', async () => {
    const response = await ask({ url: '/api/v1/shelf/new/x%2Fy?page=2&sold=true&tag=a', headers: as('bob') });
    expect(response.json()).toEqual({ seen: { path: 'new/x/y', page: 2, sold: true, tag: ['a'] } });
  });

  it.each([
    ['a negative number', { pages: -1 }], ['a fraction', { pages: 1.5 }], ['a huge number', { pages: 1e308 }],
    ['text for a number', { pages: '3' }], ['nothing', {}], ['a list', [1]], ['null', null], ['a bare text', '"x"'],
  ])('refuses %s and names the field', async (_what, payload) => {
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const problem = expectProblem(await put(text, { 'content-type': 'application/json' }), 422, 'invalid_input');
    expect(problem.issues?.length).toBeGreaterThan(0);
  });

  it('refuses a query parameter given twice where one is meant', async () => {
    expectProblem(await ask({ url: '/api/v1/shelf/?page=1&page=2', headers: as('bob') }), 422, 'invalid_input');
  });

  it.each(['{"pages":1', '{"pages":NaN}', '\u0000', '{"pages":1}{"pages":2}'])('refuses broken JSON %j', async (text) => {
    expectProblem(await put(text, { 'content-type': 'application/json' }), 400, 'malformed');
  });

  it.each(['{"pages":1,"__proto__":{"isAdmin":true}}', '{"pages":1,"constructor":{"prototype":{"isAdmin":true}}}'])(
    'refuses keys that reach for a prototype: %s', async (text) => {
      expectProblem(await put(text, { 'content-type': 'application/json' }), 400, 'malformed');
      expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    });

  it('refuses a body beyond the limit of the call, announced or not', async () => {
    const payload = { pages: 1, title: 'x'.repeat(2000) };
    expectProblem(await put(payload), 413, 'too_large');
    expectProblem(await put(JSON.stringify(payload), {
      'content-type': 'application/json', 'content-length': undefined, 'transfer-encoding': 'chunked',
    }), 413, 'too_large');
  });

  it('refuses bodies that a form of another site could send', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', '']) {
      expectProblem(await put('{"pages":1}', { 'content-type': type }), 415, 'media_unsupported');
    }
  });

  it('keeps usernames of every script whole and refuses broken escapes', async () => {
    const name = 'Zoë-名前-🦊';
    const { path, body } = requestOf(putBook, { shelf: name, pages: 1 });
    const response = await ask({
      method: 'POST', url: path, payload: body ?? '',
      headers: { ...GENUINE, ...as('ann'), 'content-type': 'application/json' },
    });
    expect(response.json()).toMatchObject({ shelf: name });
    expectProblem(await ask({ url: '/api/v1/shelf/%E0%A4%A' }), 400, 'malformed');
  });

  it('takes an empty body for no fields', async () => {
    const headers = { ...GENUINE, ...as('ann'), 'idempotency-key': 'k' };
    expect((await ask({ method: 'POST', url: '/api/v1/buy', headers })).json()).toEqual({ key: 'k' });
  });
});

describe('who may', () => {
  it.each([
    ['no token', { 'x-csrf-token': undefined }],
    ['a wrong token', { 'x-csrf-token': 'csrf-of-another-one' }],
    ['an empty token', { 'x-csrf-token': '' }],
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['another site that hides its fetch metadata', { 'sec-fetch-site': undefined, origin: 'https://evil.example' }],
    ['a sibling subdomain', { 'sec-fetch-site': 'same-site', origin: 'http://evil.cams.example' }],
    ['the same host over another scheme', { 'sec-fetch-site': undefined, origin: `https://${HOST}` }],
    ['an opaque origin', { 'sec-fetch-site': undefined, origin: 'null' }],
    ['no word of where it comes from', { 'sec-fetch-site': undefined, origin: undefined }],
  ])('refuses an effect asked for with %s [A-337, B-319]', async (_what, headers) => {
    expectProblem(await put({ pages: 1 }, headers), 403, 'csrf');
  });

  it('refuses effects without a session, however the token is guessed', async () => {
    expectProblem(await put({ pages: 1 }, { cookie: undefined }), 403, 'csrf');
    expectProblem(await put({ pages: 1 }, { cookie: 'session=stolen' }), 403, 'csrf');
  });

  it('takes Origin for browsers without fetch metadata', async () => {
    expect((await put({ pages: 1 }, { 'sec-fetch-site': undefined })).statusCode).toBe(200);
  });

  it('asks a guest to log in and refuses a person without the role [A-308]', async () => {
    const request = { method: 'DELETE', url: '/api/v1/shelf/a' } as const;
    expectProblem(await ask({ ...request, headers: { ...GENUINE, ...as('guest') } }), 401, 'not_authenticated');
    expectProblem(await ask({ ...request, headers: { ...GENUINE, ...as('ann') } }), 403, 'forbidden');
    expect((await ask({ ...request, headers: { ...GENUINE, ...as('bob') } })).statusCode).toBe(200);
  });

  it('starts a session only where the call says so [A-336, B-318]', async () => {
    const started = await ask({ url: '/api/v1/settings' });
    expect(started.json()).toEqual({ csrf: CSRF });
    expect(started.headers['set-cookie']).toBe('session=guest; Path=/; SameSite=Lax; HttpOnly');
    expect((await ask({ url: '/api/v1/shelf/', headers: { cookie: '' } })).headers['set-cookie']).toBeUndefined();
  });

  it('binds cookies to the host and asks for TLS when the site is served over it', async () => {
    const secure = open({ scheme: 'https' });
    const response = await ask({ url: '/api/v1/settings' }, secure);
    expect(response.headers['set-cookie']).toBe('__Host-session=guest; Path=/; SameSite=Lax; HttpOnly; Secure');
    expect(response.headers['strict-transport-security']).toContain('max-age=63072000');
    const planted = await ask({ url: '/api/v1/settings', headers: { cookie: 'session=ann' } }, secure);
    expect(planted.headers['set-cookie'], 'a cookie of a parent domain counts for nothing').toBeDefined();
    await secure.host.close();
  });

  it('gives a bearer call its bearer and not the cookie', async () => {
    const response = await ask({
      method: 'POST', url: '/offer/x?token=t', payload: 'v=0',
      headers: { ...as('ann'), authorization: 'Bearer abc.def', 'content-type': 'application/sdp' },
    });
    expect(response.statusCode).toBe(201);
    expect(response.headers).toMatchObject({ 'content-type': 'application/sdp', location: '/offer/x' });
    expect(response.json()).toEqual({ bearer: 'abc.def', token: 't', length: 3, kind: 'anonymous' });
  });

  it('refuses hosts that no site has, pages included', async () => {
    for (const host of ['evil.example', '', 'cams.example@evil.example', 'cams.example\\.evil', '[', 'a b']) {
      expectProblem(await ask({ url: '/api/v1/settings', headers: { host } }), 421, 'unknown_site');
      expectProblem(await ask({ url: '/somebody', headers: { host } }), 421, 'unknown_site');
    }
  });

  it('takes the key of a money call only in its shape', async () => {
    const send = (key?: string): Promise<LightMyRequestResponse> => ask({
      method: 'POST', url: '/api/v1/buy', payload: {},
      headers: { ...GENUINE, ...as('ann'), ...(key === undefined ? {} : { 'idempotency-key': key }) },
    });
    for (const key of [undefined, '', 'two words', 'k'.repeat(256), 'ключ']) {
      const problem = expectProblem(await send(key), 422, 'invalid_input');
      expect(problem.issues).toEqual([expect.objectContaining({ path: 'Idempotency-Key' })]);
    }
    expect((await send('k'.repeat(255))).statusCode).toBe(200);
  });
});

describe('refusals and faults', () => {
  it('answers the spec and RFC 9457 in one body, in the language of the caller [A-348]', async () => {
    const problem = expectProblem(
      await put({ pages: 1, title: 'full' }, { 'accept-language': 'de' }), 409, 'shelf_full',
    );
    expect(problem).toMatchObject({ message: 'de a', error: 'de a', detail: 'de a', suggestions: ['b'] });
    expect(problem.title).toBe('No room is left.');
  });

  it('says when to come back, and that money is missing', async () => {
    const response = await put({ pages: 1, title: 'late' });
    expectProblem(response, 429, 'too_late');
    expect(response.headers['retry-after']).toBe('7');
    expectProblem(await put({ pages: 1, title: 'poor' }), 402, 'poor');
  });

  it('answers a fault with a reference and logs it once without what people wrote', async () => {
    const before = bench.lines.length;
    const response = await ask({ url: '/api/v1/broken' });
    const problem = expectProblem(response, 500, 'fault');
    expect(response.body).not.toMatch(/anna|duplicate/u);
    const logged = bench.lines.slice(before);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain(problem.reference);
    expect(logged[0]).toContain('duplicate key');
    expect(logged[0]).not.toMatch(/anna/u);
  });

  it('counts calls per person and lets them in again when the window is over', async () => {
    const list = (): Promise<LightMyRequestResponse> => ask({ url: '/api/v1/shelf/', headers: as('ann') });
    for (let made = 0; made < 5; made += 1) expect((await list()).statusCode).toBe(200);
    const refused = await list();
    expectProblem(refused, 429, 'too_many_requests');
    expect(Number(refused.headers['retry-after'])).toBe(60);
    bench.clock.advance(60_000);
    expect((await list()).statusCode).toBe(200);
  });

  it('does not let new sessions from one address escape the limit', async () => {
    const caught = open({
      port: {
        ...port,
        resolveCaller: async (_scope, request) => ({
          caller: { ...(PEOPLE['guest'] as Caller), sessionId: request.cookie('session') }, csrf: CSRF,
        }),
      },
    });
    const statuses = new Set<number>();
    for (let made = 0; made <= 100; made += 1) {
      statuses.add((await ask({ url: '/api/v1/shelf/', headers: as(`new${made}`) }, caught)).statusCode);
    }
    expect(statuses).toContain(429);
    await caught.host.close();
  });
});

describe('addresses and headers', () => {
  it('answers unknown calls with a problem and unknown addresses with a page', async () => {
    expectProblem(await ask({ url: '/api/v1/nothing' }), 404, 'not_found');
    expectProblem(await ask({ method: 'POST', url: '/nothing', headers: GENUINE }), 404, 'not_found');
    expect((await ask({ url: '/anna' })).body).toBe('<p>page for anonymous</p>');
  });

  it('knows HEAD and OPTIONS, and says which methods there are', async () => {
    const head = await ask({ method: 'HEAD', url: '/api/v1/settings' });
    expect([head.statusCode, head.body]).toEqual([200, '']);
    const options = await ask({ method: 'OPTIONS', url: '/api/v1/buy', headers: { origin: 'https://evil.example' } });
    expect([options.statusCode, options.headers.allow]).toEqual([204, 'POST, OPTIONS']);
    expect(options.headers['access-control-allow-origin']).toBeUndefined();
    const wrong = await ask({ method: 'PUT', url: '/api/v1/buy', headers: GENUINE });
    expectProblem(wrong, 405, 'method_not_allowed');
  });

  it('never lets a value start another header', async () => {
    const response = await ask({
      method: 'POST', url: '/offer/x%0d%0aSet-Cookie:%20session=eve', payload: 'v=0',
      headers: { authorization: 'Bearer a', 'content-type': 'application/sdp' },
    });
    expect(response.headers['set-cookie']).toBeUndefined();
    expectProblem(response, 500, 'fault');
  });

  it('carries the security headers on every answer', async () => {
    for (const url of ['/api/v1/settings', '/api/v1/nothing', '/anna', '/healthz']) {
      const { headers } = await ask({ url });
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff', 'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'strict-origin-when-cross-origin',
      });
      expect(headers['permissions-policy']).toContain('camera=(self), microphone=(self)');
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    }
  });

  it('refuses a second Host, Authorization or key on the wire, and paths that climb', async () => {
    await bench.host.app.listen({ host: '127.0.0.1', port: 0 });
    const address = bench.host.server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const raw = (text: string): Promise<string> => new Promise((resolve, reject) => {
      let got = '';
      const socket = connect(address.port, '127.0.0.1', () => socket.write(text.replaceAll('\n', '\r\n')));
      socket.on('data', (chunk) => { got += chunk.toString(); });
      socket.on('close', () => resolve(got));
      socket.on('error', reject);
    });
    for (const second of [`Host: ${HOST}`, 'Authorization: Bearer b\nAuthorization: Bearer c', 'Idempotency-Key: a\nIdempotency-Key: b']) {
      const answered = await raw(`GET /api/v1/settings HTTP/1.1\nHost: ${HOST}\n${second}\nConnection: close\n\n`);
      expect(answered).toMatch(/^HTTP\/1\.1 400 /u);
      expect(answered).not.toContain('Set-Cookie');
    }
    const climbing = await raw(`GET /../../../../etc/passwd HTTP/1.1\nHost: ${HOST}\nConnection: close\n\n`);
    expect(climbing).not.toContain('root:');
  });

  it('shows metrics to this machine only', async () => {
    const local = await ask({ url: '/metrics', headers: { host: 'localhost' } });
    expect(local.body).toContain('http_answers_total');
    for (const options of [
      { remoteAddress: '203.0.113.9', headers: { host: 'localhost' } },
      { headers: { host: 'localhost', 'x-forwarded-for': '203.0.113.9' } },
      { headers: { host: HOST } },
    ]) {
      expectProblem(await ask({ url: '/metrics', ...options }), 404, 'not_found');
    }
  });

  it('does not believe X-Forwarded-For unless told to', async () => {
    const seen: string[] = [];
    const spying = answer(broken)(async (_input, { address }) => {
      seen.push(address);
      return { name: 'x' };
    });
    const send = async (options: Partial<HostOptions>): Promise<void> => {
      const one = open({ answers: [spying], ...options });
      await ask({ url: '/api/v1/broken', headers: { 'x-forwarded-for': '198.51.100.1, 203.0.113.9' } }, one);
      await one.host.close();
    };
    await send({});
    await send({ trustedProxies: ['127.0.0.1'] });
    expect(seen).toEqual(['127.0.0.1', '203.0.113.9']);
  });
});

describe('in process', () => {
  const facts = (session: string) => ({
    host: HOST, address: '127.0.0.1', headers: {}, setCookie: () => undefined,
    cookie: (name: string) => (name === 'session' ? session : null),
  });

  it('makes the same calls with the same checks and the same answer', async () => {
    const { host } = open();
    expect(await host.invoker(facts('ann'))(listBooks, { path: 'a' })).toEqual({ seen: { path: 'a' } });
    await expect(host.invoker({ ...facts('ann'), host: 'evil.example' })(settings, {})).rejects.toThrow(CallFailed);
    await expect(host.invoker(facts('ann'))(listBooks, { path: 'a', page: 0 })).rejects.toMatchObject({
      problem: { status: 422, errorType: 'invalid_input' },
    });
  });

  it('makes no call with effects, because nothing proves that the person meant it', async () => {
    await expect(open().host.invoker(facts('bob'))(burn, { shelf: 'a' })).rejects.toThrow('has effects');
  });
});

describe('start', () => {
  const twice = answer(broken)(async () => ({ name: 'x' }));
  it('refuses to start with contradicting calls', () => {
    expect(() => open({ answers: [twice, twice] })).toThrow('bound twice');
    const clash = answer({ ...broken, name: 'shelf.other' })(async () => ({ name: 'x' }));
    expect(() => open({ answers: [twice, clash] })).toThrow('two calls answer GET /api/v1/broken');
    expect(() => open({ answers: [answer({ ...broken, access: 'nosuch' })(async () => ({ name: '' }))] }))
      .toThrow('no row nosuch');
  });

  it('describes every call, its refusals and its credential as OpenAPI 3.1', async () => {
    const document = (await ask({ url: '/api/v1/openapi.json' })).json();
    expect(document.openapi).toBe('3.1.0');
    const operation = document.paths['/api/v1/shelf/{shelf}/books'].post;
    expect(operation).toMatchObject({ operationId: 'shelf.putBook', security: [{ session: [], csrf: [] }] });
    expect(Object.keys(operation.responses)).toEqual(['200', '400', '402', '403', '409', '413', '415', '422', '429']);
    expect(document.paths['/offer/{place}'].post.requestBody.content).toHaveProperty('application/sdp');
  });

  it('finishes what runs before it closes', async () => {
    let finish = (): void => undefined;
    let started = (): void => undefined;
    const running = new Promise<void>((resolve) => { started = resolve; });
    const slow = answer(broken)(async () => {
      started();
      await new Promise<void>((resolve) => { finish = resolve; });
      return { name: 'done' };
    });
    const one = open({ answers: [slow] });
    const url = await one.host.app.listen({ host: '127.0.0.1', port: 0 });
    const { port: number } = new URL(url);
    const socket = connect(Number(number), '127.0.0.1');
    let got = '';
    socket.on('data', (chunk) => { got += chunk.toString(); });
    socket.write(`GET /api/v1/broken HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`);
    await running;
    const gone = new Promise((resolve) => { socket.once('close', resolve); });
    const closed = one.host.close();
    finish();
    await Promise.all([closed, gone]);
    expect(got).toContain('"done"');
  });
});
