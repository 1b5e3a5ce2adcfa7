import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { InputOf } from '#platform/contract/call.ts';
import { GENDERS } from '#product/accounts/rules.ts';
import type { SiteView } from '#product/site/contract.ts';
import { listAffiliateOnline, notForEverybody, oEmbed } from '../../contract/sharing.ts';
import type { DirectoryEntry } from '../../rules/listing/entry.ts';
import type { Filter } from '../../rules/listing/filters.ts';
import { genderOfSlug } from '../../rules/listing/listings.ts';
import { escapeHtml } from '../../rules/seo.ts';
import {
  AFFILIATE_PAGE,
  EMBED_HEIGHT,
  EMBED_WIDTH,
  SHARE_HEIGHT,
  SHARE_WIDTH,
  TRACKING_IDS,
} from '../../rules/sharing.ts';
import type { Browsing } from '../dependencies.ts';
import { entryView } from '../entries.ts';
import { addressOf, publicEntry, regionSees } from './public.ts';

/** Seconds for which other sites may cache how to embed a room. */
const EMBED_SECONDS = 3_600;

export const embedHandlers = (browsing: Browsing): CallHandler[] => [
  oEmbedHandler(browsing),
  affiliateHandler(browsing),
];

/** The username in a room's address on one of these hosts. */
function roomOf(url: string, hosts: readonly string[]): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, host, pathname } = new URL(url);
  if (!/^https?:$/u.test(protocol) || !hosts.includes(host)) return null;
  return /^\/(?:embed\/)?([\w-]{1,40})\/?$/u.exec(pathname)?.[1] ?? null;
}

function oEmbedHandler(browsing: Browsing): CallHandler {
  const { site, text } = browsing;
  return handleCall(oEmbed)(async ({ url, maxwidth, maxheight }, { scope, origin, locale, refuse }) => {
    const view = await site.viewOf(scope, origin);
    const username = roomOf(url, [new URL(view.main_domain_url).host, new URL(origin).host]);
    const entry = username === null ? null : await publicEntry(browsing, scope, username);
    if (!entry) return refuse(notForEverybody);
    const { width, height } = sizeWithin(maxwidth, maxheight);
    const name = encodeURIComponent(entry.username);
    const title = text(locale, 'browse:seo.embedTitle', { name: entry.displayName, site: view.display_name });
    const frame = `<iframe src="${escapeHtml(addressOf(view, `/embed/${name}`))}" width="${width}" `
      + `height="${height}" title="${escapeHtml(title)}" allow="autoplay; fullscreen" loading="lazy" `
      + 'style="border:0" referrerpolicy="no-referrer"></iframe>';
    return {
      type: 'rich',
      version: '1.0',
      title,
      author_name: entry.displayName,
      author_url: addressOf(view, `/${name}`),
      provider_name: view.display_name,
      provider_url: addressOf(view, '/'),
      cache_age: EMBED_SECONDS,
      thumbnail_url: addressOf(view, `/share/${name}.png`),
      thumbnail_width: SHARE_WIDTH,
      thumbnail_height: SHARE_HEIGHT,
      html: frame,
      width,
      height,
    };
  });
}

/** The default size, scaled down to fit. */
function sizeWithin(maxWidth = EMBED_WIDTH, maxHeight = EMBED_HEIGHT) {
  const scale = Math.min(1, maxWidth / EMBED_WIDTH, maxHeight / EMBED_HEIGHT);
  return { width: Math.floor(EMBED_WIDTH * scale), height: Math.floor(EMBED_HEIGHT * scale) };
}

type AffiliateInput = InputOf<typeof listAffiliateOnline>;

function affiliateHandler({ data, site, compliance, broadcast, directoryOf }: Browsing): CallHandler {
  return handleCall(listAffiliateOnline)(async (input, { scope, origin }) => {
    const view = await site.viewOf(scope, origin);
    const { region, p: page = 1, perPage = AFFILIATE_PAGE } = input;
    const now = data.clock.now().getTime();
    const { entries, total } = (await directoryOf(scope.operatorId)).list({
      filter: filterOf(input),
      sort: 'recommended',
      sees: regionSees(compliance, scope, region),
      offset: (page - 1) * perPage,
      limit: perPage,
      now,
    });
    // Other sites show the thumbnail without a gate, so only regions where a declared age suffices get one.
    const hasPictures = region !== undefined && compliance.policyOf(scope, region).rule === 'declare';
    const ids = trackingOf(input);
    return {
      performers: entries.map((entry) => {
        const { liveThumbUrl, thumbUrl } = entryView(entry, broadcast, now);
        const picture = hasPictures ? liveThumbUrl ?? thumbUrl : null;
        return affiliateView(entry, view, ids, picture);
      }),
      totalCount: total,
      page,
      perPageCount: perPage,
    };
  });
}

function filterOf({ gender, tag }: AffiliateInput): Filter {
  const genders = gender?.split(',').flatMap((text) =>
    GENDERS.find((code) => code === text) ?? genderOfSlug(text) ?? []
  );
  return { ...(genders ? { genders } : {}), ...(tag === undefined ? {} : { tags: [tag] }) };
}

/** The tracking ids of a request as a query, in a fixed order. */
function trackingOf(input: AffiliateInput): string {
  const given = TRACKING_IDS.flatMap((id): [string, string][] => {
    const value = input[id];
    return value === undefined || value === '' ? [] : [[id, value]];
  });
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

function affiliateView(
  { username, displayName, gender, status, tags, languages, topic, viewerCount }: DirectoryEntry,
  view: SiteView,
  ids: string,
  picture: string | null,
) {
  const path = `/${encodeURIComponent(username)}`;
  return {
    username,
    displayName,
    gender,
    status,
    tags: [...tags],
    languages: [...languages],
    subject: topic,
    viewers: viewerCount,
    url: addressOf(view, `${path}${ids}`),
    embedUrl: addressOf(view, `/embed${path}${ids}`),
    thumbnailUrl: picture === null ? null : addressOf(view, picture),
  };
}
