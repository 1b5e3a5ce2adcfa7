import type { Namespace } from '#platform/text/message-keys.ts';
import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import type { Language, TextSource, Translate } from './language.ts';

interface Spoken {
  readonly language: Language;
  /** Source of texts that the document did not carry. */
  readonly source: TextSource;
}

const SpokenContext = createContext<Spoken | null>(null);
export const LanguageProvider = SpokenContext.Provider;

function useSpoken(): Spoken {
  const spoken = useContext(SpokenContext);
  if (!spoken) throw new Error('useTranslation needs a LanguageProvider above it');
  return spoken;
}

/**
 * Texts of a namespace: `const { t, i18n } = useTranslation('rooms')`; `i18n.language` is the locale for
 * `Intl`.
 */
export function useTranslation<Of extends Namespace = 'ui'>(
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- 'ui' is what `Of` is without an argument
  namespace: Of = 'ui' as Of,
): { readonly t: Translate<Of>; readonly i18n: Language } {
  const { language } = useSpoken();
  const locale = useSyncExternalStore(language.watch, () => language.language, () => language.language);
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the texts of `language` change with its locale
  const t = useMemo(() => language.translator(namespace), [language, namespace, locale]);
  return { t, i18n: language };
}

/**
 * Loads the texts of a part that opens over a page: true once they are there. Routes name their namespaces in
 * `needs`.
 */
export function useTexts(namespace: string): boolean {
  const { language, source } = useSpoken();
  const [ready, setReady] = useState(language.textsOf(namespace) !== undefined);
  useEffect(() => {
    let here = true;
    void language.ensure([namespace], source).then(() => here && setReady(true));
    return () => {
      here = false;
    };
  }, [language, namespace, source]);
  return ready;
}

/** Changes the language of the page in place. */
export function useChangeLanguage(): (locale: string) => Promise<void> {
  const { language, source } = useSpoken();
  return useCallback((locale: string) => language.change(locale, source), [language, source]);
}
