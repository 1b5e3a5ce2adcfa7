import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { createContext, useContext } from 'react';
import { ensureTexts, type TextSource } from './language.ts';

const SourceContext = createContext<TextSource>(async () => ({}));
export const TextSourceProvider = SourceContext.Provider;
export const useTextSource = (): TextSource => useContext(SourceContext);

/** For what opens over a page and has texts of its own: true once they are there. Routes name theirs in `needs`. */
export function useTexts(namespace: string): boolean {
  const source = useTextSource();
  const { i18n } = useTranslation();
  const [ready, setReady] = useState(i18n.hasResourceBundle(i18n.language, namespace));
  useEffect(() => {
    let here = true;
    void ensureTexts(i18n, source, [namespace]).then(() => here && setReady(true));
    return () => {
      here = false;
    };
  }, [i18n, namespace, source]);
  return ready;
}
