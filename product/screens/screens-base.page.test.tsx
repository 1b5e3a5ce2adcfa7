import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPage } from '../testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '../testkit/site.ts';

const BASE = '/backend/v9';
let site: TestSite;
beforeAll(async () => {
  site = await createSite({ settings: { apiBase: BASE } });
});
afterAll(() => site.close());

test('pages make every call below the base address of the installation [B-317]', async () => {
  const performer = await site.performer({ live: true });
  const { person } = await site.viewer({ tokens: 100 });
  await site.settle();
  const visitor = await site.visitor({ ofAge: true });
  const asked: string[] = [];
  const request = visitor.request.bind(visitor);
  visitor.request = (options) => {
    asked.push(String(options.url));
    return request(options);
  };
  const page = await openPage(site, visitor, '/login');
  const form = await page.find('main');
  await page.fill('Username or email', person.username, { in: form });
  await page.fill('Password', 'correct horse battery', { in: form });
  await page.press('Log in', { in: form });
  await page.click(await page.find('link', new RegExp(performer.person.displayName, 'u')));
  await page.field('Message');
  await page.press('Tip 25');
  await page.sees(/tipped 25 tokens/u);
  const { username } = performer;
  for (const path of ['/auth/login', '/site_config', `/chat/react/${username}`, `/tip/${username}`]) {
    expect(asked).toContain(BASE + path);
  }
  expect(asked.filter((url) => !url.startsWith(`${BASE}/`))).toEqual([]);
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
