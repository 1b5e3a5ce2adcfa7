import { request as ask, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { NO_CONSENT } from '#platform/contract/context.ts';
import { handleCall, shared } from '#platform/contract/bind.ts';
import { call } from '#platform/contract/call.ts';
import { VirtualClock } from '#platform/data/clock.ts';
import { memoryLimits } from '#platform/data/limits/memory-limits.ts';
import { as, HOST, NOBODY, PEOPLE, port, Shelves } from '../testing.ts';

const shape = {
  method: 'GET', access: 'anyone', credential: 'cookie', refusals: [],
  summary: 'Shows', description: 'Shows.',
  input: z.object({ path: z.string(), page: z.int().optional() }),
  output: z.object({ seen: z.string(), nth: z.int() }), limit: { points: 20, seconds: 60, per: 'caller' },
} as const;
/** Output that is the same for all guests of a region, and differs for each person. */
const look = call({ ...shape, name: 'shop.look', path: '/window/*' });
/** The same output, but for each caller alone. */
const peer = call({ ...shape, name: 'shop.peer', path: '/peephole/*' });
/** Shared, but sets a cookie for each caller. */
const enter = call({ ...shape, name: 'shop.enter', path: '/door/*' });

let shelves: Shelves;
let clock: VirtualClock;
let metrics: Registry;
let address: URL;
/** How often handlers ran, callers were resolved, and uses of limits were counted. */
let asked: Record<'handler' | 'caller' | 'limit', number>;
let holds: boolean;
/** Runs while a use of a limit is counted. */
let onCounting: () => void;
let sessions: Record<string, (typeof PEOPLE)[string]>;

beforeEach(async () => {
  clock = new VirtualClock();
  metrics = new Registry();
  asked = { handler: 0, caller: 0, limit: 0 };
  holds = true;
  onCounting = () => undefined;
  sessions = { ...PEOPLE };
  const store = memoryLimits(clock);
  const seenBy = (input: { path: string; page?: number | undefined }, who: string) => {
    asked.handler += 1;
    return { seen: `${input.path} ${input.page ?? 1} for ${who}`, nth: asked.handler };
  };
  shelves = new Shelves({
    clock, operations: { isReady: async () => true, metrics },
    limits: {
      family: (name, options) => {
        const family = store.family(name, options);
        return { ...family, takeAll: family.takeAll, forget: family.forget, take: async (key, limit) => {
          asked.limit += 1;
          onCounting();
          return family.take(key, limit);
        } };
      },
    },
    port: {
      ...port,
      resolveScope: async (host) => (host === HOST ? { operatorId: 1, siteId: 1 }
        : host === 'other.example' ? { operatorId: 1, siteId: 2 } : null),
      resolveCaller: async (_scope, request) => {
        asked.caller += 1;
        const caller = sessions[request.cookie('session') ?? ''];
        return { caller: caller ?? NOBODY, csrf: caller ? 'secret' : null, consent: NO_CONSENT };
      },
      regionOf: ({ headers }) => String(headers['x-region'] ?? 'unknown'),
    },
    handlers: [
      handleCall(look)(async (input, { caller, region, locale, scope }) => {
        if (caller.kind === 'person') return seenBy(input, caller.username ?? '');
        return shared(seenBy(input, `guests of ${region} ${locale} ${scope.siteId}`), {
          audience: region, holds: () => holds,
        });
      }),
      handleCall(peer)(async (input, { caller }) => Object.freeze(seenBy(input, caller.kind))),
      handleCall(enter)(async (input, { setCookie }) => {
        setCookie('been', 'here');
        return shared(seenBy(input, 'guests'), { audience: '', holds: () => true });
      }),
    ],
  });
  address = new URL(await shelves.host.app.listen({ host: '127.0.0.1', port: 0 }));
});
afterEach(() => shelves.host.close());

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly raw: readonly string[];
  readonly body: string;
}
/** Asks over a connection, as browsers do. */
const get = (
  path: string, headers: OutgoingHttpHeaders = {}, method = 'GET',
): Promise<Answer> => new Promise((resolve, reject) => {
  const sent = ask({
    host: address.hostname, port: address.port, path: `/api/v1${path}`, method,
    headers: { host: HOST, ...headers },
  }, (answer) => {
    const { statusCode = 0, rawHeaders } = answer;
    const raw = rawHeaders.map((value, at) => (rawHeaders[at - 1] === 'Date' ? '' : value));
    text(answer).then((body) => resolve({ status: statusCode, headers: answer.headers, raw, body }), reject);
  });
  sent.on('error', reject).end();
});
const guest = as('guest');
const seen = async (...given: Parameters<typeof get>): Promise<string> =>
  (JSON.parse((await get(...given)).body) as { seen: string }).seen;

describe('an answer that says it is shared', () => {
  it('is given again to the letter, headers in their order, without asking handler or session', async () => {
    const first = await get('/window/a?page=2', guest);
    const second = await get('/window/a?page=2', guest);
    expect(second).toEqual(first);
    expect(first.headers).toMatchObject({
      'cache-control': 'no-store', 'x-frame-options': 'DENY',
      'content-type': 'application/json; charset=utf-8',
    });
    expect(first.headers['content-security-policy']).toMatch(/^default-src 'none'/u);
    expect(asked).toMatchObject({ handler: 1, caller: 1 });
  });

  it('is given to other guests of its audience, once it is known that they are guests', async () => {
    sessions['g2'] = { ...NOBODY, kind: 'guest', sessionId: 'g2' };
    await get('/window/a', guest);
    for (let nth = 0; nth < 3; nth += 1) await get('/window/a', as('g2'));
    expect(asked).toMatchObject({ handler: 2, caller: 2 });
  });

  it('is gone the moment it no longer holds, also while a limit is counted', async () => {
    await get('/window/a', guest);
    holds = false;
    expect(JSON.parse((await get('/window/a', guest)).body)).toMatchObject({ nth: 2 });
    holds = true;
    await get('/window/a', guest);
    const counted = asked.limit;
    onCounting = () => {
      holds = false;
    };
    expect(JSON.parse((await get('/window/a', guest)).body)).toMatchObject({ nth: 3 });
    // Guests are counted by address and by session; once each, though the request went both ways.
    expect(asked.limit - counted).toBe(2);
  });

  it('is another for each language, region, site and query, whatever else a query has', async () => {
    const variants: readonly (readonly [string, OutgoingHttpHeaders, string])[] = [
      ['/window/a', guest, 'a 1 for guests of unknown en 1'],
      ['/window/b', guest, 'b 1 for guests of unknown en 1'],
      ['/window/a?page=2', guest, 'a 2 for guests of unknown en 1'],
      ['/window/a?utm=1&page=3', guest, 'a 3 for guests of unknown en 1'],
      ['/window/a', { ...guest, 'accept-language': 'de' }, 'a 1 for guests of unknown de 1'],
      ['/window/a', { ...guest, 'x-region': 'FR' }, 'a 1 for guests of FR en 1'],
      ['/window/a', { ...guest, host: 'other.example' }, 'a 1 for guests of unknown en 2'],
    ];
    for (const [path, headers, expected] of [...variants, ...variants])
      expect(await seen(path, headers)).toBe(expected);
    expect(asked.handler).toBe(variants.length);
    expect((await get('/window/a', { ...guest, host: 'elsewhere.example' })).status).toBe(421);
  });

  it('counts against the limit like any other, and is counted', async () => {
    const statuses: number[] = [];
    for (let nth = 0; nth < 22; nth += 1) statuses.push((await get('/window/a', guest)).status);
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429, 429]);
    expect(asked).toMatchObject({ handler: 1, limit: 44 });
    const refused = await get('/window/a', guest);
    expect([refused.headers['retry-after'], JSON.parse(refused.body)])
      .toEqual(['60', expect.objectContaining({ errorType: 'too_many_requests' })]);
    const measured = await metrics.metrics();
    expect(measured).toContain('http_answers_total{call="shop.look",status="200"} 20');
    expect(measured).toContain('http_answers_total{call="shop.look",status="429"} 3');
    expect(measured).toContain('http_answer_seconds_count{call="shop.look"} 23');
  });
});

describe('whoever asks for it otherwise', () => {
  it('a person never gets it, nor a guest what is a person\'s, however the cookies are put', async () => {
    for (let nth = 0; nth < 2; nth += 1) {
      for (const cookie of ['session=guest', 'session=guest; session=ann', 'x=session=ann; session=guest'])
        expect(await seen('/window/a', { cookie })).toMatch(/for guests/u);
      for (const cookie of ['session=ann', 'session=ann; session=guest', 'theme=dark; session=ann'])
        expect(await seen('/window/a', { cookie })).toMatch(/for ann$/u);
    }
    // Once for the cookies of each guest, and each time for the person.
    expect(asked.caller).toBe(3 + 6);
  });

  it('a cookie that stands for nobody is looked up each time: it may be somebody suspended', async () => {
    expect(await seen('/window/a', as('suspended'))).toMatch(/for guests/u);
    sessions['suspended'] = PEOPLE['bob']!;
    expect(await seen('/window/a', as('suspended'))).toMatch(/for bob$/u);
    delete sessions['suspended'];
    expect(await seen('/window/a', as('suspended'))).toMatch(/for guests/u);
    expect(asked.caller).toBe(3);
  });

  it('goes the usual way with another method, a body, or a header twice', async () => {
    await get('/window/a', guest);
    const head = await get('/window/a', guest, 'HEAD');
    expect([head.status, head.body, asked.handler]).toEqual([200, '', 2]);
    const post = await get('/window/a', guest, 'POST');
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, OPTIONS, HEAD']);
    expect((await get('/window/a', { ...guest, 'sec-fetch-site': ['none', 'none'] })).status).toBe(400);
    expect((await get('/window/a', { ...guest, 'content-length': '0' })).status).toBe(200);
    expect(asked.handler).toBe(3);
  });

  it('is asked for again after half a minute', async () => {
    await get('/window/a', guest);
    clock.advance(30_000);
    await get('/window/a', guest);
    expect(asked).toMatchObject({ handler: 2, caller: 2 });
  });
});

it('no other answer is given again: one that does not say so, or sets a cookie', async () => {
  for (const path of ['/peephole/a', '/door/a']) for (let nth = 0; nth < 2; nth += 1) await get(path, guest);
  expect(asked).toMatchObject({ handler: 4, caller: 4 });
  expect((await get('/door/a', guest)).headers['set-cookie']).toHaveLength(1);
});

it('of requests from within the process the same holds', async () => {
  for (let nth = 0; nth < 3; nth += 1) await shelves.ask({ url: '/api/v1/window/a', headers: guest });
  expect(asked).toMatchObject({ handler: 1, caller: 1, limit: 6 });
  expect(await metrics.metrics()).toContain('http_answers_total{call="shop.look",status="200"} 3');
});
