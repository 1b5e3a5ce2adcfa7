import { NO_CONSENT } from '#platform/contract/context.ts';
import { VirtualClock } from '#platform/data/clock.ts';
import { memoryLimits } from '#platform/data/limits/memory-limits.ts';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pages, type PageRequest, type PagesEntry } from '../pages/ssr.ts';
import { HOST, NOBODY, PEOPLE, port, Shelves } from '../testing.ts';
import { AudienceCache, MAX_REMEMBERED } from './audience-cache.ts';

/** Documents that name the person they were rendered for. */
const entry: PagesEntry = {
  contextOf: (page) => page,
  textOf: () => null,
  variantOf: async (page) => `${page.cookie('theme') ?? ''} ${page.isPhone}`,
  linkLanguage: () => null,
  queryNames: ['p'],
  createRequestHandler: () => async (request, context) => {
    rendered += 1;
    const { personal, locale, cookie, isPhone } = context as unknown as PageRequest;
    const { pathname, search } = new URL(request.url);
    const words = [pathname + search, personal ? 'member' : 'everybody', locale, cookie('theme'), isPhone];
    return new Response(`<html>${words.join(' ')}</html>`, { status: pathname === '/missing' ? 404 : 200 });
  },
};

let shelves: Shelves;
let clock: VirtualClock;
let metrics: Registry;
/** The caller of each session, which tests change as the product does. */
let sessions: Record<string, (typeof PEOPLE)[string]>;
let rendered: number;
/** How often a caller was resolved. */
let asked: number;

function openHost(scheme: 'http' | 'https' = 'http'): void {
  clock = new VirtualClock();
  metrics = new Registry();
  sessions = { ...PEOPLE };
  asked = 0;
  rendered = 0;
  shelves = new Shelves({
    scheme,
    clock,
    limits: memoryLimits(clock),
    operations: { isReady: async () => true, metrics },
    port: {
      ...port,
      resolveCaller: async (_scope, request) => {
        asked += 1;
        const caller = sessions[request.cookie('session') ?? ''];
        return { caller: caller ?? NOBODY, csrf: caller ? 'secret' : null, consent: NO_CONSENT };
      },
      regionOf: ({ headers }) => String(headers['x-region'] ?? 'unknown'),
    },
  }, pages({ entry: { module: entry } }, { clock, logError: () => '', mode: 'production' }));
}
beforeEach(() => openHost());
afterEach(() => shelves.host.close());

type Headers = Readonly<Record<string, string | undefined>>;
async function get(url: string, headers: Headers = {}) {
  const answer = await shelves.ask({ url, headers: { 'accept-encoding': 'gzip', ...headers } });
  const zipped = answer.headers['content-encoding'] === 'gzip';
  return { ...answer, text: zipped ? gunzipSync(answer.rawPayload).toString() : answer.body };
}
const as = (session: string, more = ''): Headers => ({ cookie: `session=${session}${more}` });

describe('a cached document', () => {
  it.each(['http', 'https'] as const)('is the same answer, header by header, over %s', async (scheme) => {
    await shelves.host.close();
    openHost(scheme);
    const answers = [await get('/girls'), await get('/girls')];
    expect(asked).toBe(1);
    const [first, second] = answers.map(({ statusCode, rawPayload, headers }) => ({
      statusCode,
      rawPayload,
      headers: { ...headers, date: '' },
    }));
    expect(second).toEqual(first);
    expect(second?.headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
      'vary': 'Cookie, Accept-Language, Accept-Encoding, User-Agent, Sec-CH-UA-Mobile',
    });
    expect(second?.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'/u);
    expect('strict-transport-security' in (second?.headers ?? {})).toBe(scheme === 'https');
    expect(second?.headers['set-cookie']).toBeUndefined();
  });

  it('is the same over a connection, before the caller is resolved', async () => {
    const { port: at } = new URL(await shelves.host.app.listen({ host: '127.0.0.1', port: 0 }));
    const answers: { raw: readonly string[]; body: Buffer }[] = [];
    for (let nth = 0; nth < 2; nth += 1) {
      const [answer] = await once(
        request({ port: at, path: '/girls', headers: { 'host': HOST, 'accept-encoding': 'gzip' } }).end(),
        'response',
      ) as [IncomingMessage];
      const parts: Buffer[] = [];
      for await (const part of answer) parts.push(part as Buffer);
      const { rawHeaders } = answer;
      const raw = rawHeaders.flatMap((name, nth) => (nth % 2 === 1
        ? []
        : [`${name.toLowerCase()}: ${name === 'Date' ? '' : rawHeaders[nth + 1] ?? ''}`])
      );
      answers.push({ raw: raw.sort(), body: Buffer.concat(parts) });
    }
    expect(answers[1]).toEqual(answers[0]);
    expect([asked, rendered]).toEqual([1, 1]);
    expect(await metrics.metrics()).toContain('http_answers_total{call="other",status="200"} 2');
  });

  it('is counted like every answer', async () => {
    for (let nth = 0; nth < 3; nth += 1) await get('/girls');
    expect(await metrics.metrics()).toContain('http_answers_total{call="other",status="200"} 3');
  });

  it('is rendered again once it is old, and the caller is resolved again', async () => {
    await get('/girls');
    clock.advance(2_000);
    await get('/girls');
    expect(asked).toBe(2);
    clock.advance(5_000);
    await get('/girls');
    expect(asked).toBe(3);
  });

  it('is another for each language, region, screen, look and allowed query', async () => {
    const variants: readonly (readonly [string, Headers])[] = [
      ['/girls', {}],
      ['/girls', { 'accept-language': 'de' }],
      ['/girls', { 'x-region': 'FR' }],
      ['/girls', { 'sec-ch-ua-mobile': '?1' }],
      ['/girls', { cookie: 'theme=light' }],
      ['/girls?p=2', {}],
    ];
    const read = async () => {
      const texts: string[] = [];
      for (const [url, headers] of variants) texts.push((await get(url, headers)).text);
      return texts;
    };
    const before = await read();
    expect(await read()).toEqual(before);
    expect([rendered, asked]).toEqual([variants.length, variants.length]);
    expect(before).toEqual([
      '<html>/girls everybody en  false</html>',
      '<html>/girls everybody de  false</html>',
      '<html>/girls everybody en  false</html>',
      '<html>/girls everybody en  true</html>',
      '<html>/girls everybody en light false</html>',
      '<html>/girls?p=2 everybody en  false</html>',
    ]);
  });

  it('is unpacked for who takes no gzip, and goes to no request that is refused otherwise', async () => {
    await get('/girls');
    const unpacked = await shelves.ask({ url: '/girls' });
    expect([unpacked.headers['content-encoding'], unpacked.body])
      .toEqual([undefined, '<html>/girls everybody en  false</html>']);
    const head = await shelves.ask({ method: 'HEAD', url: '/girls', headers: { 'accept-encoding': 'gzip' } });
    expect([head.statusCode, head.body]).toEqual([200, '']);
    expect((await get('/girls', { host: 'elsewhere.example' })).statusCode).toBe(421);
    expect((await get('/api/v1/settings')).text).toContain('csrf');
    expect((await get('/api/v1/girls')).statusCode).toBe(404);
  });

  it('goes to no request with a header twice', async () => {
    const { port: at } = new URL(await shelves.host.app.listen({ host: '127.0.0.1', port: 0 }));
    await get('/girls');
    const headers = {
      host: HOST,
      cookie: ['session=guest', 'session=ann'],
      'sec-fetch-site': ['none', 'none'],
    };
    const [answer] = await once(request({ port: at, path: '/girls', headers }).end(), 'response') as [
      IncomingMessage,
    ];
    answer.resume();
    expect(answer.statusCode).toBe(400);
  });
});

describe('sessions that begin and end', () => {
  it('are seen at once: a guest who logs in, and a member who logs out', async () => {
    sessions['g'] = PEOPLE['guest']!;
    for (let nth = 0; nth < 3; nth += 1) expect((await get('/', as('g'))).text).toContain('everybody');
    expect((await get('/', as('ann'))).text).toContain('member');
    expect((await get('/', as('g'))).text).toContain('everybody');
    delete sessions['ann'];
    expect((await get('/', as('ann'))).text).toContain('everybody');
  });

  it('never let the document of one be another\'s, however the cookies are put', async () => {
    for (const cookie of ['session=guest', 'session=guest; session=ann', 'x=session=ann; session=guest']) {
      expect((await get('/', { cookie })).text).toContain('everybody');
      expect((await get('/', { cookie })).text).toContain('everybody');
    }
    for (let nth = 0; nth < 2; nth += 1) {
      for (const cookie of ['session=ann', 'session=ann; session=guest', 'theme=dark; session=ann']) {
        const member = await get('/', { cookie });
        expect([member.text.includes('member'), member.headers['cache-control']]).toEqual([true, 'no-store']);
      }
    }
  });

  it('of somebody suspended lead to documents for everybody, and to their own once that ends', async () => {
    for (let nth = 0; nth < 2; nth += 1) expect((await get('/', as('carl'))).text).toContain('everybody');
    sessions['carl'] = PEOPLE['bob']!;
    clock.advance(5_000);
    expect((await get('/', as('carl'))).text).toContain('member');
    // Nothing of it is left for others, nor for the same cookie.
    expect((await get('/', as('guest'))).text).toContain('everybody');
    delete sessions['carl'];
    expect((await get('/', as('carl'))).text).toContain('everybody');
  });

  it('asks each time who a person is', async () => {
    for (let nth = 0; nth < 3; nth += 1) await get('/', as('ann'));
    expect(asked).toBe(3);
  });
});

describe('what is remembered of visitors', () => {
  const asking = (cookie: string) => ({
    headers: { host: HOST, cookie },
    region: 'DE',
    locale: 'en',
    epoch: '1',
  });

  it('is bounded: the oldest visitor is forgotten, and long cookies are never remembered', () => {
    const audiences = new AudienceCache(new VirtualClock());
    for (let nth = 0; nth <= MAX_REMEMBERED; nth += 1) {
      audiences.remember(asking(`a=${nth}`), `audience ${nth}`);
    }
    expect(audiences.find(asking('a=0'))).toBeNull();
    expect(audiences.find(asking('a=1'))).toBe('audience 1');
    audiences.remember(asking('x'.repeat(1025)), 'long');
    expect(audiences.find(asking('x'.repeat(1025)))).toBeNull();
  });

  it('counts no more in another epoch', () => {
    const audiences = new AudienceCache(new VirtualClock());
    audiences.remember(asking('a=1'), 'audience');
    expect(audiences.find({ ...asking('a=1'), epoch: '2' })).toBeNull();
    expect(audiences.find(asking('a=1'))).toBe('audience');
  });
});
