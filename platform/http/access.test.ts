import { handleCall } from '#platform/contract/bind.ts';
import { call } from '#platform/contract/call.ts';
import { NO_CONSENT } from '#platform/contract/context.ts';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { as, CSRF, expectProblem, GENUINE, HOST, NOBODY, PEOPLE, port, Shelves } from './testing.ts';

let shelves: Shelves;
beforeAll(() => {
  shelves = new Shelves();
});
afterAll(() => shelves.host.close());

const ask: Shelves['ask'] = (options) => shelves.ask(options);
const put: Shelves['put'] = (payload, headers) => shelves.put(payload, headers);

describe('who may', () => {
  it.each([
    ['no token', { 'x-csrf-token': undefined }],
    ['a wrong token', { 'x-csrf-token': 'csrf-of-another-one' }],
    ['an empty token', { 'x-csrf-token': '' }],
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    [
      'another site that hides its fetch metadata',
      { 'sec-fetch-site': undefined, origin: 'https://evil.example' },
    ],
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

  it('asks a guest to log in and refuses a person without the role', async () => {
    const request = { method: 'DELETE', url: '/api/v1/shelf/a' } as const;
    expectProblem(
      await ask({ ...request, headers: { ...GENUINE, ...as('guest') } }),
      401,
      'not_authenticated',
    );
    expectProblem(await ask({ ...request, headers: { ...GENUINE, ...as('ann') } }), 403, 'forbidden');
    expect((await ask({ ...request, headers: { ...GENUINE, ...as('bob') } })).statusCode).toBe(200);
  });

  it('starts a session only where the call says so', async () => {
    const started = await ask({ url: '/api/v1/settings' });
    expect(started.json()).toEqual({ csrf: CSRF });
    expect(started.headers['set-cookie']).toBe('session=guest; Path=/; SameSite=Lax; HttpOnly');
    expect(
      (await ask({ url: '/api/v1/shelf/', headers: { cookie: '' } })).headers['set-cookie'],
    ).toBeUndefined();
  });

  it('binds cookies to the host and asks for TLS when the site is served over it', async () => {
    const secure = new Shelves({ scheme: 'https' });
    const response = await secure.ask({ url: '/api/v1/settings' });
    expect(response.headers['set-cookie']).toBe(
      '__Host-session=guest; Path=/; SameSite=Lax; HttpOnly; Secure',
    );
    expect(response.headers['strict-transport-security']).toContain('max-age=63072000');
    const planted = await secure.ask({ url: '/api/v1/settings', headers: { cookie: 'session=ann' } });
    expect(planted.headers['set-cookie'], 'a cookie of a parent domain counts for nothing').toBeDefined();
    await secure.host.close();
  });

  it('gives a bearer call its bearer and not the cookie', async () => {
    const response = await ask({
      method: 'POST',
      url: '/offer/x?token=t',
      payload: 'v=0',
      headers: { ...as('ann'), authorization: 'Bearer abc.def', 'content-type': 'application/sdp' },
    });
    expect(response.statusCode).toBe(201);
    expect(response.headers).toMatchObject({ 'content-type': 'application/sdp', location: '/offer/x' });
    expect(response.json()).toEqual({ bearer: 'abc.def', token: 't', length: 3, kind: 'anonymous' });
  });

  it('opens a call to other origins only when it says so, and then reads no cookie for them', async () => {
    const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const bearer = { authorization: 'Bearer abc.def', 'content-type': 'application/sdp' };
    const send = (headers: Record<string, string | undefined>): Promise<LightMyRequestResponse> =>
      ask({
        method: 'POST',
        url: '/open-offer/x',
        payload: 'v=0',
        headers: { ...as('ann'), ...bearer, ...headers },
      });
    const [own, program, foreign] = [await send(GENUINE), await send({}), await send(evil)];
    expect([own, program, foreign].map((response) => response.json<{ kind: string }>().kind))
      .toEqual(['person', 'person', 'anonymous']);
    expect(foreign.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'location, etag, link, retry-after',
    });
    expect(foreign.headers).not.toHaveProperty('access-control-allow-credentials');
    const broken = await ask({ method: 'POST', url: '/open-offer/x', payload: '{}', headers: evil });
    expect(broken.headers).toMatchObject({ 'access-control-allow-origin': '*' });
    const preflight = { ...evil, 'access-control-request-method': 'POST' };
    const asked = await ask({ method: 'OPTIONS', url: '/open-offer/x', headers: preflight });
    expect(asked.statusCode).toBe(204);
    expect(asked.headers).toMatchObject({
      allow: 'POST, OPTIONS',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization, content-type, if-match',
    });
    for (const url of ['/offer/x', '/api/v1/settings', '/api/v1/shelf/a/books', '/nowhere']) {
      const asked = await ask({ method: 'OPTIONS', url, headers: preflight });
      const got = await ask({ url, headers: evil });
      const names = [asked, got].flatMap(({ headers }) => Object.keys(headers));
      const open = names.filter((name) => name.startsWith('access-control'));
      expect(open, url).toEqual([]);
    }
  });

  it('uses up nothing that somebody may do by what another site asks for in their name', async () => {
    const own = new Shelves();
    const foreign = {
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
      'x-csrf-token': undefined,
    };
    const statuses = new Set<number>();
    const asks = async (times: number): Promise<void> => {
      for (let at = 0; at < times; at += 1) statuses.add((await own.put({ pages: 1 }, foreign)).statusCode);
    };
    await asks(300);
    expect([...statuses]).toEqual([403]);
    expect((await own.put({ pages: 1 })).statusCode).toBe(200);
    // They are limited too, but not at the cost of the viewer.
    await asks(400);
    expect([...statuses]).toEqual([403, 429]);
    expect((await own.put({ pages: 1 })).statusCode).toBe(200);
    await own.host.close();
  });

  it('are found with a slash too many, and say what they are for when somebody reads them', async () => {
    const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const headers = { ...evil, authorization: 'Bearer a', 'content-type': 'application/sdp' };
    for (const url of ['/open-offer/x/', '//open-offer/x', '//open-offer//x//', '/open-offer/x/?token=a']) {
      const sent = await ask({ method: 'POST', url, payload: 'v=0', headers });
      expect(sent.statusCode, url).toBe(201);
      expect(sent.headers, url).toMatchObject({ 'access-control-allow-origin': '*' });
      const asked = await ask({ method: 'OPTIONS', url, headers: evil });
      expect([asked.statusCode, asked.headers.allow], url).toEqual([204, 'POST, OPTIONS']);
      for (const method of ['GET', 'HEAD', 'PUT'] as const) {
        const read = await ask({ method, url, headers: { ...evil, accept: 'text/html' } });
        expect([read.statusCode, read.headers.allow], `${method} ${url}`).toEqual([405, 'POST, OPTIONS']);
        expect(read.headers).toMatchObject({ 'access-control-allow-origin': '*' });
      }
      expect((await ask({ url })).json()).toMatchObject({
        errorType: 'method_not_allowed',
        methods: { POST: expect.stringMatching(/./u) as string },
      });
    }
    // Extra slashes do not turn any other address into another.
    const own = { method: 'POST', payload: 'v=0', headers } as const;
    expect((await ask({ ...own, url: '//offer/x' })).statusCode).toBe(404);
    expect((await ask({ url: '/api/v1/settings/', headers: evil })).statusCode).toBe(404);
    expect((await ask({ url: '//settings' })).body).toBe('<p>page for anonymous</p>');
    expect((await ask({ url: '/' })).body).toBe('<p>page for anonymous</p>');
  });

  it('remembers for half a second whose session fetches pieces, and for nothing else', async () => {
    const loggedIn = new Set(['ann', 'bob']);
    const forgetful = new Shelves({
      port: {
        ...port,
        resolveCaller: async (scope, request) => {
          const isIn = loggedIn.has(request.cookie('session') ?? '');
          return isIn
            ? port.resolveCaller(scope, request)
            : { caller: NOBODY, csrf: null, consent: NO_CONSENT };
        },
      },
    });
    const fetches = async (who: string): Promise<string> =>
      (await forgetful.ask({ url: '/piece', headers: as(who) })).body;
    expect([await fetches('ann'), await fetches('bob'), await fetches('eve')])
      .toEqual(['person', 'person', 'anonymous']);
    loggedIn.delete('ann');
    const others = [
      await forgetful.put({ pages: 1 }),
      await forgetful.ask({
        method: 'POST',
        url: '/open-offer/x',
        payload: 'v=0',
        headers: { ...as('ann'), 'content-type': 'application/sdp' },
      }),
    ];
    expect(others[0]?.statusCode).toBe(403);
    expect(others[1]?.json()).toMatchObject({ kind: 'anonymous' });
    expect([await fetches('ann'), await fetches('bob')]).toEqual(['person', 'person']);
    forgetful.clock.advance(500);
    expect([await fetches('ann'), await fetches('bob')]).toEqual(['anonymous', 'person']);
    await forgetful.host.close();
  });

  it('answers nothing with no body and no type of one', async () => {
    const headers = { authorization: 'Bearer abc.def', 'content-type': 'application/sdp' };
    const { statusCode, body, headers: got } = await ask({ method: 'POST', url: '/open-offer/x', headers });
    expect([statusCode, body, got['content-type']]).toEqual([204, '', undefined]);
  });

  it('refuses hosts that no site has, pages included', async () => {
    for (const host of ['evil.example', '', 'cams.example@evil.example', 'cams.example\\.evil', '[', 'a b']) {
      expectProblem(await ask({ url: '/api/v1/settings', headers: { host } }), 421, 'unknown_site');
      expectProblem(await ask({ url: '/somebody', headers: { host } }), 421, 'unknown_site');
    }
  });

  it('takes the key of a money call only in its shape', async () => {
    const send = (key?: string): Promise<LightMyRequestResponse> =>
      ask({
        method: 'POST',
        url: '/api/v1/buy',
        payload: {},
        headers: { ...GENUINE, ...as('ann'), ...(key === undefined ? {} : { 'idempotency-key': key }) },
      });
    for (const key of [undefined, '', 'two words', 'k'.repeat(256), 'ключ']) {
      const problem = expectProblem(await send(key), 422, 'invalid_input');
      expect(problem.issues).toEqual([expect.objectContaining({ path: 'Idempotency-Key' })]);
    }
    expect((await send('k'.repeat(255))).statusCode).toBe(200);
  });
});

describe('answers of calls', () => {
  const look = call({
    name: 'shop.look',
    method: 'GET',
    path: '/window/*',
    access: 'anyone',
    credential: 'cookie',
    summary: 'Shows',
    description: 'Shows.',
    refusals: [],
    input: z.object({ path: z.string(), page: z.int().optional() }),
    output: z.object({ seen: z.string(), nth: z.int() }),
  });
  let handled = 0;
  let sessions: Record<string, typeof NOBODY> = { ...PEOPLE };
  const shop = new Shelves({
    port: {
      ...port,
      resolveScope: async (host) => (host === HOST
        ? { operatorId: 1, siteId: 1 }
        : host === 'other.example'
        ? { operatorId: 1, siteId: 2 }
        : null),
      resolveCaller: async (_scope, request) => {
        const caller = sessions[request.cookie('session') ?? ''];
        return { caller: caller ?? NOBODY, csrf: caller ? CSRF : null, consent: NO_CONSENT };
      },
      regionOf: ({ headers }) => String(headers['x-region'] ?? 'unknown'),
    },
    // Frozen, as listings are: the host serializes such an answer once.
    handlers: [
      handleCall(look)(async ({ path, page = 1 }, { caller, region, locale, scope }) => {
        handled += 1;
        const words = [path, page, caller.username ?? 'nobody', region, locale, scope.siteId];
        return Object.freeze({ seen: words.join(' '), nth: handled });
      }),
    ],
  });
  afterAll(() => shop.host.close());
  const seen = async (url: string, headers: Record<string, string> = {}) =>
    (await shop.ask({ url: `/api/v1/window/${url}`, headers })).json<{ seen: string; nth: number }>();

  it('are made for each caller, however the cookies are put, and never given again', async () => {
    const before = handled;
    for (let nth = 0; nth < 2; nth += 1) {
      for (const cookie of ['session=guest', 'session=guest; session=ann', 'x=session=ann; session=guest']) {
        expect((await seen('a', { cookie })).seen).toContain('guest_1');
      }
      for (const cookie of ['session=ann', 'session=ann; session=guest', 'theme=dark; session=ann']) {
        expect((await seen('a', { cookie })).seen).toContain('ann');
      }
    }
    expect(handled - before).toBe(12);
    expect((await shop.ask({ url: '/api/v1/window/a' })).headers['cache-control']).toBe('no-store');
  });

  it('follow a session at once that identified nobody before: it may be somebody suspended', async () => {
    expect((await seen('a', as('suspended'))).seen).toContain('nobody');
    sessions = { ...PEOPLE, suspended: PEOPLE['bob'] ?? NOBODY };
    expect((await seen('a', as('suspended'))).seen).toContain('bob');
    sessions = { ...PEOPLE };
    expect((await seen('a', as('suspended'))).seen).toContain('nobody');
  });

  it('are others for each language, region, site and query', async () => {
    const variants: readonly (readonly [string, Record<string, string>, string])[] = [
      ['a', {}, 'a 1 guest_1 unknown en 1'],
      ['b', {}, 'b 1 guest_1 unknown en 1'],
      ['a?page=2', {}, 'a 2 guest_1 unknown en 1'],
      ['a?utm=1&page=3', {}, 'a 3 guest_1 unknown en 1'],
      ['a', { 'accept-language': 'de' }, 'a 1 guest_1 unknown de 1'],
      ['a', { 'x-region': 'FR' }, 'a 1 guest_1 FR en 1'],
      ['a', { host: 'other.example' }, 'a 1 guest_1 unknown en 2'],
    ];
    for (const [url, headers, expected] of [...variants, ...variants]) {
      expect((await seen(url, { ...as('guest'), ...headers })).seen).toBe(expected);
    }
    const foreign = { ...as('guest'), host: 'elsewhere.example' };
    expect((await shop.ask({ url: '/api/v1/window/a', headers: foreign })).statusCode).toBe(421);
  });
});
