import { MARK_HEADER } from '#platform/contract/document-policy.ts';
import { VirtualClock } from '#platform/data/clock.ts';
import Fastify, { type FastifyInstance } from 'fastify';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PageContext } from '../host.ts';
import { pages, type MarkedVisit, type PageRequest, type PagesEntry } from './ssr.ts';

/** Pages that show their own rendering input. */
function build(rendered: string[], waiting: (() => void)[]) {
  const entry: PagesEntry = {
    contextOf: (page) => page,
    textOf: () => null,
    variantOf: async (page) => `${page.cookie('theme') ?? ''} ${page.isPhone}`,
    linkLanguage: ({ searchParams }) => searchParams.get('lang'),
    queryNames: ['p', 'lang'],
    createRequestHandler: () => async (request, context) => {
      const page = context as unknown as PageRequest;
      const { pathname, search } = new URL(request.url);
      rendered.push(pathname + search);
      if (pathname === '/fails') throw new Error('broken');
      if (pathname.startsWith('/slow')) await new Promise<void>((done) => waiting.push(done));
      const html = `<html><script nonce="${page.nonce}">go()</script>${pathname}${search} ${page.locale}`
        + ` ${page.personal} ${page.cookie('theme') ?? ''}</html>`;
      return new Response(html, {
        status: pathname === '/missing' ? 404 : pathname === '/moved' ? 301 : 200,
        headers: pathname === '/counted'
          ? { [MARK_HEADER]: 'one wording' }
          : pathname === '/moved'
          ? { location: `/here${search}` }
          : {},
      });
    },
  };
  return { entry: { module: entry } };
}

interface Visitor {
  readonly kind?: 'anonymous' | 'guest' | 'person';
  readonly theme?: string;
  readonly locale?: string;
  readonly siteId?: number;
  readonly address?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

let app: FastifyInstance | undefined;
afterEach(() => app?.close());

/** A host that resolves every caller as the test says, with a call that tries to set a cookie. */
function host() {
  const rendered: string[] = [];
  const waiting: (() => void)[] = [];
  const clock = new VirtualClock();
  const marked: MarkedVisit[] = [];
  const { handle, cached } = pages(build(rendered, waiting), {
    onMarked: (visit) => void marked.push(visit),
    clock,
    logError: () => 'reference',
    mode: 'production',
    frames: (operatorId) => [`https://pay${operatorId}.example`],
  });
  app = Fastify();
  app.get('/*', (request, reply) => {
    reply.header('set-cookie', 'session=stolen');
    const visitor = JSON.parse(String(request.headers['x-visitor'] ?? '{}')) as Visitor;
    const { kind = 'anonymous', theme = null, locale = 'en', siteId = 1, address = '203.0.113.1' } = visitor;
    const { headers = {} } = visitor;
    return handle(request, reply, {
      facts: {
        host: 'cam.test',
        address,
        headers,
        cookie: (name: string) => (name === 'theme' ? theme : null),
      },
      visit: {
        scope: { operatorId: 1, siteId },
        caller: { kind },
        csrf: 'secret-token',
        locale,
        region: 'DE',
        epoch: '',
        origin: 'http://cam.test',
      },
      callIn: () => async () => ({}),
    } as unknown as PageContext);
  });
  const get = async (url: string, as: Visitor = {}) => {
    // Requests run concurrently: each names its own caller.
    const visitor = JSON.stringify(as);
    const answer = await app?.inject({
      url,
      headers: { 'host': 'cam.test', 'accept-encoding': 'gzip', 'x-visitor': visitor },
    });
    if (!answer) throw new Error('no host');
    const zipped = answer.headers['content-encoding'] === 'gzip';
    const text = String(zipped ? gunzipSync(answer.rawPayload) : answer.body);
    return { statusCode: answer.statusCode, headers: answer.headers, text };
  };
  return { rendered, waiting, get, clock, marked, cached };
}

describe('documents for nobody in particular', () => {
  it('are rendered once for everybody, guests included', async () => {
    const { rendered, get } = host();
    await get('/girls');
    await get('/girls', { kind: 'guest' });
    expect(rendered).toEqual(['/girls']);
  });

  it('set no cookie, carry no nonce and no token, and allow their script by hash', async () => {
    const { get } = host();
    const { headers, text } = await get('/');
    expect(headers['set-cookie']).toBeUndefined();
    expect(text).not.toMatch(/nonce|secret-token/u);
    expect(headers['content-security-policy']).toMatch(/script-src 'self' 'sha256-[\w+/=]+';/u);
  });

  it('may show the pages of the operator\'s billers in frames, as personal ones may', async () => {
    const { get } = host();
    for (const kind of ['anonymous', 'person'] as const) {
      const { headers } = await get('/', { kind });
      expect(headers['content-security-policy']).toContain('frame-src \'self\' https://pay1.example;');
    }
  });

  it('are in the language that their link asks for, else in the reader\'s', async () => {
    const { get } = host();
    expect((await get('/?lang=de', { locale: 'fr' })).text).toContain('/?lang=de de ');
    expect((await get('/', { locale: 'fr' })).text).toContain('/ fr ');
  });

  it('differ by site, language, look and allowed query', async () => {
    const { rendered, get } = host();
    const visits: readonly (readonly [string, Visitor])[] = [
      ['/', {}],
      ['/', { siteId: 2 }],
      ['/', { locale: 'de' }],
      ['/', { theme: 'light' }],
      ['/?p=2', {}],
    ];
    for (const [url, visitor] of [...visits, ...visits]) await get(url, visitor);
    expect(rendered).toHaveLength(visits.length);
  });

  it('are others for phones, by client hints or by the name of the browser', async () => {
    const { rendered, get } = host();
    const iphone = { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Version/18.0 Mobile/15E148' };
    for (const headers of [{}, { 'sec-ch-ua-mobile': '?0', ...iphone }]) await get('/girls', { headers });
    expect(rendered).toHaveLength(1);
    for (const headers of [iphone, { 'sec-ch-ua-mobile': '?1' }]) await get('/girls', { headers });
    expect(rendered).toHaveLength(2);
  });

  it('ignore other query parameters, so that nobody fills the cache with them', async () => {
    const { rendered, get } = host();
    for (let at = 0; at < 5; at += 1) await get(`/girls?x=${at}&p=3`);
    expect(rendered).toEqual(['/girls?p=3']);
  });

  it('that moved for good lead on with all of the query, whoever asked first', async () => {
    const { get } = host();
    const ways = [
      '/moved',
      '/moved?p=2&utm_source=mail',
      '/moved?utm_source=two%0d%0aSet-Cookie:a',
      '/moved?p=2',
    ];
    const answers = await Promise.all(ways.map((way) => get(way)));
    expect(answers.map(({ headers }) => headers['location'])).toEqual([
      '/here',
      '/here?p=2&utm_source=mail',
      '/here?utm_source=two%0D%0ASet-Cookie%3Aa',
      '/here?p=2',
    ]);
  });

  it('answer unpacked where gzip is not understood', async () => {
    const { get } = host();
    await get('/');
    const plain = await app?.inject({ url: '/', headers: { host: 'cam.test' } });
    expect(plain?.headers['content-encoding']).toBeUndefined();
    expect(plain?.body).toContain('<html>');
  });
});

describe('documents with a mark', () => {
  it('are reported each time they are sent to somebody not logged in, from the cache too', async () => {
    const { get, marked, cached } = host();
    const visits: Visitor[] = [{}, { kind: 'guest' }, { kind: 'person' }];
    for (const visitor of visits) await get('/counted', visitor);
    await get('/girls');
    expect(marked.map(({ operatorId, mark }) => [operatorId, mark]))
      .toEqual([[1, 'one wording'], [1, 'one wording']]);
    expect(marked[0]?.headers['x-visitor']).toBe('{}');
    // Sent before the request is read.
    const asking = { headers: marked[0]?.headers ?? {}, region: 'DE', locale: 'en', epoch: '' };
    expect(cached('/counted', asking)?.status).toBe(200);
    expect(marked).toHaveLength(3);
    expect((await get('/counted')).headers).not.toHaveProperty(MARK_HEADER);
    await app?.inject({ method: 'HEAD', url: '/counted', headers: { host: 'cam.test' } });
    expect(marked).toHaveLength(4);
  });
});

describe('documents for a person', () => {
  it('are rendered each time, stored nowhere, with a nonce of their own', async () => {
    const { rendered, get } = host();
    const first = await get('/?any=1', { kind: 'person' });
    const second = await get('/?any=1', { kind: 'person' });
    expect(rendered).toEqual(['/?any=1', '/?any=1']);
    expect(first.headers['cache-control']).toBe('no-store');
    const nonces = [first, second]
      .map(({ headers }) => /'nonce-([^']+)'/u.exec(String(headers['content-security-policy']))?.[1]);
    expect(nonces[0]).not.toBe(nonces[1]);
    expect(first.text).toContain(`nonce="${nonces[0]}"`);
  });

  it('never reach a guest, nor a guest\'s document a person', async () => {
    const { get } = host();
    expect((await get('/', { kind: 'person' })).text).toContain('true');
    expect((await get('/', { kind: 'guest' })).text).toContain('false');
    expect((await get('/', { kind: 'person' })).text).toContain('true');
  });
});

describe('too many documents at once', () => {
  it('get a 503 with Retry-After, which is not cached', async () => {
    const { rendered, waiting, get } = host();
    const running = Array.from(
      { length: 64 },
      (_, at) => get(`/slow${at}`, { address: `203.0.113.${1 + Math.floor(at / 16)}` }),
    );
    await vi.waitUntil(() => rendered.length === 64);
    const refused = await get('/girls', { address: '198.51.100.7' });
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '2']);
    for (const done of waiting) done();
    expect((await Promise.all(running)).every(({ statusCode }) => statusCode === 200)).toBe(true);
    expect((await get('/girls')).statusCode).toBe(200);
  });

  it.each(
    [
      ['anonymous', '203.0.113.1', () => '203.0.113.1'],
      ['person', '203.0.113.1', () => '203.0.113.1'],
      // A household or a machine has a whole /64.
      ['anonymous', '2001:db8:0:1::1', (at: number) => `2001:db8:0:1::${at.toString(16)}`],
    ] as const,
  )('of one address (%s, %s) leave room for everybody else', async (kind, own, address) => {
    const { rendered, waiting, get } = host();
    const flood = Array.from({ length: 100 }, (_, at) => get(`/slow${at}`, { kind, address: address(at) }));
    await vi.waitUntil(() => rendered.length >= 16);
    // Nine documents of another member, the number measured on a site under attack.
    const others = await Promise.all(
      Array.from({ length: 9 }, (_, at) => get(`/room${at}`, { kind: 'person', address: '198.51.100.7' })),
    );
    expect(others.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 9 }, () => 200));
    expect(rendered.filter((path) => path.startsWith('/slow'))).toHaveLength(16);
    for (const done of waiting) done();
    const statuses = (await Promise.all(flood)).map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 503)).toHaveLength(84);
    // Its share is free again.
    expect((await get('/girls', { kind, address: own })).statusCode).toBe(200);
  });

  it('of one address over a while get a 429 that says when, and nobody else waits', async () => {
    const { rendered, get, clock } = host();
    const ask = async (at: number, who = '203.0.113.1') => get(`/search${at}`, { address: who });
    const statuses: number[] = [];
    for (let at = 0; at < 100; at += 1) statuses.push((await ask(at)).statusCode);
    expect(statuses).toEqual([...Array<number>(60).fill(200), ...Array<number>(40).fill(429)]);
    expect(rendered).toHaveLength(60);
    expect((await ask(100)).headers['retry-after']).toBe('1');
    expect((await ask(101, '198.51.100.7')).statusCode).toBe(200);
    // Cached documents do not count.
    expect((await ask(0)).statusCode).toBe(200);
    clock.advance(1_000);
    const after = [];
    for (const at of [200, 201, 202]) after.push((await ask(at)).statusCode);
    expect(after).toEqual([200, 200, 429]);
  });

  it('keep a page that is a little old', async () => {
    const { waiting, rendered, get, clock } = host();
    await get('/girls', { address: '198.51.100.7' });
    const flood = Array.from({ length: 16 }, (_, at) => get(`/slow${at}`));
    await vi.waitUntil(() => rendered.length === 17);
    clock.advance(2_000);
    // This address may not render it again: two requests, so that the first has left its mark.
    expect([(await get('/girls')).statusCode, (await get('/girls')).statusCode]).toEqual([200, 200]);
    for (const done of waiting) done();
    await Promise.all(flood);
  });
});

describe('addresses', () => {
  it('of loader data answer nothing: loaders run inside documents only', async () => {
    const { rendered, get } = host();
    expect((await get('/girls.data')).statusCode).toBe(404);
    expect(rendered).toEqual([]);
  });

  it('that look like another host stay on this one', async () => {
    const { rendered, get } = host();
    await get('//evil.test/girls');
    expect(rendered).toEqual(['/evil.test/girls']);
  });

  it('that do not exist are remembered for as long as others, and those that fail are not', async () => {
    const { rendered, get, clock } = host();
    for (let nth = 0; nth < 100; nth += 1) expect((await get('/missing')).statusCode).toBe(404);
    expect(rendered).toEqual(['/missing']);
    clock.advance(10_000);
    await get('/missing');
    expect((await get('/fails')).statusCode).toBe(500);
    await get('/fails');
    expect(rendered).toEqual(['/missing', '/missing', '/fails', '/fails']);
  });
});
