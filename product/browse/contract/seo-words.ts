import { z } from 'zod';
import { call } from '../../../platform/contract/call.ts';
import { refusal } from '../../../platform/contract/refusal.ts';
import { Reason } from '../../site/contract/seller.ts';
import {
  MAX_SEO_NAME_LENGTH, MAX_SEO_PERFORMERS, SEO_DAYS, SHOWN_UNKNOWN_NAMES, WORDINGS,
} from '../rules/reports/seo-words.ts';

export const seoNamesUnknown = refusal({
  slice: 'browse', code: 'seo_names_unknown', kind: 'invalid',
  description: `Names that no performer has; the text repeats ${SHOWN_UNKNOWN_NAMES} of them at most.`,
});

const SeoExperiment = z.object({
  /** By name. Other performers have the usual words. */
  performers: z.array(z.object({ username: z.string(), wording: z.enum(WORDINGS) })),
  /** Documents sent by day (UTC), newest first: to people who are not logged in, and to crawlers. */
  visits: z.array(z.object({
    day: z.string(), wording: z.enum(WORDINGS), people: z.int(), crawlers: z.int(),
  })),
});

const admins = { access: 'admin', credential: 'cookie', path: '/admin/seo_experiment' } as const;

export const getSeoExperiment = call({
  ...admins, name: 'browse.getSeoExperiment', method: 'GET', input: z.object({}), output: SeoExperiment,
  refusals: [], summary: 'Performers in the SEO experiment, and visits of their rooms',
  requirements: ['B-441'],
  description: `Counts of ${SEO_DAYS} days. A visit is a document of the room, from the cache or not; `
    + 'nothing of who asked for it is stored.',
});

export const changeSeoExperiment = call({
  ...admins, name: 'browse.changeSeoExperiment', method: 'POST',
  input: z.object({
    /** The whole list; an empty one ends the experiment. */
    usernames: z.array(z.string().trim().min(1).max(MAX_SEO_NAME_LENGTH)).max(MAX_SEO_PERFORMERS),
    reason: Reason,
  }),
  output: SeoExperiment, refusals: [seoNamesUnknown],
  summary: 'Choose the performers in the SEO experiment', requirements: ['B-441'],
  description: 'Their rooms have one of two wordings of title and description, half of the performers each, '
    + 'always the same for one performer. Applies within ten seconds, for documents are cached. Audited.',
});

export const getRoomWords = call({
  name: 'browse.getRoomWords', method: 'GET', path: '/browse/room_words', access: 'anyone',
  credential: 'cookie', input: z.object({ username: z.string().max(MAX_SEO_NAME_LENGTH) }),
  output: z.object({
    words: z.object({
      username: z.string(), displayName: z.string(), title: z.string(), metaTitle: z.string(),
      description: z.string(), wording: z.enum(WORDINGS),
    }).nullable(),
  }),
  refusals: [], summary: 'Words of a room in the SEO experiment, for the head of its document',
  requirements: ['B-441'],
  description: 'Crawlers carry no cookie and stand before the entry gate: they get title and description of '
    + 'performers in the experiment who may be shown to everybody everywhere. Null for all others, and in '
    + 'regions that are closed.',
});
