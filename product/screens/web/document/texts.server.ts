import type { Texts } from '#platform/ui/text/language.ts';
import { inScript } from './page-state.ts';

/** Every text of every slice in every language, on the server only. */
const files: Readonly<Record<string, Texts>> = {
  ...import.meta.glob<Texts>('/product/*/messages/*.json', { eager: true, import: 'default' }),
  ...import.meta.glob<Texts>('/platform/ui/messages/*.json', { eager: true, import: 'default' }),
};

/** Texts by locale, then namespace. Refusals arrive from the server in words: pages carry none. */
export const allTexts: Readonly<Record<string, Readonly<Record<string, Texts>>>> = (() => {
  const byLocale: Record<string, Record<string, Texts>> = {};
  for (const [path, texts] of Object.entries(files)) {
    const [, namespace, locale] = /([\w-]+)\/messages\/(\w+)\.json$/u.exec(path) ?? [];
    if (!namespace || !locale) continue;
    const { refusals: _left, ...shown } = texts;
    (byLocale[locale] ??= {})[namespace] = shown;
  }
  return byLocale;
})();

/** Texts as documents carry them in their state: half of the state, and the same in each document. */
export class WrittenTexts {
  readonly #known = new WeakMap<Texts, string>();

  readonly of = (texts: Texts): string => {
    const known = this.#known.get(texts) ?? inScript(texts);
    this.#known.set(texts, known);
    return known;
  };
}
