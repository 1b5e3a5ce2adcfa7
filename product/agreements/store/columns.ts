import type { Locale } from '#product/site/rules.ts';
import type { DocumentEvent, DocumentKind, DocumentStatus } from '../rules.ts';

/** Where from a document was signed: digests instead of addresses, and the seal of all of it. */
export interface Proof {
  readonly session: string;
  readonly network: string | null;
  readonly region: string;
  readonly seal: string;
}

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'agreements.documents.kind': DocumentKind;
  'agreements.documents.language': Locale;
  'agreements.documents.proof': Proof | null;
  'agreements.documents.status': DocumentStatus;
  'agreements.events.event': DocumentEvent;
  'agreements.texts.kind': DocumentKind;
  'agreements.texts.language': Locale;
  'agreements.versions.kind': DocumentKind;
}
