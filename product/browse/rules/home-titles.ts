import type { BrowseRegion, Ethnicity } from '#product/performers/rules.ts';
import type { HomeSectionId } from './home.ts';
import type { Say } from './say.ts';

/** A name from `Intl`, or the code itself if `Intl` has none. */
function nameOf(type: 'language' | 'region', code: string, locale: string): string {
  try {
    return new Intl.DisplayNames(locale, { type }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** The name of a section's value, in the language of the page. */
function valueName(id: HomeSectionId, value: string, say: Say, locale: string): string {
  if (id === 'language') return nameOf('language', value, locale);
  if (id === 'country') return nameOf('region', value, locale);
  if (id === 'continent') return say(`filter.regions.${value as BrowseRegion}`);
  if (id === 'ethnicity') return say(`home.ethnicity.${value as Ethnicity}`);
  return id === 'age_range' ? value.replace('-', '–') : value.replaceAll('-', ' ');
}

/** The title of a row of the home page, e.g. “Language: German”. */
export function rowTitle(id: HomeSectionId, value: string | null, say: Say, locale: string): string {
  const section = say(`home.section.${id}`);
  return value === null
    ? section
    : say('home.titled', { section, value: valueName(id, value, say, locale) });
}
