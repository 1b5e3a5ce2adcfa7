import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { PLAIN_TEXT } from '#product/accounts/rules.ts';
import { Reason } from '#product/site/contract/seller.ts';
import { LOCALES } from '#product/site/rules.ts';
import { z } from 'zod';
import { Copy, DocumentLine, Instant, Kind, notFound, notSigned, Status } from '../contract.ts';
import {
  EVENTS,
  MAX_DOCUMENT_BYTES,
  MAX_DOCUMENT_LENGTH,
  MAX_SIGN_DAYS,
  MAX_TITLE_LENGTH,
  MAX_VERSION,
} from '../rules.ts';

const slice = 'agreements';
export const templateMissing = refusal({
  slice,
  code: 'template_missing',
  kind: 'absent',
  description: 'No version of this kind is published.',
});
export const draftMissing = refusal({
  slice,
  code: 'draft_missing',
  kind: 'conflict',
  description: 'The kind has no draft, or not this one: somebody else published or discarded it.',
});
export const englishMissing = refusal({
  slice,
  code: 'english_missing',
  kind: 'conflict',
  description: 'A version needs an English text: people whose language it lacks get that one.',
});
export const placeholderUnknown = refusal({
  slice,
  code: 'placeholder_unknown',
  kind: 'invalid',
  description: 'The title or the text has a name in braces that stands for nothing.',
});
export const textEmpty = refusal({
  slice,
  code: 'text_empty',
  kind: 'invalid',
  description: 'The title or the text has nothing that could be read.',
});
export const personUnknown = refusal({
  slice,
  code: 'person_unknown',
  kind: 'absent',
  description: 'Nobody has this username.',
});
export const documentClosed = refusal({
  slice,
  code: 'document_closed',
  kind: 'conflict',
  description: 'The document is signed, expired or withdrawn already.',
});

const admin = { access: 'admin', credential: 'cookie' } as const;
const Language = z.enum(LOCALES);
const Version = z.int().positive().max(MAX_VERSION);
const SignDays = z.int().min(1).max(MAX_SIGN_DAYS);

const TemplateVersion = z.object({
  version: Version,
  made_at: Instant,
  /** Null for a draft. */
  published_at: Instant.nullable(),
  languages: z.array(Language),
  /** Documents of this version, whatever became of them, and those of them that are signed. */
  issued: z.int(),
  signed: z.int(),
});
const Template = z.object({
  kind: Kind,
  /** The newest published version; null for none. */
  current: TemplateVersion.nullable(),
  draft: TemplateVersion.nullable(),
});

export const listTemplates = call({
  ...admin,
  name: 'agreements.listTemplates',
  method: 'GET',
  path: '/admin/agreements/templates',
  input: z.object({}),
  output: z.object({ templates: z.array(Template) }),
  refusals: [],
  summary: 'Templates of documents',
  description: 'One line for each kind: the version that is issued now, and the draft of the next.',
});
export const listTemplateVersions = call({
  ...admin,
  name: 'agreements.listTemplateVersions',
  method: 'GET',
  path: '/admin/agreements/templates/:kind',
  input: z.object({ kind: Kind, before: Version.optional() }),
  output: z.object({ versions: z.array(TemplateVersion), next: Version.nullable() }),
  refusals: [],
  summary: 'Versions of a template',
  description: 'Newest first with the draft, 20 a page; `next` is `before` of the page after this.',
});
export const getTemplateText = call({
  ...admin,
  name: 'agreements.getTemplateText',
  method: 'GET',
  path: '/admin/agreements/templates/:kind/:language',
  input: z.object({ kind: Kind, language: Language, version: Version.optional() }),
  output: z.object({
    title: z.string(),
    text: z.string(),
    /** The version that has this text; null where no version has one. */
    version: Version.nullable(),
    /** Whether it is the draft’s, and can still change. */
    is_draft: z.boolean(),
  }),
  refusals: [],
  summary: 'The text of a template',
  description: 'Of one version, else of the newest one that has a text in this language; empty for none.',
});
export const saveTemplate = call({
  ...admin,
  name: 'agreements.saveTemplate',
  method: 'POST',
  path: '/admin/agreements/templates',
  input: z.object({
    kind: Kind,
    language: Language,
    title: z.string().trim().min(1).max(MAX_TITLE_LENGTH).regex(PLAIN_TEXT),
    text: z.string().trim().min(1).max(MAX_DOCUMENT_LENGTH).regex(PLAIN_TEXT),
  }),
  output: Template,
  refusals: [placeholderUnknown, textEmpty],
  bodyLimitBytes: MAX_DOCUMENT_BYTES,
  summary: 'Save the draft of a template',
  description: 'In one language. The first save begins the draft of the next version; published versions and '
    + 'issued documents never change. Audited.',
});
export const publishTemplate = call({
  ...admin,
  name: 'agreements.publishTemplate',
  method: 'POST',
  path: '/admin/agreements/templates/publish',
  input: z.object({
    kind: Kind,
    version: Version,
    /** Also issues it to everybody who must have it. */
    issue_to_all: z.boolean(),
    /** Days in which they can sign it. */
    sign_days: SignDays,
    reason: Reason,
  }),
  output: Template,
  refusals: [draftMissing, englishMissing],
  summary: 'Publish a template',
  description: 'The draft becomes the version that is issued. With `issue_to_all` it is issued in the '
    + 'background: a performer agreement to every performer, others to whoever signed or was issued an '
    + 'earlier version. Audited.',
});
export const discardDraft = call({
  ...admin,
  name: 'agreements.discardDraft',
  method: 'POST',
  path: '/admin/agreements/templates/discard',
  input: z.object({ kind: Kind, version: Version, reason: Reason }),
  output: Template,
  refusals: [draftMissing],
  summary: 'Discard the draft of a template',
  description: 'In all its languages. Audited.',
});

const AdminLine = DocumentLine.extend({ username: z.string(), language: Language });
export const listDocuments = call({
  ...admin,
  name: 'agreements.listDocuments',
  method: 'GET',
  path: '/admin/agreements/documents',
  input: z.object({
    before: z.int().positive().optional(),
    status: Status.optional(),
    kind: Kind.optional(),
    username: z.string().max(40).optional(),
  }),
  output: z.object({ documents: z.array(AdminLine), next: z.int().nullable() }),
  refusals: [],
  summary: 'Issued documents',
  description: 'Newest first, 50 a page; `next` is `before` of the page after this.',
});
const ById = z.object({ id: z.int().positive() });
const DocumentDetail = AdminLine.extend({
  text_sha256: z.string(),
  /** Whether text and signature are those that were stored when it was issued and signed. */
  is_intact: z.boolean(),
  /** Whether its version is the newest published one of its kind. */
  is_current: z.boolean(),
  signature: z.string().nullable(),
  proof: z.object({
    /** Keyed digests of the log-in session and of the network that it was signed from. */
    session: z.string(),
    network: z.string().nullable(),
    region: z.string(),
    /** Keyed digest of the document, its person, the signature and the rest of this proof. */
    seal: z.string(),
  }).nullable(),
  /** Oldest first; each can happen once. */
  events: z.array(z.object({
    event: z.enum(EVENTS),
    at: Instant,
    /** Username of whoever did it; null for the site itself. */
    by: z.string().nullable(),
    reason: z.string().nullable(),
  })),
});
export const getDocument = call({
  ...admin,
  name: 'agreements.getDocument',
  method: 'GET',
  path: '/admin/agreements/documents/:id',
  input: ById,
  output: DocumentDetail,
  refusals: [notFound],
  summary: 'An issued document',
  description: 'Who signed it and when, its proof and its history. The text is in its copy.',
});
export const issueDocument = call({
  ...admin,
  name: 'agreements.issueDocument',
  method: 'POST',
  path: '/admin/agreements/documents',
  input: z.object({
    username: z.string().trim().min(1).max(40),
    kind: Kind,
    sign_days: SignDays,
    /** The person’s own language if left out. */
    language: Language.optional(),
  }),
  output: z.object({
    id: z.string(),
    /** False where they have signed the current version, or can sign it now. */
    is_new: z.boolean(),
  }),
  refusals: [personUnknown, templateMissing],
  summary: 'Issue a document to a person',
  description:
    'From the current version of its template; an open one of an earlier version is withdrawn. The '
    + 'person is notified. Audited.',
});
export const withdrawDocument = call({
  ...admin,
  name: 'agreements.withdrawDocument',
  method: 'POST',
  path: '/admin/agreements/documents/:id/withdraw',
  input: ById.extend({ reason: Reason }),
  output: DocumentDetail,
  refusals: [notFound, documentClosed],
  summary: 'Withdraw a document',
  description: 'One that nobody signed yet: it can no longer be signed. Audited.',
});
export const downloadDocument = call({
  ...admin,
  name: 'agreements.downloadDocument',
  method: 'GET',
  path: '/admin/agreements/documents/:id/copy',
  media: Copy.media,
  input: ById.extend({ body: Copy.body }),
  output: Copy.output,
  refusals: [notFound, notSigned],
  summary: 'A copy of somebody’s signed document',
  description: 'As a text file: who signed it when, the hash of the text, and the text. Audited.',
});
