import { loadPart } from '#platform/ui/faults/part.ts';
import type { Texts, TextSource } from '#platform/ui/text/language.ts';

/** One small file per slice and language, fetched when a page first needs it. */
const files: Readonly<Record<string, () => Promise<Texts>>> = {
  ...import.meta.glob<Texts>('/product/*/messages/*.json', { import: 'default' }),
  ...import.meta.glob<Texts>('/platform/ui/messages/*.json', { import: 'default' }),
};

/** Fetches the texts of a slice; a slice without texts has no file. */
export const fetchTexts: TextSource = async (namespace, locale) => {
  const end = `/${namespace}/messages/${locale}.json`;
  const path = Object.keys(files).find((file) => file.endsWith(end));
  const load = path === undefined ? undefined : files[path];
  return load ? loadPart(`texts${end}`, load) : {};
};
