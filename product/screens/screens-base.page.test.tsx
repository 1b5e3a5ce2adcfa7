import { uuidV4 } from '#platform/data/ids.ts';
import { startRecording, stopRecording } from '#product/recordings/contract.ts';
import { playbackOf } from '#product/testkit/media/media-client.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import type { RawRequest } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

const BASE = '/backend/v9';
let site: TestSite;
beforeAll(async () => {
  site = await createSite({ settings: { apiBase: BASE } });
});
afterAll(() => site.close());

/** The requests of a page on which somebody logs in, goes to a room and tips. */
async function requestsOfAVisit() {
  const performer = await site.performer({ live: true });
  const { person } = await site.viewer({ tokens: 100 });
  await site.settle();
  const visitor = await site.visitor({ ofAge: true });
  const asked: { url: string; headers: RawRequest['headers'] & {}; status: number }[] = [];
  const request = visitor.request.bind(visitor);
  visitor.request = async (options) => {
    const answer = await request(options);
    asked.push({ url: String(options.url), headers: options.headers ?? {}, status: answer.statusCode });
    return answer;
  };
  const page = await openPage(site, visitor, '/login');
  const form = await page.find('main');
  await page.fill('Username or email', person.username, { in: form });
  await page.fill('Password', 'correct horse battery', { in: form });
  await page.press('Log in', { in: form });
  await page.until(() => expect(page.path).toBe('/'));
  await page.press('Girls', { role: 'link', in: await page.find('banner') });
  await page.find('heading', 'Girls live now');
  const named = new RegExp(performer.person.displayName, 'u');
  await page.press(named, { role: 'link', in: await page.find('main') });
  await page.field('Message');
  await page.press('Tip 25');
  await page.sees(/tipped 25 tokens/u);
  return { asked, visitor, username: performer.username };
}

test('pages make every call below the base address of the installation [B-317]', async () => {
  const { asked, username } = await requestsOfAVisit();
  const urls = asked.map(({ url }) => url);
  for (const path of ['/auth/login', '/site_config', `/chat/react/${username}`, `/tip/${username}`]) {
    expect(urls).toContain(BASE + path);
  }
  expect(urls.filter((url) => !url.startsWith(`${BASE}/`))).toEqual([]);
});

test('links and players of a page ask there, too [B-317]', async () => {
  const performer = await site.performer({ live: true });
  const { id } = await performer.call(startRecording, { consent: true });
  site.outputs.film((await playbackOf(performer, performer)).stream, 3, 0);
  await performer.call(stopRecording, {});
  await site.settle();
  const films = await openPage(site, performer, '/account/recordings');
  await films.press(/^Play /u);
  await films.find('button', /^Close /u, { in: await films.find('main') });
  const film = (await films.find('main')).querySelector('video')?.getAttribute('src') ?? '';
  expect(film).toBe(`${BASE}/video/recordings/${id}/file`);
  expect((await performer.request({ url: film })).statusCode).toBe(200);
  const viewer = await site.viewer();
  await site.tx((tx) => site.services.ledger.grant(tx, viewer.id, 7, 'a test', uuidV4()));
  const tokens = await openPage(site, viewer, '/account/tokens');
  const csv = (await tokens.find('link', 'Save as CSV')).getAttribute('href') ?? '';
  expect(csv).toBe(`${BASE}/tokens/history.csv`);
  expect((await viewer.request({ url: csv })).body).toContain(',grant,7,');
});

test('pages send their cookies with every call [A-336, B-318]', async () => {
  const { asked, username } = await requestsOfAVisit();
  expect(asked.length).toBeGreaterThan(5);
  // A script that fetches without credentials has its cookies removed.
  expect(asked.filter(({ headers }) => 'cookie' in headers)).toEqual([]);
  expect(asked.findLast(({ url }) => url === `${BASE}/tip/${username}`)?.status).toBe(200);
});

test('pages send the CSRF token with every call but the one that asks for it [A-337, B-319]', async () => {
  const { asked, visitor } = await requestsOfAVisit();
  const without = asked.filter(({ headers }) => headers['x-csrf-token'] === undefined);
  expect(new Set(without.map(({ url }) => url))).toEqual(new Set([`${BASE}/site_config`]));
  await visitor.opens();
  expect(asked.at(-2)?.headers['x-csrf-token']).toBe(visitor.csrf);
});

test('the site answers calls there, describes them so, and nowhere else [B-317]', async () => {
  const visitor = await site.visitor();
  expect((await visitor.request({ url: `${BASE}/auth/state` })).statusCode).toBe(200);
  for (const url of ['/api/v1/auth/state', '/auth/state', `${BASE}/nothing`]) {
    expect((await visitor.request({ url })).statusCode).toBe(404);
  }
  const { paths } = (await visitor.request({ url: `${BASE}/openapi.json` }))
    .json<{ paths: Record<string, unknown> }>();
  expect(paths).toHaveProperty([`${BASE}/auth/state`]);
  expect(Object.keys(paths).filter((path) => path.startsWith('/api/'))).toEqual([]);
});
