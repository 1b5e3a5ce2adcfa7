import { call } from '#platform/contract/call.ts';
import { fact } from '#platform/contract/fact.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { PLAIN_TEXT } from '#product/accounts/rules.ts';
import { z } from 'zod';
import { KINDS, MAX_SECRET_LENGTH, MAX_SIGNATURE_LENGTH, MIN_SIGNATURE_LENGTH, STATUSES } from './rules.ts';

const slice = 'agreements';
export const notFound = refusal({
  slice,
  code: 'NOT_FOUND',
  kind: 'absent',
  description: 'The person has no document of this id. The code is the specification’s own.',
});
export const signFailed = refusal({
  slice,
  code: 'SIGN_FAILED',
  kind: 'conflict',
  description: 'The document was not signed: the secret is wrong or somebody else’s, the document is expired '
    + 'or withdrawn, or the signature is no name. The code is the specification’s own.',
});
export const notSigned = refusal({
  slice,
  code: 'not_signed',
  kind: 'conflict',
  description: 'A document has a copy once it is signed.',
});

export const Kind = z.enum(KINDS);
export const Status = z.enum(STATUSES);
/** ISO 8601. */
export const Instant = z.string();

/** A document in a list. */
export const DocumentLine = z.object({
  id: z.string(),
  kind: Kind,
  title: z.string(),
  /** Counted by kind, from 1. */
  version: z.int(),
  status: Status,
  issued_at: Instant,
  expires_at: Instant,
  signed_at: Instant.nullable(),
});

/** Any text: what is no id of a document of the caller is answered alike. */
const Id = z.string().max(64);
const own = { access: 'member', credential: 'cookie' } as const;

export const getLegalDocument = call({
  ...own,
  name: 'agreements.getLegalDocument',
  method: 'GET',
  path: '/legal/document/:id',
  input: z.object({ id: Id }),
  output: DocumentLine.extend({
    /** Plain text, exactly as it was issued. */
    document_text: z.string(),
    /** SHA-256 of its UTF-8 bytes, in hexadecimal digits. */
    text_sha256: z.string(),
    /** Signs this document alone, for its person alone. */
    secret: z.string(),
    expired: z.boolean(),
    /** The name as typed; null until it is signed. */
    signature: z.string().nullable(),
  }),
  refusals: [notFound],
  summary: 'A document to sign',
  description:
    'The caller’s own; that they opened it is recorded. `expired` is true once its time to sign has '
    + 'passed.',
  requirements: ['C-096', 'C-132', 'C-283', 'C-372'],
});
export const signLegalDocument = call({
  ...own,
  name: 'agreements.signLegalDocument',
  method: 'POST',
  path: '/legal/document/sign',
  input: z.object({
    secret: z.string().min(1).max(MAX_SECRET_LENGTH),
    /** The person’s full name, as they type it. */
    signature: z.string().trim().min(MIN_SIGNATURE_LENGTH).max(MAX_SIGNATURE_LENGTH).regex(PLAIN_TEXT),
  }),
  output: z.object({ success: z.literal(true) }),
  refusals: [signFailed],
  limit: { points: 10, seconds: 60, per: 'caller' },
  summary: 'Sign a document',
  description: 'With the secret that `GET /legal/document/{id}` answers. Signing again changes nothing and '
    + 'succeeds: the first signature stays.',
  requirements: ['C-019', 'C-284', 'C-373'],
});
export const listLegalDocuments = call({
  ...own,
  name: 'agreements.listLegalDocuments',
  method: 'GET',
  path: '/legal/documents',
  input: z.object({ before: z.int().positive().optional(), open: z.boolean().optional() }),
  output: z.object({ documents: z.array(DocumentLine), next: z.int().nullable() }),
  refusals: [],
  summary: 'The caller’s documents',
  description: 'Newest first, 50 a page; with `open` those that wait for a signature. `next` is `before` of '
    + 'the page after this.',
});

/** A file with the text, and how it was signed. */
export const Copy = {
  media: { accepts: 'text/plain', answers: 'text/plain; charset=utf-8' },
  output: z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string() }),
  /** Media calls take the body as a field, and this one has none. */
  body: z.string().max(0).optional(),
} as const;
export const downloadLegalDocument = call({
  ...own,
  name: 'agreements.downloadLegalDocument',
  method: 'GET',
  path: '/legal/document/:id/copy',
  media: Copy.media,
  input: z.object({ id: Id, body: Copy.body }),
  output: Copy.output,
  refusals: [notFound, notSigned],
  summary: 'A copy of a signed document',
  description: 'The caller’s own, as a text file: who signed it when, the hash of the text, and the text.',
});

export const signed = fact({
  name: 'agreements.signed',
  shape: z.object({ personId: z.int(), documentId: z.int(), kind: Kind, version: z.int() }),
  description: 'A person signed a document.',
});
