import { API_BASE } from '#platform/contract/client.ts';
import { checkUsername } from '#product/accounts/rules.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROUTES = new URL('./web/routes.ts', import.meta.url);

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

describe('addresses', () => {
  it('keeps the first path segment of every page and call from being a username', async () => {
    const routes = readFileSync(ROUTES, 'utf8');
    // More deeply indented routes are children of a page, below its first segment.
    const pages = [...routes.matchAll(/^ {2}route\('([\w-]+)/gmu)].map(([, segment]) => segment ?? '');
    const described = await (await site.visitor()).request({ url: `${API_BASE}/openapi.json` });
    const { paths } = described.json<{ paths: object }>();
    const calls = Object.keys(paths).map((path) => path.split('/')[1] ?? '');
    expect(pages.length).toBeGreaterThan(8);
    expect(new Set(calls).size).toBeGreaterThan(1);
    expect([...pages, ...calls].filter((segment) => checkUsername(segment) === null)).toEqual([]);
  });
});
