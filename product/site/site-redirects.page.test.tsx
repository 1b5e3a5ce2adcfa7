import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeOperatorRules } from './contract/operator-rules.ts';
import { listRedirectKeys, makeRedirectKey } from './contract/redirects.ts';

let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
  await admin.call(changeOperatorRules, { redirect_hosts: ['partner.example'], reason: 'a new partner' });
});
afterAll(() => site.close());

/** Makes a key; the path of the page that follows it. */
async function makes(target: string, uses: number | null = null): Promise<string> {
  const { url } = await admin.call(makeRedirectKey, { target, note: '', days: 30, max_uses: uses });
  return new URL(url).pathname;
}

test('a key is loading first, and then verified or not [C-071] [C-133]', async () => {
  const [own, other] = [await makes('/terms', 1), await makes('https://partner.example/offer')];
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/support');
  const release = page.network.holds(/\/redir\/.*\/verify/u);
  page.follows(own);
  await page.find('status', 'Checking your link');
  release();
  // Verified: a page of this site opens in place of the link.
  await page.find('heading', 'Terms of use', { level: 1 });
  expect(page.path).toBe('/terms');

  // Not verified: its one use is gone.
  const late = await openPage(site, await site.visitor({ ofAge: true }), own);
  await late.find('heading', 'This link doesn’t work', { level: 1 });
  expect(await late.problems()).toEqual([]);
  await late.press('Contact support', { role: 'link', in: await late.find('main') });
  await late.find('heading', 'Support', { level: 1 });

  // Verified: another site is named, and nothing goes there by itself.
  const away = await openPage(site, await site.visitor({ ofAge: true }), other, { width: 390 });
  await away.find('heading', 'You’re leaving this site', { level: 1 });
  await away.sees('https://partner.example/offer');
  expect(away.left).toEqual([]);
  expect(await away.problems()).toEqual([]);
  const way = await away.find('link', 'Continue to partner.example');
  expect([way.getAttribute('href'), way.getAttribute('rel')])
    .toEqual(['https://partner.example/offer', 'noreferrer']);
});

test('following a link uses it once, and a lost network can be tried again', async () => {
  const path = await makes('https://partner.example/', 2);
  const uses = async (): Promise<number | undefined> =>
    (await admin.call(listRedirectKeys, {})).keys[0]?.uses;
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/support', {
    mayPrint: /Failed to fetch/u,
  });
  const mends = page.network.fails(/\/redir\/.*\/verify/u);
  page.follows(path);
  await page.find('button', 'Try again');
  expect(await uses()).toBe(0);
  mends();
  await page.press('Try again');
  await page.find('link', 'Continue to partner.example');
  await page.idle();
  expect(await uses()).toBe(1);
});

test('an admin makes a key, sees its address once, and withdraws it', async () => {
  const page = await openPage(site, admin, '/');
  await page.press(/’s account$/u, { in: await page.find('banner') });
  await page.press('Back office', { role: 'menuitem' });
  await page.press('Redirects', { role: 'link', in: await page.find('navigation', 'Back office') });
  await page.fill('Leads to', 'https://evil.example/');
  await page.press('Make redirect');
  await page.sees(/^Enter a path of this site/u);
  await page.fill('Leads to', '/legal');
  await page.fill('Note', 'ربيع');
  await page.fill('Most uses', '5');
  await page.press('Make redirect');
  await page.sees('Copy the address now: it isn’t shown again.');
  const address = (await page.sees(/\/redir\/[\w-]{43}$/u)).textContent ?? '';
  expect(await page.loose('ربيع')).toEqual([]);
  expect(await page.problems()).toEqual([]);
  await page.goto('/admin/redirects');
  await page.sees('0 of 5');
  expect(page.shows(address)).toBe(false);
  const guest = await openPage(site, await site.visitor({ ofAge: true }), new URL(address).pathname);
  await guest.find('heading', 'Legal', { level: 1 });
  const back = await openPage(site, admin, '/admin/redirects');
  await back.sees('1 of 5');
  const [{ id = 0 } = {}] = (await admin.call(listRedirectKeys, {})).keys;
  await back.press(`Withdraw redirect ${id}`);
  const dialog = await back.find('dialog', 'Withdraw this redirect?');
  await back.fill('Reason', 'sent by mistake', { in: dialog });
  await back.press('Withdraw', { in: dialog });
  await back.sees('Withdrawn');
  const later = await openPage(site, await site.visitor({ ofAge: true }), new URL(address).pathname);
  await later.find('heading', 'This link doesn’t work', { level: 1 });
});
