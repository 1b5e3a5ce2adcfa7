import type { HostPort } from '#platform/http/host-port.ts';
import { isolated } from '#platform/text/shown/isolation.ts';
import { createInstance } from 'i18next';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { order } from './order.ts';
import { DEFAULT_LOCALE, LOCALES } from './site/rules.ts';

/**
 * The server's texts: every `product/<slice>/messages/<locale>.json` below `root`, one namespace per slice,
 * and `ui` of `platform/ui`.
 * What a language lacks is English; a key nobody has is answered as it is.
 */
export function loadTexts(root: string): HostPort['text'] {
  const folders = [...order.map(([slice]) => ({ slice, folder: `product/${slice}` })), {
    slice: 'ui',
    folder: 'platform/ui',
  }];
  const files = LOCALES.flatMap((locale) =>
    folders.map(({ slice, folder }) => ({
      locale,
      slice,
      path: join(root, folder, 'messages', `${locale}.json`),
    }))
  );
  const resources: Record<string, Record<string, object>> = {};
  for (const { locale, slice, path } of files) {
    if (!existsSync(path)) continue;
    resources[locale] = { ...resources[locale], [slice]: JSON.parse(readFileSync(path, 'utf8')) as object };
  }
  const texts = createInstance();
  void texts.init({
    resources,
    fallbackLng: DEFAULT_LOCALE,
    supportedLngs: [...LOCALES],
    initAsync: false,
    // Answers are JSON and mails are text: escaping belongs to whoever builds HTML. People typed most values.
    interpolation: { escapeValue: true, escape: isolated },
  });
  return (locale, key, values) => {
    // A text that counts is there only together with its count.
    const said = { ...values, lng: locale };
    return texts.exists(key, said) ? texts.t(key, said) : key;
  };
}
