import { MINUTE_MS } from '#platform/time/units.ts';
import { getPreferences } from '#product/notices/contract/preferences.ts';
import { TestSmsProvider } from '#product/testkit/outside/sms-provider.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getPhone } from './contract/phones.ts';

const SEARCH = 'browse:notices.searchMatched';
const NUMBER = '+33612345678';
const provider = new TestSmsProvider();
let site: TestSite;
beforeAll(async () => {
  site = await createSite({ settings: { sms: { url: await provider.start(), from: 'Candela' } } });
});
afterAll(async () => {
  await site.close();
  await provider.close();
});

test('somebody confirms their number, chooses text messages, and a notice reaches their phone', async () => {
  const viewer = await site.viewer();
  const page = await openPage(site, viewer, '/account/settings', { mayPrint: /\b4\d\d\b/u });
  const contact = await page.find('region', 'Contact');
  await page.fill('Phone', '+33 6 12 34 56 78', { in: contact });
  await page.press('Save', { in: contact });
  await page.sees('•••78 isn’t confirmed yet. Confirm it to get text messages.', { in: contact });
  await page.press('Send a code', { in: contact });
  await page.sees(/^We’ve sent a code to •••78/u, { in: contact });
  await site.settle();
  const code = /^\d{6}/u.exec(provider.to(NUMBER)[0] ?? '')?.[0] ?? '';
  // A wrong code stays in its field, with an error there.
  await page.fill('Code from the text message', code === '111111' ? '222222' : '111111', { in: contact });
  await page.press('Confirm number', { in: contact });
  await page.sees(/^That’s not the code/u, { in: contact });
  const field = await page.field('Code from the text message', { in: contact });
  expect(field.getAttribute('aria-invalid')).toBe('true');
  await page.press('Send another code', { in: contact });
  await page.sees(/^You’ve just been sent a code/u, { in: contact });
  await site.passes(MINUTE_MS);
  await page.press('Send another code', { in: contact });
  await site.settle();
  await page.until(() => expect(provider.to(NUMBER)).toHaveLength(2));
  const second = /^\d{6}/u.exec(provider.to(NUMBER)[1] ?? '')?.[0] ?? '';
  await page.fill('Code from the text message', second, { in: contact });
  await page.press('Confirm number', { in: contact });
  await page.sees('Text messages go to •••78.', { in: contact });
  expect(await page.problems()).toEqual([]);

  const preferences = await openPage(site, viewer, '/notifications/settings');
  const group = await preferences.find('group', 'A saved search finds someone live');
  const box = await preferences.field('Text message', { in: group }) as HTMLInputElement;
  expect(box.checked).toBe(false);
  await preferences.press('Text message', { role: 'checkbox', in: group });
  await preferences.until(() => expect(box.checked).toBe(true));
  await site.tx((tx) =>
    site.services.notices.notify(tx, {
      // Names of kinds come from the texts, which the page-test project does not read.
      personId: viewer.id,
      kind: SEARCH as never,
      values: { name: 'luna', search: 'Jazz' },
      link: '/luna',
    })
  );
  await site.settle();
  expect(provider.to(NUMBER).at(-1)).toBe('You have a new notification.');
  expect(await preferences.problems()).toEqual([]);

  const again = await openPage(site, viewer, '/account/settings');
  const part = await again.find('region', 'Contact');
  await again.press('Remove number', { in: part });
  await again.until(async () => expect((await viewer.call(getPhone, {})).phone).toBeNull());
  await again.until(() => expect(again.all('button', 'Remove number', { in: part })).toEqual([]));
  expect((await again.field('Phone', { in: part }) as HTMLInputElement).value).toBe('');
  expect((await viewer.call(getPreferences, {})).phone).toBeNull();
});

test('where the operator has no sender, no screen offers text messages', async () => {
  const without = await createSite({ settings: { sms: null } });
  try {
    const viewer = await without.viewer();
    const page = await openPage(without, viewer, '/account/settings');
    const contact = await page.find('region', 'Contact');
    await page.fill('Phone', NUMBER, { in: contact });
    await page.press('Save', { in: contact });
    await page.sees('Settings saved');
    await page.idle();
    expect(page.all('button', 'Send a code', { in: contact })).toEqual([]);
    const featured = await page.field('Tell me about featured shows') as HTMLSelectElement;
    expect([...featured.options].map(({ value }) => value)).toEqual(['email', 'web', 'none']);
    const preferences = await openPage(without, viewer, '/notifications/settings');
    const live = await preferences.field('How we notify you') as HTMLSelectElement;
    expect([...live.options].map(({ value }) => value)).toEqual(['email', 'web', 'none']);
    expect(preferences.all('checkbox', 'Text message')).toEqual([]);
  } finally {
    await without.close();
  }
});
