import type { QueryClient } from '@tanstack/react-query';
import type { Language } from '../text/language.ts';

/** Another form of the page, such as a feed. */
export interface HeadLink {
  readonly type: string;
  readonly href: string;
  readonly title: string;
}

/** What the head of a document says of its page, beside what all pages say. Paths begin with `/`. */
export interface HeadTags {
  /** The whole title; without it, that of the page's own `Title`. */
  readonly title?: string;
  /** Title of a link's card; without it the whole title. */
  readonly cardTitle?: string;
  readonly description?: string;
  /** Where the page belongs, where that is not its own path. */
  readonly canonical?: string;
  /** False for what search engines should leave out. */
  readonly isIndexed?: boolean;
  /** The picture other sites show beside a link: a path, and its text. */
  readonly image?: { readonly path: string; readonly alt: string };
  readonly type?: 'website' | 'profile';
  readonly links?: readonly HeadLink[];
  /** Structured data (schema.org), one object each, without its `@context`. */
  readonly structured?: readonly Readonly<Record<string, unknown>>[];
}

/** What a route makes its {@link HeadTags} of. */
export interface HeadPage {
  readonly cache: QueryClient;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly pathname: string;
  readonly query: URLSearchParams;
  readonly language: Language;
  readonly siteName: string;
  /** Makes an absolute address of a path, on the main site. */
  readonly address: (path: string) => string;
}

/** The handle of a route whose description is a text that says what its page is for. */
export const describedBy = (textIn: (language: Language) => string): { head: (page: HeadPage) => HeadTags } =>
  ({ head: ({ language }) => ({ description: textIn(language) }) });
