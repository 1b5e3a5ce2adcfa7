import { getCurrentUser, register } from '#product/accounts/contract.ts';
import { updateSettings } from '#product/accounts/contract/settings.ts';
import { DEFAULT_COLOURS } from '#product/site/rules.ts';
import { servesDocuments } from '#product/testkit/pages/documents.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** A site that is always dark. */
const NIGHT = 'night.example';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  await site.services.site.addSite(site.scope.operatorId, {
    displayName: 'Night',
    sitecode: 'night',
    hosts: [NIGHT],
    isWhitelabel: true,
    look: { colours: DEFAULT_COLOURS, force_dark_mode: true },
  });
  await servesDocuments(site);
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;
/** The look that a document is rendered with. */
async function renderedFor(visitor: Visitor): Promise<string | undefined> {
  const { body } = await visitor.request({ method: 'GET', url: '/' });
  return /<html[^>]* data-theme="([a-z]+)"/u.exec(body)?.[1];
}
const shown = (): string => document.documentElement.dataset['theme'] ?? 'dark';
const isDarkFor = async (who: Visitor) => (await who.call(getCurrentUser, {})).settings.dark_mode_enabled;
const chosen = async (page: Page): Promise<string> =>
  ((await page.field('Appearance')) as HTMLSelectElement).value;

describe('a document', () => {
  test(
    'of a member has the saved look, whatever their browser had; of a guest what was chosen [A-191]',
    async () => {
      const member = await site.viewer();
      const browsers = await Promise.all(['dark', 'light', ''].map(async (stale) => {
        const browser = await site.anotherTabOf(member);
        if (stale) browser.setCookie('theme', stale);
        return browser;
      }));
      for (const isDark of [false, true]) {
        await member.call(updateSettings, { dark_mode_enabled: isDark });
        const saved = isDark ? 'dark' : 'light';
        expect(await Promise.all(browsers.map(renderedFor))).toEqual([saved, saved, saved]);
      }
      const guest = await site.visitor({ ofAge: true });
      expect(await renderedFor(guest)).toBe('dark');
      guest.setCookie('theme', 'light');
      expect(await renderedFor(guest)).toBe('light');
    },
  );

  test('is dark on a site that is dark alone', async () => {
    const member = await site.viewer({ host: NIGHT });
    await member.call(updateSettings, { dark_mode_enabled: false });
    member.setCookie('theme', 'light');
    expect(await renderedFor(member)).toBe('dark');
    const page = await openPage(site, member, '/account/settings', { host: NIGHT });
    // The choice for other sites is shown here, and changes nothing on this one.
    expect(await chosen(page)).toBe('light');
    await page.choose('Appearance', 'Dark');
    await page.until(() => isDarkFor(member));
    await page.choose('Appearance', 'Light');
    await page.until(async () => !(await isDarkFor(member)));
    expect([shown(), page.all('button', /theme/u)]).toEqual(['dark', []]);
  });
});

describe('the look of a member', () => {
  test(
    'is chosen in the settings, and by the switches of header and footer; each is saved [A-191]',
    async () => {
      const member = await site.viewer();
      const page = await openPage(site, member, '/account/settings');
      const becomes = async (look: 'dark' | 'light'): Promise<void> => {
        await page.until(async () => expect(await isDarkFor(member)).toBe(look === 'dark'));
        await page.until(async () =>
          expect([shown(), await chosen(page)])
            .toEqual([look, look])
        );
      };
      await becomes('dark');
      await page.choose('Appearance', 'Light');
      await becomes('light');
      await page.choose('Appearance', 'Dark');
      await becomes('dark');
      for (const part of ['banner', 'contentinfo']) {
        for (const look of ['light', 'dark'] as const) {
          await page.press(`Switch to ${look} theme`, { in: await page.find(part) });
          await becomes(look);
        }
      }
      // A choice that could not be saved is not shown either.
      page.network.goesDown(true);
      await page.choose('Appearance', 'Light');
      await page.until(() => shown() === 'dark');
      page.network.goesDown(false);
      expect([await isDarkFor(member), await chosen(page)]).toEqual([true, 'dark']);
    },
  );

  test('is shown by a browser that had another one, where they log in and when they come back', async () => {
    const member = await site.viewer();
    for (const [isDark, stale] of [[false, 'dark'], [true, 'light']] as const) {
      await member.call(updateSettings, { dark_mode_enabled: isDark });
      const browser = await site.visitor({ ofAge: true });
      const page = await openPage(site, browser, '/login?next=/account/settings');
      const foot = await page.find('contentinfo');
      if (stale === 'light') await page.press('Switch to light theme', { in: foot });
      expect(shown()).toBe(stale);
      const form = await page.find('main');
      await page.fill('Username or email', member.username, { in: form });
      await page.fill('Password', 'correct horse battery', { in: form });
      await page.press('Log in', { in: form });
      const saved = isDark ? 'dark' : 'light';
      expect(await chosen(page)).toBe(saved);
      await page.until(() => shown() === saved);
      expect(browser.cookie('theme')).toBe(saved);
      browser.setCookie('theme', stale);
      const later = await openPage(site, browser, '/account/settings');
      expect(await chosen(later)).toBe(saved);
      await later.until(() => expect([shown(), browser.cookie('theme')]).toEqual([saved, saved]));
    }
  });

  test('is what their browser showed when they signed up', async () => {
    for (const [stale, isDark] of [['light', false], ['dark', true]] as const) {
      const browser = await site.visitor({ ofAge: true });
      browser.setCookie('theme', stale);
      const username = `signs_up_${stale}`;
      await browser.call(register, {
        username,
        email: `${username}@people.example`,
        password: 'correct horse battery',
        birth_date: '1990-05-05',
        type: 'user',
        accept_terms: true,
      });
      expect(await isDarkFor(browser)).toBe(isDark);
    }
  });
});
