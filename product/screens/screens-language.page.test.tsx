import { getCurrentUser } from '#product/accounts/contract.ts';
import { getSiteConfig } from '#product/site/contract.ts';
import { servesDocuments } from '#product/testkit/pages/documents.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  await servesDocuments(site);
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

test(
  'English, German, Spanish, French, Italian and Dutch are the choices, English the default [A-028]',
  async () => {
    const stranger = await site.visitor({ ofAge: true });
    // Readers of unsupported languages get English as well.
    for (const headers of [{}, { 'accept-language': 'pt-BR, sv;q=0.9, pl;q=0.8' }]) {
      const { body } = await stranger.request({ method: 'GET', url: '/girls', headers });
      expect(body).toMatch(/<html[^>]* lang="en"/u);
    }
    const page = await openPage(site, await site.visitor({ ofAge: true }), '/girls');
    for (const part of ['banner', 'contentinfo']) {
      const button = await page.find('button', /^Language: /u, { in: await page.find(part) });
      expect(button.getAttribute('aria-label') ?? button.textContent).toMatch(/English|EN/u);
      await page.click(button);
      const menu = await page.find('menu', /^Language: /u);
      const choices = page.all('menuitemradio', undefined, { in: menu });
      expect(choices.map((element) => [element.textContent, element.getAttribute('aria-checked')])).toEqual([
        ['English', 'true'],
        ['Deutsch', 'false'],
        ['Español', 'false'],
        ['Français', 'false'],
        ['Italiano', 'false'],
        ['Nederlands', 'false'],
      ]);
      await page.keys('{Escape}');
    }
    const settings = await openPage(site, await site.viewer(), '/account/settings');
    const choice = await settings.field('Language') as HTMLSelectElement;
    expect([...choice.options].map(({ text }) => text))
      .toEqual(['English', 'Deutsch', 'Español', 'Français', 'Italiano', 'Nederlands']);
  },
);

test(
  'a visitor who chose nothing reads English; a choice switches the interface, for good [A-029]',
  async () => {
    const guest = await site.visitor({ ofAge: true });
    expect((await guest.call(getSiteConfig, {})).locale).toBe('en');
    const drawn = async (): Promise<string | undefined> =>
      /<html[^>]* lang="([a-z]+)"/u.exec((await guest.request({ url: '/legal' })).body)?.[1];
    expect(await drawn()).toBe('en');
    // The browser's language counts as a choice.
    const german = await site.visitor({ ofAge: true, language: 'de-AT,de;q=0.9,en;q=0.8' });
    expect((await german.call(getSiteConfig, {})).locale).toBe('de');
    // English stays where the site has none of the browser's languages.
    const other = await site.visitor({ ofAge: true, language: 'pt-BR, sv;q=0.9' });
    expect((await other.call(getSiteConfig, {})).locale).toBe('en');
    expect((await other.request({ url: '/legal' })).body).toMatch(/<html[^>]* lang="en"/u);
    guest.setCookie('locale', 'nl');
    expect(await drawn()).toBe('nl');
    guest.setCookie('locale', 'xx');
    expect(await drawn()).toBe('en');
    const page = await openPage(site, guest, '/legal');
    await page.find('heading', 'Legal', { level: 1 });
    let name: string | RegExp = /^Language: /u;
    for (const [language, code, heading, button] of [
      ['Deutsch', 'de', 'Rechtliches', /^Sprache/u],
      ['Español', 'es', 'Información legal', /^Idioma/u],
      ['Français', 'fr', 'Mentions légales', /^Langue/u],
      ['Italiano', 'it', 'Note legali', /^Lingua/u],
      ['Nederlands', 'nl', 'Juridisch', /^Taal/u],
      ['English', 'en', 'Legal', /^Language/u],
    ] as const) {
      await page.press(name, { in: await page.find('contentinfo') });
      await page.press(language, { role: 'menuitemradio' });
      await page.find('heading', heading, { level: 1 });
      name = button;
      await page.find('button', name, { in: await page.find('contentinfo') });
      expect(document.documentElement.lang).toBe(code);
      expect(guest.cookie('locale')).toBe(code);
      expect((await guest.call(getSiteConfig, {})).locale).toBe(code);
    }
    // Also chosen in the header, and in the settings of a member, whose other browsers follow.
    await page.press(/^Language/u, { in: await page.find('banner') });
    await page.press('Deutsch', { role: 'menuitemradio' });
    await page.find('heading', 'Rechtliches', { level: 1 });
    const member = await site.viewer();
    const settings = await openPage(site, member, '/account/settings');
    await settings.choose('Language', 'Français');
    await settings.find('heading', 'Paramètres', { level: 1 });
    await settings.until(async () =>
      expect((await (await site.anotherTabOf(member)).call(getCurrentUser, {})).settings.locale).toBe('fr')
    );
  },
);
