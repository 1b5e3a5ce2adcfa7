import type { QueryClient } from '@tanstack/react-query';
import type { Language } from '../text/language.ts';

/** Another form of the page, such as a feed. */
export interface HeadLink {
  readonly type: string;
  readonly href: string;
  readonly title: string;
}

/** The tags in a document's head that describe its page, beside those of every page. Paths begin with `/`. */
export interface HeadTags {
  /** The whole title; without it, that of the page's own `Title`. */
  readonly title?: string;
  /** Title of the card for shared links; when absent, the whole title. */
  readonly cardTitle?: string;
  readonly description?: string;
  /** Canonical path of the page, when it is not its own. */
  readonly canonical?: string;
  /** False keeps search engines from indexing the page. */
  readonly isIndexed?: boolean;
  /** The picture that other sites show beside a link: its path and its alternative text. */
  readonly image?: { readonly path: string; readonly alt: string };
  readonly type?: 'website' | 'profile';
  readonly links?: readonly HeadLink[];
  /** Structured data (schema.org), one object each, without its `@context`. */
  readonly structured?: readonly Readonly<Record<string, unknown>>[];
}

/** The data a route makes its {@link HeadTags} from. */
export interface HeadPage {
  readonly cache: QueryClient;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly pathname: string;
  readonly query: URLSearchParams;
  readonly language: Language;
  readonly siteName: string;
  /** Makes an absolute address on the main site from a path. */
  readonly address: (path: string) => string;
}

/** The handle of a route whose description is a translated text. */
export const describedBy = (
  textIn: (language: Language) => string,
): { head: (page: HeadPage) => HeadTags } => ({
  head: ({ language }) => ({ description: textIn(language) }),
});
