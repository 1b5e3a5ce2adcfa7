import { createInstance, type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';

/** Texts of one namespace (a slice, or `ui`), nested by key. */
export type Texts = Readonly<Record<string, unknown>>;

/** Fetches the texts of a namespace in a locale. */
export type TextSource = (namespace: string, locale: string) => Promise<Texts>;

/** One language's texts, ready to render with: synchronous, without fallbacks (all six files have the same keys). */
export function createLanguage(locale: string, texts: Readonly<Record<string, Texts>>): i18n {
  const language = createInstance();
  void language.use(initReactI18next).init({
    lng: locale,
    fallbackLng: false,
    ns: Object.keys(texts),
    resources: { [locale]: { ...texts } } as never,
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
    initAsync: false,
    showSupportNotice: false,
  } as Parameters<typeof language.init>[0]);
  return language;
}

/** Makes sure the namespaces are there in the current language; routes ask before they show. */
export async function ensureTexts(language: i18n, source: TextSource, namespaces: readonly string[]): Promise<void> {
  const missing = namespaces.filter((namespace) => !language.hasResourceBundle(language.language, namespace));
  await loadTexts(language, source, language.language, missing);
}

/** Switches the language in place: fetches what is shown in it first, so that nothing flickers. */
export async function switchLanguage(language: i18n, source: TextSource, locale: string): Promise<void> {
  const shown = Object.keys(language.getDataByLanguage(language.language) ?? {});
  await loadTexts(language, source, locale, shown);
  await language.changeLanguage(locale);
}

async function loadTexts(
  language: i18n, source: TextSource, locale: string, namespaces: readonly string[],
): Promise<void> {
  await Promise.all(namespaces.map(async (namespace) => {
    language.addResourceBundle(locale, namespace, await source(namespace, locale));
  }));
}
