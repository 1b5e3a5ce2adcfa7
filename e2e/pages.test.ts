import { afterAll, beforeAll, expect, it } from 'vitest';
import { lookProblems, findings } from './axe.ts';
import { bundleSizes, overBudget } from '../tools/pages/bundle-sizes.ts';
import { openStage, signUp, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ fresh: true });
});
afterAll(() => stage.close());

const SCREENS = [
  { name: 'home', path: '/', as: undefined },
  { name: 'girls', path: '/girls', as: undefined },
  { name: 'a room', path: '/luna_vale', as: undefined },
  { name: 'no room', path: '/nobody_here', as: undefined, complains: true },
  { name: 'log in', path: '/login', as: undefined },
  { name: 'register', path: '/register', as: undefined },
  { name: 'performer sign-up', path: '/models/signup', as: undefined },
  { name: 'not found', path: '/no/such/page', as: undefined, complains: true },
  { name: 'own settings', path: '/account/settings', as: 'demo_viewer' },
  { name: 'token history and limits', path: '/account/tokens/history', as: 'demo_viewer' },
  { name: 'statement', path: '/account/tokens/statement/2026-01', as: 'demo_viewer' },
  { name: 'own tokens', path: '/account/tokens', as: 'demo_viewer' },
  { name: 'a new card', path: '/account/card', as: 'demo_viewer' },
  { name: 'card check', path: '/account/verify?type=rocketgate', as: 'demo_viewer' },
  { name: 'join offer', path: '/join', as: undefined, complains: true },
  { name: 'payments page', path: '/admin/payments', as: 'demo_admin' },
  { name: 'products page', path: '/admin/products', as: 'demo_admin' },
  { name: 'blocked words', path: '/admin/blocked-words', as: 'demo_admin' },
  { name: 'go live', path: '/go-live', as: 'demo_performer' },
  { name: 'recordings', path: '/account/recordings', as: 'demo_performer' },
  { name: 'streamer settings', path: '/account/streaming', as: 'demo_performer' },
  { name: 'clearances', path: '/admin/clearances', as: 'demo_admin' },
  { name: 'ledger', path: '/admin/ledger', as: 'demo_admin' },
  { name: 'outbox', path: '/admin/outbox', as: 'demo_admin' },
] as const;

for (const screen of SCREENS) {
  it(`${screen.name}: nothing serious for axe, dark and light, on a phone, at 320 px and wide`, async () => {
    const visit = await stage.visit({ path: screen.path, ...(screen.as ? { as: screen.as } : {}) });
    const { page } = visit;
    await page.getByRole('main').waitFor();
    expect(await lookProblems(page)).toEqual([]);
    if (!('complains' in screen)) expect(visit.complaints).toEqual([]);
    await visit.context.close();
  });
}

it('keeps the JavaScript of every route within its budget', () => {
  const sizes = bundleSizes();
  expect(sizes.routes.length).toBeGreaterThan(0);
  expect(overBudget(sizes)).toEqual([]);
});

it('shows no performer before the entry gate, and the page asked for after it [A-306]', async () => {
  const gated = await stage.visit({ gated: true, path: '/luna_vale' });
  const html = await gated.page.content();
  expect(html).not.toMatch(/Luna Vale|portraits\//u);
  expect(await findings(gated.page)).toEqual([]);
  await gated.page.getByRole('button', { name: 'I am 18 or older' }).click();
  await gated.page.getByText('Luna Vale').first().waitFor();
  await gated.context.close();
});

it('a stranger signs up, is in, logs out, and the page reloads [A-030] [A-343]', async () => {
  const { page, context } = await stage.visit({ path: '/register' });
  const form = page.getByRole('main');
  await signUp(form, 'new_in_town');
  // A menu closes when its page changes: open it on the page that follows the sign-up.
  await page.getByRole('heading', { name: 'Live now' }).waitFor();
  const menu = page.getByRole('button', { name: /’s account$/u });
  await menu.click();
  const reloaded = page.waitForEvent('load');
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await reloaded;
  await page.getByRole('banner').getByRole('link', { name: 'Log in' }).waitFor();
  await context.close();
});

it('log-in has its page, and its texts say what is wrong at the form [A-031]', async () => {
  const { page, context } = await stage.visit({ path: '/login' });
  const form = page.getByRole('main');
  await form.getByLabel('Username or email').fill('demo_viewer');
  await form.getByLabel('Password', { exact: true }).fill('not-the-password');
  await form.getByRole('button', { name: 'Log in', exact: true }).click();
  await form.getByRole('alert').filter({ hasText: /./u }).waitFor();
  expect(await form.getByLabel('Username or email').inputValue()).toBe('demo_viewer');
  await context.close();
});

it('on a phone chat, tip and about are one press away [B-104] [B-109]', async () => {
  const { page, context } = await stage.visit({ as: 'demo_viewer', phone: true, path: '/luna_vale' });
  await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Actions', exact: true }).tap();
  await page.getByRole('form', { name: 'Tip Luna Vale' }).waitFor();
  await page.getByRole('button', { name: 'About', exact: true }).tap();
  await page.getByRole('heading', { name: 'About Luna Vale' }).waitFor();
  await context.close();
});

it('a log-out in one tab ends the others [A-385]', async () => {
  const { page, context } = await stage.visit({ as: 'demo_viewer' });
  const other = await context.newPage();
  await other.goto('/');
  await other.getByRole('button', { name: /’s account$/u }).waitFor();
  await page.getByRole('button', { name: /’s account$/u }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await other.getByRole('banner').getByRole('link', { name: 'Log in' }).waitFor();
  await context.close();
});

it('speaks six languages [A-002]', async () => {
  const { page, context } = await stage.visit();
  for (const [lang, text] of [['de', 'Jetzt live'], ['fr', 'En direct']] as const) {
    await page.goto(`/?lang=${lang}`);
    expect(await page.locator('html').getAttribute('lang')).toBe(lang);
    await page.getByRole('heading', { level: 1 }).filter({ hasText: new RegExp(text, 'iu') }).waitFor();
  }
  await context.close();
});
