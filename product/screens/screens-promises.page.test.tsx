import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { allTexts } from './web/document/texts.server.ts';

/** Every text of every slice in a language, by `slice:key`. */
function textsIn(locale: string): ReadonlyMap<string, string> {
  const flat = (texts: object, before: string): [string, string][] =>
    Object.entries(texts)
      .flatMap(([key, text]) => (typeof text === 'object'
        ? flat(text as object, `${before}${key}.`)
        : [[`${before}${key}`, String(text)] as [string, string]])
      );
  return new Map(
    Object.entries(allTexts[locale] ?? {}).flatMap(([slice, texts]) => flat(texts as object, `${slice}:`)),
  );
}
const keysThatSay = (locale: string, words: RegExp): string[] =>
  [...textsIn(locale)].flatMap(([key, text]) => (words.test(text) ? [key] : []));

/** Sources of pages, without tests. */
function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((dirent) => {
    const path = join(folder, dirent.name);
    if (dirent.isDirectory()) return dirent.name === 'testkit' ? [] : sources(path);
    return /\.tsx?$/u.test(dirent.name) && !dirent.name.includes('.test.') ? [path] : [];
  });
}

/** Words for interactive toys in these languages. */
const TOYS = /\btoys?\b|lovense|spielzeug|juguetes?|jouets?|sextoys?|giocattol|speeltje|speelgoed/iu;

/** Words for "free", for chatting, and for an account, in these languages. */
const FREE = new RegExp(
  [
    String.raw`\bfree\b|gratis|gratuit|kostenlos|umsonst|costs? nothing|kostet nichts|cuesta nada`,
    String.raw`coûte rien|costa (?:nulla|niente)|kost niets`,
  ].join('|'),
  'iu',
);
const CHAT = /chat|discut|clavard|schreiben|écri[rt]|escribir|scriver|schrijven/iu;
const ACCOUNT = /account|konto|cuenta|compte/iu;
const LOCALES = ['de', 'en', 'es', 'fr', 'it', 'nl'];

test('the texts are those of six languages', () => {
  expect(Object.keys(allTexts).toSorted()).toEqual(LOCALES);
});

describe.each(Object.keys(allTexts))('texts in %s', (locale) => {
  it(
    'say of listings that one watches for free and chats with an account, and nowhere that chatting is free',
    () => {
      const texts = textsIn(locale);
      for (const key of ['browse:listing.home.text', 'browse:listing.gender.text']) {
        const [watching, chatting] = (texts.get(key) ?? '').split('.').filter((text) => FREE.test(text));
        expect([key, CHAT.test(watching ?? ''), ACCOUNT.test(watching ?? '')]).toEqual([key, false, false]);
        expect([key, CHAT.test(chatting ?? ''), ACCOUNT.test(chatting ?? '')]).toEqual([key, true, true]);
      }
      expect(texts.get('browse:listing.language.text')).toMatch(ACCOUNT);
      const free = [...texts].filter(([, text]) =>
        text.split(/[.!?;\n]/u).some((item) => FREE.test(item) && CHAT.test(item) && !ACCOUNT.test(item))
      );
      expect(free).toEqual([]);
    },
  );

  it('say HD only where a page counts the lines of the video', () => {
    const keys = keysThatSay(locale, /\bHD\b/u);
    expect(keys.length).toBeGreaterThan(0);
    const files = sources(join(import.meta.dirname, '..'))
      .map((path) => readFileSync(path, 'utf8'));
    for (const key of keys) {
      const [, name = ''] = /^[^:]+:(?:.*\.)?([^.]+)$/u.exec(key) ?? [];
      const [group = ''] = (/:(.*)\.[^.]+$/u.exec(key) ?? []).slice(1);
      // A file that shows the text contains its key, or its group followed by a variable.
      const shown = files.filter((file) =>
        file.includes(`${group}.${name}`) || file.includes(`${group}.\${`)
      );
      const isCounted = shown.every((file) => file.includes('isHd('));
      expect([key, shown.length > 0, isCounted]).toEqual([key, true, true]);
    }
  });

  it('name toys only in the listing and the filter of them, which are empty before there are any', () => {
    for (const key of keysThatSay(locale, TOYS)) {
      expect(key).toMatch(/^browse:(?:listing\.controlHer\.|search\.category\.controlHerRate$)/u);
    }
  });
});

describe('texts in English', () => {
  const english = textsIn('en');

  it('say in the listing of toys that they cannot be controlled yet', () => {
    expect(english.get('browse:listing.controlHer.text')).toContain('can’t be controlled here yet');
  });

  it('promise nothing for later beside what is there: no spying, no toys', () => {
    const later = keysThatSay('en', /\b(?:later|soon|not yet|coming)\b/iu);
    for (const key of later) expect(english.get(key)).not.toMatch(/spy/iu);
  });
});
