import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { REGION_CODE } from '#platform/text/codes.ts';
import { CHAT_STATUSES } from '#product/rooms/rules.ts';
import { z } from 'zod';
import { AFFILIATE_PAGE, MAX_AFFILIATE_PAGES, MIN_EMBED_WIDTH, SHARE_WIDTH } from '../rules/sharing.ts';

/** Readers of these addresses send no body, and media calls take the body as a field. */
const NoBody = z.string().max(0).optional();
const TextAnswer = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});
const xml = { accepts: 'application/xml', answers: 'application/xml; charset=utf-8' } as const;
/** For programs from anywhere that act for nobody: hides every performer whom any region may not see. */
const forPrograms = { root: true, access: 'anyone', credential: 'none' } as const;

export const notForEverybody = refusal({
  slice: 'browse',
  code: 'not_for_everybody',
  kind: 'absent',
  description: 'No such performer, or one who is not shown everywhere. Both get one answer.',
});

export const getRobots = call({
  ...forPrograms,
  name: 'browse.getRobots',
  method: 'GET',
  path: '/robots.txt',
  media: { accepts: 'text/plain', answers: 'text/plain; charset=utf-8' },
  input: z.object({ body: NoBody }),
  output: TextAnswer,
  refusals: [],
  summary: 'What crawlers may read (RFC 9309)',
  description: 'Names the sitemap.',
});

export const getSitemap = call({
  ...forPrograms,
  name: 'browse.getSitemap',
  method: 'GET',
  path: '/sitemap.xml',
  media: xml,
  input: z.object({ body: NoBody }),
  output: TextAnswer,
  refusals: [],
  summary: 'The index of the sitemap (sitemaps.org)',
  description: 'Its parts are the listings, and the performers 5,000 at a time.',
});

export const sitemapPartUnknown = refusal({
  slice: 'browse',
  code: 'sitemap_part_unknown',
  kind: 'absent',
  description: 'The index has no such part.',
});
export const getSitemapPart = call({
  ...forPrograms,
  name: 'browse.getSitemapPart',
  method: 'GET',
  path: '/sitemap/:part',
  media: xml,
  input: z.object({ part: z.string().max(40), body: NoBody }),
  output: TextAnswer,
  refusals: [sitemapPartUnknown],
  summary: 'One part of the sitemap',
  description: '`listings.xml`, or `performers-1.xml` and so on. Only who is shown in every region, and '
    + 'listings that have somebody in them.',
});

export const getLiveFeed = call({
  ...forPrograms,
  name: 'browse.getLiveFeed',
  method: 'GET',
  path: '/feed.rss',
  media: { accepts: 'application/rss+xml', answers: 'application/rss+xml; charset=utf-8' },
  input: z.object({ body: NoBody }),
  output: TextAnswer,
  refusals: [],
  summary: 'Who went live, newest first (RSS 2.0)',
  description: 'Up to 50 who are live and shown in every region. Names and topics, no pictures.',
});

export const getCalendar = call({
  ...forPrograms,
  name: 'browse.getCalendar',
  method: 'GET',
  path: '/:username/schedule.ics',
  media: { accepts: 'text/calendar', answers: 'text/calendar; charset=utf-8' },
  input: z.object({ username: z.string().max(40), body: NoBody }),
  output: TextAnswer,
  refusals: [notForEverybody],
  summary: 'A performer’s schedule as a calendar (RFC 5545)',
  description: 'The next four weeks, in UTC. Only of performers who are shown in every region.',
});

export const oEmbed = call({
  ...forPrograms,
  name: 'browse.oEmbed',
  method: 'GET',
  path: '/oembed',
  crossOrigin: true,
  input: z.object({
    url: z.string().max(300),
    format: z.enum(['json']).optional(),
    maxwidth: z.int().min(MIN_EMBED_WIDTH).max(10_000).optional(),
    maxheight: z.int().min(MIN_EMBED_WIDTH).max(10_000).optional(),
  }),
  output: z.object({
    type: z.literal('rich'),
    version: z.literal('1.0'),
    title: z.string(),
    author_name: z.string(),
    author_url: z.string(),
    provider_name: z.string(),
    provider_url: z.string(),
    cache_age: z.int(),
    thumbnail_url: z.string(),
    thumbnail_width: z.int(),
    thumbnail_height: z.int(),
    html: z.string(),
    width: z.int(),
    height: z.int(),
  }),
  refusals: [notForEverybody],
  summary: 'How to embed a room (oEmbed 1.0)',
  description: '`url` is the address of a room of this site. The picture is a card with the name, never the '
    + 'stream; the frame asks for the viewer’s age before it shows anything.',
});

export const getShareImage = call({
  ...forPrograms,
  name: 'browse.getShareImage',
  method: 'GET',
  path: '/share/:file',
  media: { accepts: 'image/png', answers: 'image/png' },
  input: z.object({ file: z.string().max(60), body: NoBody }),
  output: z.object({
    status: z.int(),
    headers: z.record(z.string(), z.string()),
    body: z.custom<Uint8Array>((body) => body instanceof Uint8Array),
  }),
  refusals: [notForEverybody],
  summary: 'The picture that other sites show beside a link',
  description: `\`site.png\`, \`games.png\` for /games, or the username of a performer and \`.png\`. `
    + `${SHARE_WIDTH} pixels wide: the name on the colours of the site, nothing of a stream.`,
});

const TrackingId = z.string().max(64).optional();

export const listAffiliateOnline = call({
  name: 'browse.listAffiliateOnline',
  method: 'GET',
  path: '/affiliates/online',
  access: 'anyone',
  credential: 'none',
  crossOrigin: true,
  limit: { points: 60, seconds: 60, per: 'address' },
  input: z.object({
    /** Every one of `TRACKING_IDS`. */
    advert_id: TrackingId,
    id: TrackingId,
    wid: TrackingId,
    aclid: TrackingId,
    gclid: TrackingId,
    vclid: TrackingId,
    msclkid: TrackingId,
    ad_id: TrackingId,
    cmp: TrackingId,
    u1: TrackingId,
    u2: TrackingId,
    u3: TrackingId,
    u4: TrackingId,
    sitecode: TrackingId,
    t: TrackingId,
    type: TrackingId,
    /** The region of the affiliate's page: `DE`, `US-FL`. Absent: every region. */
    region: z.string().max(6).regex(REGION_CODE).optional(),
    gender: z.string().max(16).optional(),
    tag: z.string().max(40).optional(),
    p: z.int().min(1).max(MAX_AFFILIATE_PAGES).optional(),
    perPage: z.int().min(1).max(AFFILIATE_PAGE).optional(),
  }),
  output: z.object({
    performers: z.array(z.object({
      username: z.string(),
      displayName: z.string(),
      gender: z.string().nullable(),
      status: z.enum(CHAT_STATUSES),
      tags: z.array(z.string()),
      languages: z.array(z.string()),
      subject: z.string(),
      viewers: z.int(),
      url: z.string(),
      embedUrl: z.string(),
      /** Null where the region asks for more than a declared age, and without a region. */
      thumbnailUrl: z.string().nullable(),
    })),
    totalCount: z.int(),
    page: z.int(),
    perPageCount: z.int(),
  }),
  refusals: [],
  summary: 'Who is online, for affiliates',
  description: 'By the published ranking, up to 100 a page. Only who may be seen in `region`; without it '
    + 'only who may be seen everywhere. Tracking ids of the request are in every link.',
});
