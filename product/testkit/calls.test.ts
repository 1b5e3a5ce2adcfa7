import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AnyCall } from '../../platform/contract/call.ts';
import { API_BASE, requestOf } from '../../platform/contract/client/client.ts';
import { getSiteConfig } from '../site/contract.ts';
import { declaredBySlices } from './contracts.ts';
import { createSite, type TestSite } from './site.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const isCall = (value: unknown): value is AnyCall =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value;

it('makes every call below the API base, however its path is written [C-247]', async () => {
  const calls = (await declaredBySlices()).filter(isCall);
  expect(calls.length).toBeGreaterThan(30);
  for (const call of calls) {
    const { path } = requestOf(call, { path: 'x' });
    expect(path.startsWith(`${API_BASE}/`)).toBe(call.root !== true);
    expect(path).not.toContain('//');
  }
  const visitor = await site.visitor();
  expect((await visitor.request({ url: `${API_BASE}${getSiteConfig.path}` })).statusCode).toBe(200);
  expect((await visitor.request({ url: getSiteConfig.path })).statusCode).toBe(404);
});
