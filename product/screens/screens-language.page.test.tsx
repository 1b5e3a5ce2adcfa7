import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPage } from '../testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '../testkit/site.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  await site.performer({ live: true });
});
afterAll(() => site.close());

test('what a page reads is in the language of its link, whatever its reader chose before', async () => {
  const guest = await site.visitor({ ofAge: true });
  guest.setCookie('locale', 'en');
  const page = await openPage(site, guest, '/girls?lang=de', { locale: 'de' });
  await page.find('heading', 'Frauen jetzt live', { level: 1 });
  await page.press('Männer', { role: 'link', in: await page.find('banner') });
  await page.find('heading', 'Männer jetzt live', { level: 1 });
  expect(page.shows(/live now/u)).toBe(false);
});
