import type { CallFunction } from '#platform/contract/client.ts';
import { CallProvider } from '#platform/ui/calls/calls.ts';
import type { MarkupOf } from '#platform/ui/made-once.tsx';
import type { Language, TextSource } from '#platform/ui/text/language.ts';
import { LanguageProvider } from '#platform/ui/text/use-translation.ts';
import type { ReactElement } from 'react';
import { preload } from 'react-dom';
import { renderToString } from 'react-dom/server';
import { StaticRouter } from 'react-router';

/** Cached at once, some 4 kB each with its key: the tiles of a busy site in a few languages. */
export const MAX_MARKUPS = 4_000;

interface Markup {
  readonly html: string;
  /** Images above the fold, which the document loads first. */
  readonly images: readonly string[];
}

const none: TextSource = async () => ({});
/** Shared markup makes no calls: there is nobody to call for. */
const nobodyCalls: CallFunction = async ({ name }) => {
  throw new Error(`markup for everybody called ${name}`);
};

/** The link elements that React puts before markup with images to preload. */
const PRELOADS = /^(?:<link [^>]*>)+/u;
const PRELOADED = /href="([^"]*)"/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': '\'',
};
const plain = (attribute: string): string =>
  attribute.replaceAll(/&(?:amp|lt|gt|quot|#x27);/gu, (entity) => ENTITIES[entity] ?? entity);

/**
 * Renders a node by itself. It has a router and a language around it, but neither a cache nor a caller, so
 * that data of one person cannot get into it: reading any throws.
 */
function rendered(node: ReactElement, language: Language): Markup {
  const whole = renderToString(
    <StaticRouter location="/">
      <CallProvider value={nobodyCalls}>
        <LanguageProvider value={{ language, source: none }}>{node}</LanguageProvider>
      </CallProvider>
    </StaticRouter>,
  );
  const [preloads = ''] = PRELOADS.exec(whole) ?? [];
  return {
    html: whole.slice(preloads.length),
    images: [...preloads.matchAll(PRELOADED)].map(([, href = '']) => plain(href)),
  };
}

/**
 * Markup by key and language; the least recently used is evicted first. Keys name everything that is shown
 * (see `MadeOnce`), so that nobody gets markup made from other data.
 */
export class Markups {
  readonly #known = new Map<string, Markup>();
  readonly #max: number;

  constructor(max: number = MAX_MARKUPS) {
    this.#max = max;
  }

  get size(): number {
    return this.#known.size;
  }

  /** The markups of one language. */
  in(language: Language): MarkupOf {
    return (key, node) => {
      const { html, images } = this.#of(`${language.language} ${key}`, node, language);
      for (const image of images) preload(image, { as: 'image' });
      return html;
    };
  }

  #of(key: string, node: ReactElement, language: Language): Markup {
    const known = this.#known.get(key);
    // Deleting and setting it again makes it the most recent of the map.
    if (known) this.#known.delete(key);
    const markup = known ?? rendered(node, language);
    this.#known.set(key, markup);
    const oldest = this.#known.size > this.#max ? this.#known.keys().next().value : undefined;
    if (oldest !== undefined) this.#known.delete(oldest);
    return markup;
  }
}
