import { handleCall } from '#platform/contract/bind.ts';
import { CallFailed, requestOf } from '#platform/contract/client.ts';
import { NO_CONSENT, type Caller } from '#platform/contract/context.ts';
import type { LightMyRequestResponse } from 'fastify';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HostOptions } from './host.ts';
import {
  as,
  broken,
  burn,
  CSRF,
  expectProblem,
  GENUINE,
  HOST,
  listShelf,
  PEOPLE,
  port,
  putBook,
  settings,
  Shelves,
} from './testing.ts';

let shelves: Shelves;
beforeAll(() => {
  shelves = new Shelves();
});
afterAll(() => shelves.host.close());

const ask: Shelves['ask'] = (options) => shelves.ask(options);
const put: Shelves['put'] = (payload, headers) => shelves.put(payload, headers);

describe('input', () => {
  it('joins path and body into one input; the path wins', async () => {
    const response = await put({ pages: 3, shelf: 'other' });
    expect(response.json()).toEqual({ shelf: 'a', pages: 3, title: null, by: 'ann' });
  });

  it('refuses an unknown field of a body by its name, and drops one of a query', async () => {
    const problem = expectProblem(await put({ pages: 3, owner: 'eve' }), 422, 'invalid_input');
    expect(problem.issues).toEqual([{ path: 'owner', message: 'ui:issues.unknown' }]);
    const response = await ask({ url: '/api/v1/shelf/new/x?page=2&owner=eve', headers: as('bob') });
    expect(response.json()).toEqual({ seen: { path: 'new/x', page: 2 } });
  });

  it('calls an address that is too long malformed, and not a method that is not allowed', async () => {
    expectProblem(
      await ask({
        method: 'POST',
        url: `/api/v1/shelf/${'x'.repeat(2_000)}/books`,
        headers: as('ann'),
        payload: '{}',
      }),
      400,
      'malformed',
    );
  });

  it('never sends a field that the contract does not name', async () => {
    expect((await put({ pages: 3 })).body).not.toContain('secret');
  });

  it('reads numbers, truth values and lists out of a query', async () => {
    const response = await ask({ url: '/api/v1/shelf/new/x%2Fy?page=2&sold=true&tag=a', headers: as('bob') });
    expect(response.json()).toEqual({ seen: { path: 'new/x/y', page: 2, sold: true, tag: ['a'] } });
  });

  it.each([
    ['a negative number', { pages: -1 }],
    ['a fraction', { pages: 1.5 }],
    ['a huge number', { pages: 1e308 }],
    ['text for a number', { pages: '3' }],
    ['nothing', {}],
    ['a list', [1]],
    ['null', null],
    ['a bare text', '"x"'],
  ])('refuses %s and names the field', async (_what, payload) => {
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const problem = expectProblem(
      await put(text, { 'content-type': 'application/json' }),
      422,
      'invalid_input',
    );
    expect(problem.issues?.length).toBeGreaterThan(0);
  });

  it('refuses a query parameter given twice where one is meant', async () => {
    expectProblem(
      await ask({ url: '/api/v1/shelf/?page=1&page=2', headers: as('bob') }),
      422,
      'invalid_input',
    );
  });

  it.each(['{"pages":1', '{"pages":NaN}', '\u0000', '{"pages":1}{"pages":2}'])(
    'refuses broken JSON %j',
    async (text) => {
      expectProblem(await put(text, { 'content-type': 'application/json' }), 400, 'malformed');
    },
  );

  it.each([
    '{"pages":1,"__proto__":{"isAdmin":true}}',
    '{"pages":1,"constructor":{"prototype":{"isAdmin":true}}}',
  ])('refuses keys that reach for a prototype: %s', async (text) => {
    expectProblem(await put(text, { 'content-type': 'application/json' }), 400, 'malformed');
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it('refuses a body over the limit of the call, with and without Content-Length', async () => {
    const payload = { pages: 1, title: 'x'.repeat(2000) };
    expectProblem(await put(payload), 413, 'too_large');
    expectProblem(
      await put(JSON.stringify(payload), {
        'content-type': 'application/json',
        'content-length': undefined,
        'transfer-encoding': 'chunked',
      }),
      413,
      'too_large',
    );
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
      method: 'POST',
      url: path,
      payload: body ?? '',
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

describe('refusals and errors', () => {
  it('answers the spec and RFC 9457 in one body, in the language of the caller', async () => {
    const problem = expectProblem(
      await put({ pages: 1, title: 'full' }, { 'accept-language': 'de' }),
      409,
      'shelf_full',
    );
    expect(problem).toMatchObject({ message: 'de a', error: 'de a', detail: 'de a', suggestions: ['b'] });
    expect(problem.title).toBe('No room is left.');
  });

  it('answers in the language of the page that calls, whatever its browser prefers', async () => {
    const full = { pages: 1, title: 'full' };
    const problem = expectProblem(
      await put(full, { 'accept-language': 'de', 'x-page-language': 'en' }),
      409,
      'shelf_full',
    );
    expect(problem.message).toBe('en a');
  });

  it('says when to come back, and that money is missing', async () => {
    const response = await put({ pages: 1, title: 'late' });
    expectProblem(response, 429, 'too_late');
    expect(response.headers['retry-after']).toBe('7');
    expectProblem(await put({ pages: 1, title: 'poor' }), 402, 'poor');
  });

  it('answers an error with a reference and logs it once, without user text', async () => {
    const before = shelves.lines.length;
    const response = await ask({ url: '/api/v1/broken' });
    const problem = expectProblem(response, 500, 'fault');
    expect(response.body).not.toMatch(/anna|duplicate/u);
    const logged = shelves.lines.slice(before);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain(problem.reference);
    expect(logged[0]).toContain('testing.ts');
    expect(logged[0]).not.toMatch(/anna|duplicate/u);
  });

  it('counts calls per person and lets them in again when the window is over', async () => {
    const list = (): Promise<LightMyRequestResponse> => ask({ url: '/api/v1/shelf/', headers: as('ann') });
    for (let made = 0; made < 5; made += 1) expect((await list()).statusCode).toBe(200);
    const refused = await list();
    expectProblem(refused, 429, 'too_many_requests');
    expect(Number(refused.headers['retry-after'])).toBe(60);
    shelves.clock.advance(60_000);
    expect((await list()).statusCode).toBe(200);
  });

  it('does not let new sessions from one address escape the limit', async () => {
    const caught = new Shelves({
      port: {
        ...port,
        resolveCaller: async (_scope, request) => ({
          caller: { ...(PEOPLE['guest'] as Caller), sessionId: request.cookie('session') },
          csrf: CSRF,
          consent: NO_CONSENT,
        }),
      },
    });
    const statuses = new Set<number>();
    for (let made = 0; made <= 100; made += 1) {
      statuses.add((await caught.ask({ url: '/api/v1/shelf/', headers: as(`new${made}`) })).statusCode);
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
    const options = await ask({
      method: 'OPTIONS',
      url: '/api/v1/buy',
      headers: { origin: 'https://evil.example' },
    });
    expect([options.statusCode, options.headers.allow]).toEqual([204, 'POST, OPTIONS']);
    expect(options.headers['access-control-allow-origin']).toBeUndefined();
    const wrong = await ask({ method: 'PUT', url: '/api/v1/buy', headers: GENUINE });
    expectProblem(wrong, 405, 'method_not_allowed');
  });

  it('never lets a value start another header', async () => {
    const response = await ask({
      method: 'POST',
      url: '/offer/x%0d%0aSet-Cookie:%20session=eve',
      payload: 'v=0',
      headers: { authorization: 'Bearer a', 'content-type': 'application/sdp' },
    });
    expect(response.headers['set-cookie']).toBeUndefined();
    expectProblem(response, 500, 'fault');
  });

  it('carries the security headers on every answer', async () => {
    for (const url of ['/api/v1/settings', '/api/v1/nothing', '/anna', '/healthz']) {
      const { headers } = await ask({ url });
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'strict-origin-when-cross-origin',
      });
      expect(headers['permissions-policy']).toContain('camera=(self), microphone=(self)');
      expect(headers['content-security-policy']).toContain('frame-ancestors \'none\'');
    }
  });

  it('refuses a second Host, Authorization or key on the wire, and paths that climb', async () => {
    await shelves.host.app.listen({ host: '127.0.0.1', port: 0 });
    const address = shelves.host.server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const raw = (text: string): Promise<string> =>
      new Promise((resolve, reject) => {
        let got = '';
        const socket = connect(address.port, '127.0.0.1', () => socket.write(text.replaceAll('\n', '\r\n')));
        socket.on('data', (chunk) => {
          got += chunk.toString();
        });
        socket.on('close', () => resolve(got));
        socket.on('error', reject);
      });
    for (const second of [
      `Host: ${HOST}`,
      'Authorization: Bearer b\nAuthorization: Bearer c',
      'Idempotency-Key: a\nIdempotency-Key: b',
    ]) {
      const answered = await raw(
        `GET /api/v1/settings HTTP/1.1\nHost: ${HOST}\n${second}\nConnection: close\n\n`,
      );
      expect(answered).toMatch(/^HTTP\/1\.1 400 /u);
      expect(answered).not.toContain('Set-Cookie');
    }
    for (const [request, status, body = ''] of [
      [`QUERY /api/v1/settings HTTP/1.1\nHost: ${HOST}`, 400],
      [`QUERY /anna HTTP/1.1\nHost: ${HOST}\nContent-Type: application/json\nContent-Length: 2`, 404, '{}'],
      [`GET /api/v1/settings HTTP/1.1\nHost: ${HOST}:99999`, 421],
      [`GET /%ff HTTP/1.1\nHost: ${HOST}`, 400],
    ] as const) {
      const [head = ''] = (await raw(`${request}\nConnection: close\n\n${body}`)).split('\r\n\r\n');
      expect([request, head.split(' ')[1]]).toEqual([request, String(status)]);
      expect(head).toMatch(/content-type: application\/problem\+json/iu);
      expect(head.toLowerCase()).toContain('x-content-type-options: nosniff');
      expect(head.toLowerCase()).toContain('content-security-policy: default-src \'none\'');
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

  it('ignores X-Forwarded-For unless configured to trust it', async () => {
    const seen: string[] = [];
    const spying = handleCall(broken)(async (_input, { address }) => {
      seen.push(address);
      return { name: 'x' };
    });
    const send = async (options: Partial<HostOptions>): Promise<void> => {
      const one = new Shelves({ handlers: [spying], ...options });
      await one.ask({ url: '/api/v1/broken', headers: { 'x-forwarded-for': '198.51.100.1, 203.0.113.9' } });
      await one.host.close();
    };
    await send({});
    await send({ trustedProxies: ['127.0.0.1'] });
    expect(seen).toEqual(['127.0.0.1', '203.0.113.9']);
  });
});

describe('in process', () => {
  const facts = (session: string) => ({
    host: HOST,
    address: '127.0.0.1',
    headers: {},
    setCookie: () => undefined,
    cookie: (name: string) => (name === 'session' ? session : null),
  });

  it('makes the same calls with the same checks and the same answer', async () => {
    const { host } = new Shelves();
    expect(await host.invoker(facts('ann'))(listShelf, { path: 'a' })).toEqual({ seen: { path: 'a' } });
    await expect(host.invoker({ ...facts('ann'), host: 'evil.example' })(settings, {})).rejects.toThrow(
      CallFailed,
    );
    await expect(host.invoker(facts('ann'))(listShelf, { path: 'a', page: 0 })).rejects.toMatchObject({
      problem: { status: 422, errorType: 'invalid_input' },
    });
  });

  it('is not counted: a document makes calls for many readers', async () => {
    const { host } = new Shelves();
    const call = host.invoker(facts('ann'));
    for (let at = 0; at < listShelf.limit.points; at += 1) await call(listShelf, { path: 'a' });
    expect(await call(listShelf, { path: 'a' })).toEqual({ seen: { path: 'a' } });
  });

  it('makes no call with effects, because nothing proves that the person meant it', async () => {
    await expect(new Shelves().host.invoker(facts('bob'))(burn, { shelf: 'a' })).rejects.toThrow(
      'has effects',
    );
  });
});

describe('start', () => {
  const twice = handleCall(broken)(async () => ({ name: 'x' }));
  it('refuses to start with contradicting calls', () => {
    expect(() => new Shelves({ handlers: [twice, twice] })).toThrow('bound twice');
    const clash = handleCall({ ...broken, name: 'shelf.other' })(async () => ({ name: 'x' }));
    expect(() => new Shelves({ handlers: [twice, clash] })).toThrow('two calls answer GET /api/v1/broken');
    expect(
      () =>
        new Shelves(
          { handlers: [handleCall({ ...broken, access: 'nosuch' })(async () => ({ name: '' }))] },
        ),
    ).toThrow('no row nosuch');
  });

  it('describes every call, its refusals and its credential as OpenAPI 3.1', async () => {
    const document = (await ask({ url: '/api/v1/openapi.json' })).json();
    expect(document.openapi).toBe('3.1.0');
    const operation = document.paths['/api/v1/shelf/{shelf}/books'].post;
    expect(operation).toMatchObject({ operationId: 'shelf.putBook', security: [{ session: [], csrf: [] }] });
    expect(Object.keys(operation.responses)).toEqual([
      '200',
      '400',
      '402',
      '403',
      '409',
      '413',
      '415',
      '421',
      '422',
      '429',
    ]);
    expect(document.paths['/offer/{place}'].post.requestBody.content).toHaveProperty('application/sdp');
  });

  it('sends that document packed, once to whoever has it, and not for ever to one address', async () => {
    const url = '/api/v1/openapi.json';
    const whole = await ask({ url });
    const packed = await ask({ url, headers: { 'accept-encoding': 'gzip' } });
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(gunzipSync(packed.rawPayload).toString()).toBe(whole.body);
    expect(packed.rawPayload.length).toBeLessThan(whole.rawPayload.length / 2);
    const known = `W/"other", W/${String(whole.headers.etag)}`;
    const again = await ask({ url, headers: { 'if-none-match': known } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    const many = [];
    for (let at = 0; at < 30; at += 1) many.push((await ask({ url })).statusCode);
    expect(many.at(-1)).toBe(429);
  });

  it('finishes what runs before it closes', async () => {
    let finish = (): void => undefined;
    let started = (): void => undefined;
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    const slow = handleCall(broken)(async () => {
      started();
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return { name: 'done' };
    });
    const one = new Shelves({ handlers: [slow] });
    const url = await one.host.app.listen({ host: '127.0.0.1', port: 0 });
    const { port: number } = new URL(url);
    const socket = connect(Number(number), '127.0.0.1');
    let got = '';
    socket.on('data', (chunk) => {
      got += chunk.toString();
    });
    socket.write(`GET /api/v1/broken HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`);
    await running;
    const gone = new Promise((resolve) => {
      socket.once('close', resolve);
    });
    const closed = one.host.close();
    finish();
    await Promise.all([closed, gone]);
    expect(got).toContain('"done"');
  });
});
