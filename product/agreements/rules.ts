/** Kinds of documents. Each has its own templates, whose versions are counted by kind. */
export const KINDS = ['performer_agreement', 'release', 'studio_agreement', 'other'] as const;
export type DocumentKind = (typeof KINDS)[number];

export const STATUSES = ['open', 'signed', 'expired', 'withdrawn'] as const;
export type DocumentStatus = (typeof STATUSES)[number];

/** What happened to a document, in the order in which it can happen. */
export const EVENTS = ['issued', 'opened', 'signed', 'expired', 'withdrawn'] as const;
export type DocumentEvent = (typeof EVENTS)[number];

/** A title is a heading: two lines of a phone. */
export const MAX_TITLE_LENGTH = 120;
/** About twenty printed pages: longer agreements are not read to their end. */
export const MAX_DOCUMENT_LENGTH = 60_000;
/** Bytes of a request with the longest document: a character has up to four, and JSON escapes some. */
export const MAX_DOCUMENT_BYTES = 300_000;
/** Two letters: the shortest names that exist. */
export const MIN_SIGNATURE_LENGTH = 2;
/** Longer than any name in a passport. */
export const MAX_SIGNATURE_LENGTH = 120;
/** An id with its random part is shorter. */
export const MAX_SECRET_LENGTH = 100;
/** Bits of a document's secret: nobody guesses it, however many are issued. */
export const SECRET_BITS = 256;
/** How long a person has to sign, unless an admin says otherwise. */
export const SIGN_DAYS = 30;
export const MAX_SIGN_DAYS = 365;
export const DOCUMENTS_PER_PAGE = 50;
export const VERSIONS_PER_PAGE = 20;
/** One a day for 270 years; columns of versions have four bytes. */
export const MAX_VERSION = 100_000;
/** People who get a new version in one unit of work: each has a notice and a deadline. */
export const ROLLOUT_BATCH = 50;

/** What a template may name; each document has the value of the moment it was issued. */
export const PLACEHOLDERS = ['company', 'address', 'site', 'username', 'date'] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

const PLACEHOLDER = /\{([a-z_]+)\}/gu;
const isPlaceholder = (name: string): name is Placeholder =>
  (PLACEHOLDERS as readonly string[]).includes(name);

/** The first name in braces that stands for nothing; null when all do. */
export function unknownPlaceholder(text: string): string | null {
  for (const [, name = ''] of text.matchAll(PLACEHOLDER)) if (!isPlaceholder(name)) return name;
  return null;
}

/** A template with values in place of its placeholders. Values are not read for placeholders again. */
export const fillTemplate = (text: string, values: Readonly<Record<Placeholder, string>>): string =>
  text.replaceAll(PLACEHOLDER, (whole, name: string) => (isPlaceholder(name) ? values[name] : whole));

interface Dated {
  readonly status: DocumentStatus;
  readonly expiresAt: Date;
}

/** The status at a moment: a document expires at its time, whether or not its deadline was handled. */
export const statusAt = ({ status, expiresAt }: Dated, now: Date): DocumentStatus =>
  status === 'open' && now >= expiresAt ? 'expired' : status;

/** Whether a cleaned signature can be a name: it has two letters at least. */
export const isName = (signature: string): boolean => (signature.match(/\p{L}/gu)?.length ?? 0) >= 2;
