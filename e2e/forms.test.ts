import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** Bodies of the requests that a page sends for a call. */
function sent(page: Page, path: string): string[] {
  const found: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith(path)) found.push(request.postData() ?? '');
  });
  return found;
}

it('a wrong field says so in the language of the page and has the focus; nothing is sent', async () => {
  const visit = await stage.visit({ path: '/register?lang=de' });
  const { page, context } = visit;
  const calls = sent(page, '/auth/register');
  const form = page.getByRole('main');
  const username = form.getByLabel('Benutzername', { exact: true });
  await form.getByRole('button', { name: 'Registrieren', exact: true }).click();
  await form.getByRole('alert').filter({ hasText: 'Fülle dieses Feld aus.' }).first().waitFor();
  expect(await username.evaluate((field) => document.activeElement === field)).toBe(true);
  expect(await username.getAttribute('aria-invalid')).toBe('true');
  const note = page.locator(`[id="${await username.getAttribute('aria-describedby')}"]`);
  expect(await note.textContent()).toBe('Fülle dieses Feld aus.');
  // A corrected field is unmarked as soon as it is valid; the others stay marked.
  await username.fill('anna');
  await expect.poll(() => username.getAttribute('aria-invalid')).toBeNull();
  const email = form.getByLabel('E-Mail', { exact: true });
  await email.fill('anna');
  const noted = form.getByRole('alert').filter({ hasText: 'Gib eine E-Mail-Adresse wie' });
  await noted.waitFor();
  await email.fill('anna@example.com');
  await noted.waitFor({ state: 'detached' });
  // A valid address to the browser's markup, but not to the contract.
  await email.fill('anna@example');
  await form.getByRole('button', { name: 'Registrieren', exact: true }).click();
  await noted.waitFor();
  expect(calls).toEqual([]);
  // No generated code runs: the content policy forbids it.
  expect(visit.complaints).toEqual([]);
  await context.close();
});

it('what is typed or filled in before React takes over is sent, once, and stays when refused', async () => {
  const { page, context } = await stage.visit({ path: '/' });
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/assets\/.*\.js$/u, async (route) => {
    await released;
    await route.continue();
  });
  await page.goto('/login', { waitUntil: 'commit' });
  const form = page.getByRole('main');
  const login = form.getByLabel('Username or email');
  await login.fill('demo_viewer');
  // Filled in as a password manager does it, without an event.
  await form.getByLabel('Password', { exact: true }).evaluate((field: HTMLInputElement) => {
    field.value = 'not-the-password';
  });
  const calls = sent(page, '/auth/login');
  const submit = form.getByRole('button', { name: 'Log in', exact: true });
  release();
  await submit.and(page.locator(':not([data-late])')).waitFor();
  await submit.dblclick();
  await form.getByRole('alert').filter({ hasText: /./u }).waitFor();
  expect(calls.map((body) => JSON.parse(body) as unknown)).toEqual([
    { login: 'demo_viewer', password: 'not-the-password' },
  ]);
  expect(await login.inputValue()).toBe('demo_viewer');
  await context.close();
});

it('offline nothing is lost, and the same form goes through afterwards', async () => {
  const { page, context, complaints } = await stage.visit({ path: '/' });
  // The connection may end before the page has loaded the parts it fetches unasked.
  await page.route(/\/assets\/(?:name-cards|loading-bar)-/u, (route) => route.abort());
  await page.goto('/login');
  await expect.poll(() => complaints.join('\n')).toContain('Loading chunk name-cards failed');
  const form = page.getByRole('main');
  await form.getByLabel('Username or email').fill('demo_viewer');
  const password = form.getByLabel('Password', { exact: true });
  await password.fill('not-the-password');
  await context.setOffline(true);
  const submit = form.getByRole('button', { name: 'Log in', exact: true });
  await submit.click();
  await form.getByText('We can’t reach the site.').waitFor();
  expect(await password.inputValue()).toBe('not-the-password');
  await context.setOffline(false);
  await submit.click();
  await form.getByText('We can’t reach the site.').waitFor({ state: 'detached' });
  await form.getByRole('alert').filter({ hasText: /./u }).waitFor();
  await context.close();
});
