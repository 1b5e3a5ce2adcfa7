import { call } from '#platform/contract/call.ts';
import { z } from 'zod';
import { DOCUMENT_NAMES } from './rules.ts';

const DocumentName = z.enum(DOCUMENT_NAMES);

const Imprint = z.object({
  /** Name of the site, as viewers know it. */
  site: z.string(),
  /** Registered name of the company, and its postal address line by line; empty for none. */
  company: z.string(),
  address: z.string(),
  /** When an admin marked each document as reviewed (ISO 8601); null while it is a template. */
  reviewed: z.object({ terms: z.string().nullable(), privacy: z.string().nullable() }),
});

export const getImprint = call({
  name: 'legal.getImprint',
  method: 'GET',
  path: '/legal/imprint',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({}),
  output: Imprint,
  refusals: [],
  summary: 'Who runs the site',
  description: 'The company behind this site, and since when its documents are in force.',
});

export const reviewDocument = call({
  name: 'legal.reviewDocument',
  method: 'POST',
  path: '/legal/review',
  access: 'admin',
  credential: 'cookie',
  input: z.object({ document: DocumentName, is_reviewed: z.boolean() }),
  output: Imprint,
  refusals: [],
  summary: 'Mark a document as reviewed',
  description: 'By counsel: readers then see since when it is in force, instead of that it is a template. '
    + 'Audited.',
});
