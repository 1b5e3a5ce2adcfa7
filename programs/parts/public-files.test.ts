import { serveFiles } from '#platform/http/pages/static.ts';
import { createSite } from '#product/testkit/site.ts';
import Fastify from 'fastify';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const routes = readFileSync(new URL('../../product/screens/web/routes.ts', import.meta.url), 'utf8');
const root = fileURLToPath(new URL('../../product/screens/web/public', import.meta.url));

async function get(url: string) {
  const app = Fastify();
  await serveFiles(app, root);
  // Answers as pages do, for which any other name may be a performer's.
  app.get('/*', (_request, reply) => reply.type('text/html').send('<!doctype html>'));
  return app.inject(url);
}

it('robots.txt is text that keeps robots out of every page of a person', async () => {
  const site = await createSite();
  onTestFinished(() => site.close());
  const response = await (await site.visitor()).request({ url: '/robots.txt' });
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  const [agent, ...rules] = response.body.trim().split('\n');
  expect(agent).toBe('User-agent: *');
  const closed = rules.filter((rule) => rule.startsWith('Disallow: '))
    .map((rule) => rule.replace(/^Disallow: /u, ''));
  const isClosed = (path: string): boolean => closed.some((prefix) => `/${path}/`.startsWith(prefix));
  const paths = [...routes.matchAll(/route\('(?<path>[^']+)'/gu)].map(({ groups }) => groups?.['path'] ?? '');
  const ofPeople = /^(?:account|admin|go-live|overlay|confirm-email|restore-email|verify)/u;
  const personal = paths.filter((path) => ofPeople.test(path));
  expect(personal.length).toBeGreaterThan(10);
  expect(personal.filter((path) => !isClosed(path))).toEqual([]);
  expect(['api/v1/user/current', 'ws/lobby', 'whip'].every(isClosed)).toBe(true);
  // Search engines should find lists and rooms.
  expect(['girls', 'couples', 'anna', 'jo', 'verity'].filter(isClosed)).toEqual([]);
});

it('favicon.ico is an icon', async () => {
  const response = await get('/favicon.ico');
  expect(response.statusCode).toBe(200);
  expect(response.headers['content-type']).toMatch(/^image\/(?:x-icon|vnd\.microsoft\.icon)/u);
  expect([...response.rawPayload.subarray(0, 6)]).toEqual([0, 0, 1, 0, 3, 0]);
  expect(response.rawPayload).toEqual(readFileSync(`${root}/favicon.ico`));
});

it('the worker of an installed site may ask its own site; neutral pages may load nothing', async () => {
  const site = await createSite();
  onTestFinished(() => site.close());
  await serveFiles(site.http.app, root);
  const visitor = await site.visitor({ opened: false });
  const policyOf = async (url: string) => {
    const { statusCode, headers } = await visitor.request({ method: 'GET', url });
    return [statusCode, headers['content-security-policy']];
  };
  expect(await policyOf('/app-worker.js?lang=de')).toEqual([
    200,
    'default-src \'none\'; connect-src \'self\'',
  ]);
  expect(await policyOf('/notes/de.html')).toEqual([200, expect.stringMatching(/^default-src 'none';/u)]);
});
