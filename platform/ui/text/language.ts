import type { KeyOf, Namespace, QualifiedKey, TextValues } from '#platform/text/message-keys.ts';
import { isolated } from '#platform/text/shown/isolation.ts';

/** Texts of one namespace (a slice, or `ui`), nested by key. */
export type Texts = Readonly<Record<string, unknown>>;

/** Fetches the texts of a namespace in a locale. */
export type TextSource = (namespace: string, locale: string) => Promise<Texts>;

/** `key`, or `namespace:key` for another namespace; a key without a text does not compile. */
export type Translate<Of extends Namespace> = (key: KeyOf<Of> | QualifiedKey, values?: TextValues) => string;

/**
 * The texts a page shows, in one language at a time. The files and their syntax are i18next's (nested keys,
 * `{{value}}`, plural forms `key_one`, `key_other` by the categories of CLDR); a key without a text is shown
 * as it is.
 */
export class Language {
  #locale: string;
  #plurals: Intl.PluralRules;
  readonly #texts = new Map<string, Texts>();
  readonly #listeners = new Set<() => void>();

  /** @param texts by namespace, in `locale` */
  constructor(locale: string, texts: Readonly<Record<string, Texts>>) {
    this.#locale = locale;
    this.#plurals = new Intl.PluralRules(locale);
    for (const [namespace, bundle] of Object.entries(texts)) {
      this.#texts.set(`${locale} ${namespace}`, bundle);
    }
  }

  /** The current locale, as a BCP 47 tag. */
  get language(): string {
    return this.#locale;
  }

  /** Texts of a namespace in the current language; undefined until they are loaded. */
  textsOf(namespace: string): Texts | undefined {
    return this.#texts.get(`${this.#locale} ${namespace}`);
  }

  /** Fetches the missing ones of these namespaces in the current language. */
  async ensure(namespaces: readonly string[], source: TextSource): Promise<void> {
    await this.#load(this.#locale, namespaces, source);
  }

  /** Changes the language. All loaded namespaces are fetched in it first, so that nothing flickers. */
  async change(locale: string, source: TextSource): Promise<void> {
    const known = [...this.#texts.keys()].map((key) => key.slice(key.indexOf(' ') + 1));
    await this.#load(locale, [...new Set(known)], source);
    this.#locale = locale;
    this.#plurals = new Intl.PluralRules(locale);
    for (const notify of this.#listeners) notify();
  }

  /** Calls `notify` after every change of the language; returns a function that stops it. */
  readonly watch = (notify: () => void): () => void => {
    this.#listeners.add(notify);
    return () => void this.#listeners.delete(notify);
  };

  /** A function that finds texts of `namespace`. */
  translator(namespace: string): (key: string, values?: TextValues) => string {
    return (key, values) => {
      const [own, path] = key.includes(':') ? key.split(':', 2) as [string, string] : [namespace, key];
      const text = this.#find(own, path, values?.['count']);
      return text === undefined ? key : filled(text, values);
    };
  }

  #find(namespace: string, path: string, count: string | number | undefined): string | undefined {
    const texts = this.textsOf(namespace);
    if (typeof count !== 'number') return at(texts, path);
    return at(texts, `${path}_${this.#plurals.select(count)}`) ?? at(texts, `${path}_other`)
      ?? at(texts, path);
  }

  async #load(locale: string, namespaces: readonly string[], source: TextSource): Promise<void> {
    await Promise.all(namespaces.map(async (namespace) => {
      const key = `${locale} ${namespace}`;
      if (!this.#texts.has(key)) this.#texts.set(key, await source(namespace, locale));
    }));
  }
}

function at(texts: Texts | undefined, path: string): string | undefined {
  let found: unknown = texts;
  for (const part of path.split('.')) found = (found as Record<string, unknown> | undefined)?.[part];
  return typeof found === 'string' ? found : undefined;
}

/**
 * React escapes texts when it renders them, so they are plain here. Values are isolated, because people typed
 * most of them.
 */
const filled = (text: string, values: TextValues | undefined): string =>
  text.replaceAll(
    /\{\{\s*(\w+)\s*\}\}/gu,
    (place, name: string) => isolated(String(values?.[name] ?? place)),
  );
