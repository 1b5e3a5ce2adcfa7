import { isLocale, type Locale } from '#product/site/rules.ts';

/** Pages whose `lang` is the languages performers speak, as the specification names it (3 §3). */
const SEARCHES: readonly string[] = ['/search', '/multi-filter'];

/** Whether a page's address can choose its language. */
export const namesLanguage = (pathname: string): boolean => !SEARCHES.includes(pathname);

/** The language that a link to the page should ask for, `?lang=de`; null leaves it to the reader. */
export function linkLanguage(
  { pathname, searchParams }: Pick<URL, 'pathname' | 'searchParams'>,
): Locale | null {
  const lang = searchParams.get('lang') ?? '';
  return namesLanguage(pathname) && isLocale(lang) ? lang : null;
}
