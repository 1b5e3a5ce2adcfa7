import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { Reason } from '#product/site/contract/seller.ts';
import { z } from 'zod';
import { ListingEntry } from '../contract.ts';
import { BUCKETS, EXPERIMENTS, VARIANTS } from '../rules/reports/experiments.ts';
import {
  MAX_SEO_NAME_LENGTH,
  MAX_SEO_PERFORMERS,
  SEO_DAYS,
  SHOWN_UNKNOWN_NAMES,
  WORDINGS,
} from '../rules/reports/seo-words.ts';
import {
  EVENT_DAYS,
  MAX_THUMB_URL,
  PAGE_EVENTS,
  SHOWN_THUMBS,
  THUMB_KINDS,
} from '../rules/reports/trackers.ts';

export const thumbUntracked = refusal({
  slice: 'browse',
  code: 'thumb_untracked',
  kind: 'invalid',
  description: 'Clicks are counted of addresses with /thumbs/t/ or /thumbs-picked/ alone.',
});

/**
 * Only counts, from pages of this site: nothing about the caller is stored. Callers who do not allow
 * statistics are not counted; the answer is the same.
 */
const report = { access: 'anyone', credential: 'cookie', bodyLimitBytes: 1024 } as const;

export const trackThumb = call({
  ...report,
  name: 'browse.trackThumb',
  method: 'POST',
  path: '/thumb-tracker/click',
  input: z.object({ thumbUrl: z.string().min(1).max(MAX_THUMB_URL) }),
  output: z.object({ success: z.literal(true) }),
  refusals: [thumbUntracked],
  summary: 'Counts a click on a thumbnail',
  requirements: ['B-290', 'B-324'],
  description: '`thumbUrl` is the path without its extension, /thumbs/t/{username}… or '
    + '/thumbs-picked/{username}…; others are refused. Counted for performers this viewer may perceive: of '
    + 'anybody else the answer is the same, and nothing is stored.',
});

export const logAnalytics = call({
  ...report,
  name: 'browse.logAnalytics',
  method: 'POST',
  path: '/log/analytics',
  input: z.object({ event: z.enum(PAGE_EVENTS) }),
  output: z.object({ success: z.literal(true) }),
  refusals: [],
  summary: 'Counts what a page reports of itself',
  requirements: ['B-325'],
  description: `By day, for ${EVENT_DAYS} days. Known events alone.`,
});

export const getTrackers = call({
  name: 'browse.getTrackers',
  method: 'GET',
  path: '/browse/trackers',
  access: 'admin',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    events: z.array(z.object({ event: z.string(), day: z.string(), times: z.int() })),
    thumbs: z.array(z.object({ username: z.string(), kind: z.enum(THUMB_KINDS), clicks: z.int() })),
  }),
  refusals: [],
  summary: 'What pages reported',
  requirements: ['B-324', 'B-325'],
  description: `Counts by day, newest first, and the ${SHOWN_THUMBS} most clicked thumbnails.`,
});

export const getExperiments = call({
  name: 'browse.getExperiments',
  method: 'GET',
  path: '/browse/experiments',
  access: 'anyone',
  credential: 'cookie',
  startsSession: true,
  input: z.object({}),
  output: z.object({
    experiments: z.array(z.object({
      name: z.enum(EXPERIMENTS),
      variants: z.array(z.enum(VARIANTS)),
      variant: z.enum(VARIANTS),
    })),
    /** A person's experiment group, by their id; null for guests and for members outside all groups. */
    bucket: z.enum(BUCKETS).nullable(),
    /** Number of rooms in the experiment with words for search engines. */
    seoRooms: z.int(),
  }),
  refusals: [],
  summary: 'The experiments somebody takes part in',
  requirements: ['C-407', 'B-432', 'B-441'],
  description: 'Drawn by the account, else by the session: four variants with equal chance. No cookie of '
    + 'its own. Who does not allow statistics takes part in none: they see the first variant, and have no '
    + 'group.',
});

export const casaSalsaVoyeurs = call({
  name: 'browse.casaSalsaVoyeurs',
  method: 'GET',
  path: '/browse/react/search/voyeurcam-casa-salsa',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ sortByConnection: z.enum(['0', '1']).optional() }),
  output: z.object({ userList: z.array(ListingEntry), totalCount: z.int() }),
  refusals: [],
  summary: 'Voyeur rooms of the listing `casa-salsa`',
  requirements: ['C-252'],
  description: 'Voyeur rooms that are live with the tag `casa-salsa`, at most 98: by the published ranking, '
    + 'with `sortByConnection=1` by when they went live, latest first.',
});

export const seoNamesUnknown = refusal({
  slice: 'browse',
  code: 'seo_names_unknown',
  kind: 'invalid',
  description: `Names that no performer has; the text repeats ${SHOWN_UNKNOWN_NAMES} of them at most.`,
});

const SeoExperiment = z.object({
  /** In order of name. Other performers have the usual words. */
  performers: z.array(z.object({ username: z.string(), wording: z.enum(WORDINGS) })),
  /** Documents sent per day (UTC), newest first: to people without a log-in, and to crawlers. */
  visits: z.array(z.object({
    day: z.string(),
    wording: z.enum(WORDINGS),
    people: z.int(),
    crawlers: z.int(),
  })),
});

const admins = { access: 'admin', credential: 'cookie', path: '/admin/seo_experiment' } as const;

export const getSeoExperiment = call({
  ...admins,
  name: 'browse.getSeoExperiment',
  method: 'GET',
  input: z.object({}),
  output: SeoExperiment,
  refusals: [],
  summary: 'Performers in the SEO experiment, and visits of their rooms',
  requirements: ['B-441'],
  description: `Counts of ${SEO_DAYS} days. A visit is a document of the room, from the cache or not; `
    + 'nothing of who asked for it is stored.',
});

export const changeSeoExperiment = call({
  ...admins,
  name: 'browse.changeSeoExperiment',
  method: 'POST',
  input: z.object({
    /** The whole list; an empty one ends the experiment. */
    usernames: z.array(z.string().trim().min(1).max(MAX_SEO_NAME_LENGTH)).max(MAX_SEO_PERFORMERS),
    reason: Reason,
  }),
  output: SeoExperiment,
  refusals: [seoNamesUnknown],
  summary: 'Choose the performers in the SEO experiment',
  requirements: ['B-441'],
  description: 'Their rooms have one of two wordings of title and description, half of the performers each, '
    + 'always the same for one performer. Applies within ten seconds, for documents are cached. Audited.',
});

export const getRoomWords = call({
  name: 'browse.getRoomWords',
  method: 'GET',
  path: '/browse/room_words',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ username: z.string().max(MAX_SEO_NAME_LENGTH) }),
  output: z.object({
    words: z.object({
      username: z.string(),
      displayName: z.string(),
      title: z.string(),
      metaTitle: z.string(),
      description: z.string(),
      wording: z.enum(WORDINGS),
    }).nullable(),
    /** Texts of the room's card on other sites, without an image of the performer. */
    card: z.object({
      username: z.string(),
      displayName: z.string(),
      title: z.string(),
      description: z.string(),
    }).nullable(),
    /** Current username of the performer who gave this one up lately; null for none who may be shown. */
    movedTo: z.string().nullable(),
  }),
  refusals: [],
  summary: 'Words of a room for the head of its document',
  requirements: ['B-441'],
  description: 'Crawlers carry no cookie and stand before the entry gate: they get the card of '
    + 'performers who may be shown to everybody everywhere, and the title of those in the SEO experiment. '
    + 'Null for all others, and in regions that are closed.',
});
