import { changeSeller } from '#product/site/contract/seller.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getImprint, reviewDocument } from './contract.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  const admin = await site.admin();
  await admin.call(changeSeller, {
    name: 'Lantern Media B.V.',
    address: 'Quay 7\n1011 AB Amsterdam',
    reason: 'for documents',
  });
});
afterAll(() => site.close());

/** The headings of each document, in order, and the text of its first and last section. */
const TEXTS = {
  'Terms of use': {
    headings: [
      'Who we are',
      'Adults only',
      'Your account',
      'Tokens and payments',
      'How we treat each other',
      'Performers',
      'No recording',
      'Ending the agreement',
      'Liability',
      'Changes',
    ],
    first: 'Lantern Media B.V. runs Candela. By using the site you agree to these terms. '
      + 'If you don’t agree, please leave it.',
    last: /^We announce changes to these terms on this page and by email before they apply\./u,
  },
  'Privacy policy': {
    headings: [
      'Who is responsible',
      'What we store',
      'Why we store it',
      'What others see',
      'Payments',
      'Cookies',
      'How long we store it',
      'Who receives it',
      'Your rights',
    ],
    first: 'Lantern Media B.V. is responsible for personal data on Candela. Write to us through support.',
    last: /^You can see, correct, download, and erase your data in settings, object to its use,/u,
  },
} as const;

/** Reads a document from the sign-up form, whose fields keep their values. */
async function reads(title: keyof typeof TEXTS): Promise<void> {
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/');
  await page.press('Sign up', { role: 'link', in: await page.find('banner') });
  const form = await page.find('main');
  await page.fill('Username', 'reads_first', { in: form });
  await page.press(title, { role: 'link', in: form });
  const dialog = await page.find('dialog', title);
  const { headings, first, last } = TEXTS[title];
  await page.until(() =>
    expect(
      page.all('heading', undefined, { in: dialog, level: 3 })
        .map(({ textContent }) => textContent),
    ).toEqual(headings)
  );
  // Each heading is followed by its text.
  expect(
    [...dialog.querySelectorAll('h3')].map(({ nextElementSibling: text }) =>
      text?.tagName === 'P' && (text.textContent ?? '').length > 60
    ),
  ).toEqual(headings.map(() => true));
  await page.sees(first, { in: dialog });
  await page.sees(last, { in: dialog });
  await page.sees(/^Template: have a lawyer review/u, { in: dialog });
  expect(await page.problems()).toEqual([]);
  await page.keys('{Escape}');
  await page.gone('dialog');
  expect(await page.field('Username')).toHaveProperty('value', 'reads_first');
}

test('the foot of every page leads to who runs the site, and to its documents [A-140]', async () => {
  const page = await openPage(site, await site.visitor(), '/');
  await page.press('Legal', { role: 'link', in: await page.find('contentinfo') });
  await page.find('heading', 'Legal', { level: 1 });
  const main = await page.find('main');
  expect(page.path).toBe('/legal');
  await page.sees(/Lantern Media B\.V\.\s+Quay 7\s+1011 AB Amsterdam/u, { in: main });
  expect(await page.problems()).toEqual([]);
  await page.press('Terms of use', { role: 'link', in: main });
  await page.find('heading', 'Terms of use', { level: 1 });
  await page.sees(
    'Lantern Media B.V. runs Candela. By using the site you agree to these terms. '
      + 'If you don’t agree, please leave it.',
  );
  expect(page.path).toBe('/terms');
});

test('the terms open over the sign-up form, and what was typed stays [A-077]', () => reads('Terms of use'));

test('the privacy policy opens over the sign-up form, and what was typed stays [A-076]', () =>
  reads('Privacy policy'));

test('only admins say that a document was reviewed; readers then see since when it is in force', async () => {
  for (const visitor of [await site.visitor({ ofAge: true }), await site.viewer(), await site.performer()]) {
    const { statusCode } = await visitor.request({
      method: 'POST',
      url: '/api/v1/legal/review',
      payload: { document: 'privacy', is_reviewed: true },
    });
    expect(statusCode).toBeOneOf([401, 403]);
  }
  const admin = await site.admin();
  const page = await openPage(site, admin, '/admin/site');
  await page.click(await page.field('Privacy policy: reviewed'));
  const guest = await openPage(site, await site.visitor({ ofAge: true }), '/privacy');
  await guest.sees(/^In force since .*\.$/u);
  expect(guest.shows(/^Template/u)).toBe(false);
  const imprint = await admin.call(getImprint, {});
  expect(imprint).toEqual({
    site: 'Candela',
    company: 'Lantern Media B.V.',
    address: 'Quay 7\n1011 AB Amsterdam',
    reviewed: { terms: null, privacy: site.clock.now().toISOString() },
  });
  await admin.call(reviewDocument, { document: 'privacy', is_reviewed: false });
  const later = await openPage(site, await site.visitor({ ofAge: true }), '/privacy');
  await later.sees(/^Template: have a lawyer review/u);
});
