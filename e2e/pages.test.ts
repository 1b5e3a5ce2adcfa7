import { afterAll, beforeAll, expect, it } from 'vitest';
import { lookProblems, findings } from './axe.ts';
import { bundleSizes, overBudget } from '../tools/pages/bundle-sizes.ts';
import { openStage, type Stage, type Visit } from './stage.ts';

let stage: Stage;
/** One browser profile for each person, which loads the scripts of the site once. */
const visits = new Map<string | undefined, Visit>();
beforeAll(async () => {
  stage = await openStage();
  for (const as of [undefined, 'demo_viewer', 'demo_performer', 'demo_admin']) {
    visits.set(as, await stage.visit(as === undefined ? {} : { as }));
  }
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

const BACK_OFFICE = [
  'ledger', 'payments', 'products', 'clearances', 'blocked-words', 'people', 'support', 'site', 'outbox',
  'client-errors',
];

for (const screen of SCREENS) {
  it(`${screen.name}: nothing serious for axe, dark and light, on a phone, at 320 px and wide`, async () => {
    const { page, complaints } = visits.get(screen.as) as Visit;
    const before = complaints.length;
    await page.goto(screen.path);
    await page.getByRole('main').waitFor();
    expect(await lookProblems(page)).toEqual([]);
    if (!('complains' in screen)) expect(complaints.slice(before)).toEqual([]);
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

it('speaks the language of the address', async () => {
  const { page, context } = await stage.visit();
  for (const [lang, text] of [['de', 'Jetzt live'], ['fr', 'En direct']] as const) {
    await page.goto(`/?lang=${lang}`);
    expect(await page.locator('html').getAttribute('lang')).toBe(lang);
    await page.getByRole('heading', { level: 1 }).filter({ hasText: new RegExp(text, 'iu') }).waitFor();
  }
  await context.close();
});

it('on a phone a row holds every page of the back office, as high as a finger', async () => {
  const { page, context } = await stage.visit({ as: 'demo_admin', phone: true, path: '/admin/outbox' });
  const navigation = page.getByRole('navigation', { name: 'Back office' });
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 640 });
    await page.reload();
    const last = navigation.getByRole('link', { name: 'Outbox' });
    await expect.poll(async () => {
      const box = await last.boundingBox();
      return box !== null && box.x >= 0 && box.x + box.width <= width && box.height >= 44;
    }).toBe(true);
    expect(await navigation.getByRole('listitem').count()).toBe(BACK_OFFICE.length);
    expect(await findings(page)).toEqual([]);
  }
  await context.close();
});

it('documents of the back office are refused by status, and what is not there is not found', async () => {
  const { page, context } = await stage.visit({ as: 'demo_performer' });
  const statusOf = async (path: string): Promise<number> => (await page.request.get(path)).status();
  for (const name of BACK_OFFICE) {
    const path = `/admin/${name}`;
    expect([path, await statusOf(path)]).toEqual([path, 403]);
  }
  expect([await statusOf('/admin'), await statusOf('/no/such/page')]).toEqual([403, 404]);
  await context.close();
});
