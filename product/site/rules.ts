/** The six languages; English is complete and the fallback. */
export const LOCALES = ['en', 'de', 'es', 'fr', 'it', 'nl'] as const;
export type Locale = (typeof LOCALES)[number];
export const DEFAULT_LOCALE: Locale = 'en';

export const LOCALE_NAMES: Readonly<Record<Locale, string>> = {
  en: 'English', de: 'Deutsch', es: 'Español', fr: 'Français', it: 'Italiano', nl: 'Nederlands',
};

/** Longest Accept-Language header read; longer ones are cut (RFC 9110 §12.5.4 sets no limit). */
const MAX_ACCEPT_LANGUAGE_LENGTH = 256;

export const isLocale = (value: string): value is Locale => (LOCALES as readonly string[]).includes(value);

/** The person's choice, else the best match of Accept-Language (RFC 9110 §12.5.4), else English. */
export function chooseLocale(chosen: string | null, acceptLanguage: string | null): Locale {
  if (chosen && isLocale(chosen)) return chosen;
  const ranked = (acceptLanguage ?? '')
    .slice(0, MAX_ACCEPT_LANGUAGE_LENGTH)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';');
      const quality = parameters.map((p) => /^\s*q=([\d.]+)$/.exec(p)?.[1]).find((q) => q !== undefined);
      return { language: tag.toLowerCase().split('-')[0] ?? '', quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter((entry) => entry.quality > 0)
    .sort((a, b) => b.quality - a.quality);
  return ranked.map((entry) => entry.language).find(isLocale) ?? DEFAULT_LOCALE;
}

/** The spec's default colours, each with a dark variant (look.md). */
export const DEFAULT_COLOURS = {
  pink: '#F841B5', pink_dark: '#C4127F', blue: '#05B0FA', blue_dark: '#0573B5',
} as const;
