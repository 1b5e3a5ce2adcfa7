import { call } from '#platform/contract/call.ts';
import { z } from 'zod';
import {
  LISTING_SLUG,
  MAX_HEADING_LENGTH,
  MAX_LISTING_NAME_LENGTH,
  MAX_LISTING_NAMES,
  MAX_META_DESCRIPTION_LENGTH,
  MAX_META_TITLE_LENGTH,
} from '../rules.ts';
import { Reason } from './seller.ts';

/** A site's own texts for its home page; null for the usual ones. */
const SiteWords = z.object({
  meta_title: z.string().trim().min(1).max(MAX_META_TITLE_LENGTH).nullable(),
  meta_description: z.string().trim().min(1).max(MAX_META_DESCRIPTION_LENGTH).nullable(),
  h1_content: z.string().trim().min(1).max(MAX_HEADING_LENGTH).nullable(),
  /** Its own names of listings, by the last part of their address; others have the usual names. */
  listing_names: z.record(
    z.string().regex(LISTING_SLUG),
    z.string().trim().min(1).max(MAX_LISTING_NAME_LENGTH),
  ).refine((names) => Object.keys(names).length <= MAX_LISTING_NAMES),
});

export const getSiteWords = call({
  name: 'site.getSiteWords',
  method: 'GET',
  path: '/admin/site_words',
  access: 'admin',
  credential: 'cookie',
  input: z.object({}),
  output: SiteWords,
  refusals: [],
  summary: 'What this site says of itself',
  description: 'Title, description and heading of the home page of the site that is asked; null for the '
    + 'usual words. And what it calls some of its listings.',
});
export const changeSiteWords = call({
  name: 'site.changeSiteWords',
  method: 'POST',
  path: '/admin/site_words',
  access: 'admin',
  credential: 'cookie',
  output: SiteWords,
  refusals: [],
  input: SiteWords.partial({ listing_names: true }).extend({ reason: Reason }),
  summary: 'Change what this site says of itself',
  description: 'Text, never markup. Names of listings stay when they are left out. Audited.',
});
