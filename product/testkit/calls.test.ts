import type { AnyCall } from '#platform/contract/call.ts';
import { requestOf } from '#platform/contract/client.ts';
import { compileInput, compileOutput } from '#platform/http/pipeline/shapes.ts';
import { getSiteConfig } from '#product/site/contract.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { declaredBySlices } from './contracts.ts';
import { createSite, type TestSite } from './site.ts';

/** The path under which another installation answers calls. */
const OTHER = '/backend/v9';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const isCall = (value: unknown): value is AnyCall =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value;

/** Addresses that are not calls: media, addresses registered with billers, and files for third parties. */
const ROOTS = [
  ':username',
  'avatars',
  'callbacks',
  'fan-posts',
  'feed.rss',
  'hls',
  'oembed',
  'offline-videos',
  'portraits',
  'previews',
  'profile',
  'push',
  'robots.txt',
  'share',
  'site.webmanifest',
  'sitemap',
  'sitemap.xml',
  'thumbs',
  'whep',
  'whip',
];

it('makes every call below the API base, however its path is written [C-247]', async () => {
  const calls = (await declaredBySlices()).filter(isCall);
  expect(calls.length).toBeGreaterThan(30);
  for (const call of calls) {
    const { path } = requestOf(call, { path: 'x' });
    expect(path.startsWith('/api/v1/')).toBe(call.root !== true);
    expect(path).not.toContain('//');
  }
  const roots = calls.filter(({ root }) => root === true).map(({ path }) => path.split('/')[1]);
  expect([...new Set(roots)].toSorted()).toEqual(ROOTS);
  const visitor = await site.visitor();
  expect((await visitor.request({ url: `/api/v1${getSiteConfig.path}` })).statusCode).toBe(200);
  expect((await visitor.request({ url: getSiteConfig.path })).statusCode).toBe(404);
});

it('declares shapes only that the server can compile, which it does on first use', async () => {
  for (const call of (await declaredBySlices()).filter(isCall)) {
    expect([compileInput(call), compileOutput(call, false)], call.name)
      .toEqual([expect.any(Function), expect.any(Function)]);
  }
});

it('answers calls below the base that the installation configures, and nowhere else [C-247]', async () => {
  const elsewhere = await createSite({ settings: { apiBase: OTHER } });
  const calls = (await declaredBySlices()).filter(isCall).filter(({ root }) => root !== true);
  const visitor = await elsewhere.visitor();
  /** Whether the site has the address, whatever the answer. */
  const isThere = async (call: AnyCall, base: string): Promise<boolean> => {
    const { path } = requestOf(call, {}, base);
    const answer = await visitor.request({ method: call.method, url: path });
    return !(answer.statusCode === 404 && answer.body.includes('"not_found"'));
  };
  for (const call of calls) {
    expect([call.name, await isThere(call, OTHER)]).toEqual([call.name, true]);
    for (const base of ['', '/api/v1']) {
      expect([call.name, base, await isThere(call, base)]).toEqual([call.name, base, false]);
    }
  }
  await elsewhere.close();
});
