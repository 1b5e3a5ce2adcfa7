import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
/** Names of other companies in any spelling. Addresses such as `casa-salsa` are allowed. */
const BRANDS = /JB\s?Cams|Real\s?Life\s?Cam|Jul\s?models|Casa\s?Salsa|Soda\s?stars/iu;

interface Texts {
  readonly [key: string]: string | Texts;
}
const valuesOf = (texts: Texts): string[] =>
  Object.values(texts).flatMap((item) => (typeof item === 'string' ? [item] : valuesOf(item)));

it.each(['en', 'de', 'fr', 'es', 'it', 'nl'])(
  'no text of a fresh site names other companies’ brands: %s',
  (locale) => {
    const slices = readdirSync(new URL('product/', ROOT)).map((slice) => `product/${slice}`);
    const files = [...slices, 'platform/ui'].map((folder) => `${folder}/messages/${locale}.json`)
      .filter((file) => existsSync(new URL(file, ROOT)));
    expect(files).toEqual(expect.arrayContaining([
      `platform/ui/messages/${locale}.json`,
      `product/browse/messages/${locale}.json`,
      `product/screens/messages/${locale}.json`,
    ]));
    const named = files.flatMap((file) =>
      valuesOf(JSON.parse(readFileSync(new URL(file, ROOT), 'utf8')) as Texts)
        .filter((text) => BRANDS.test(text)).map((text) => [file, text])
    );
    expect(named).toEqual([]);
  },
);
