import type { HeadPage, HeadTags } from '#platform/ui/calls/head.ts';
import type { QueryClient } from '@tanstack/react-query';
import { browseLive, browseMore } from '../../client.ts';
import type { BrowseDataView } from '../../contract.ts';
import { listingOf, shownListing, type Listing } from '../../rules/listing/listings.ts';
import { headTexts, type SeoLink } from '../../rules/seo.ts';
import { ALIASES } from '../../rules/sharing.ts';
import { homeWords, listingNamesIn } from './site-words.ts';

/** Performers that structured data names: the first screens of a listing. */
const MAX_LISTED = 30;

/**
 * The head of a listing. It names only performers on the page: before the entry gate that is nobody, but the
 * listing is still described.
 */
export function listingHead(
  { cache, pathname, query, language, siteName, address }: HeadPage,
): HeadTags | null {
  const listing = shownListing(pathname);
  if (!listing) return null;
  const answer = answerOf(cache, listing);
  const say = language.translator('browse');
  const page = Math.max(1, Number(query.get('p')) || 1);
  // A role may have several spellings, but its listing has one canonical address.
  const { role } = listing.filter;
  const path = role === undefined ? listing.path : `/browse-role/${role}`;
  const canonical = ALIASES[path] ?? path;
  const { metaTitle, metaDescription, breadcrumbs } = headTexts({ ...listing, path }, {
    say,
    locale: language.language,
    total: answer?.totalCount ?? 0,
    siteName,
    page,
    names: listingNamesIn(cache),
  });
  // An address that shows its section instead has no canonical page of its own.
  const isInstead = listingOf(pathname) === null;
  const own = listing.kind === 'home' ? homeWords(cache) : null;
  const ownTitle = own?.meta_title ?? null;
  const shown = answer?.userList.slice(0, MAX_LISTED) ?? [];
  return {
    title: ownTitle === null ? metaTitle : page === 1 ? ownTitle : say('seo.page', { title: ownTitle, page }),
    description: own?.meta_description ?? metaDescription,
    canonical,
    isIndexed: !isInstead && !listing.isPersonal
      && (!answer || answer.totalCount > 0 || listing.kind === 'home'),
    ...(listing.path === '/games'
      ? { image: { path: '/share/games.png', alt: say('odd.title.games') } }
      : {}),
    structured: [
      breadcrumbsFor(breadcrumbs, address),
      ...(shown.length === 0 || listing.isPersonal ? [] : [{
        '@type': 'ItemList',
        name: metaTitle,
        numberOfItems: shown.length,
        itemListElement: shown.map(({ username, displayName }, at) => ({
          '@type': 'ListItem',
          position: at + 1,
          name: displayName,
          url: address(`/${encodeURIComponent(username)}`),
        })),
      }]),
    ],
    links: [{
      type: 'application/rss+xml',
      href: '/feed.rss',
      title: say('seo.feedTitle', { site: siteName }),
    }],
  };
}

const breadcrumbsFor = (links: readonly SeoLink[], address: HeadPage['address']) => ({
  '@type': 'BreadcrumbList',
  itemListElement: links.map(({ name, path }, at) => ({
    '@type': 'ListItem',
    position: at + 1,
    name,
    item: address(path),
  })),
});

type Answer = Pick<BrowseDataView, 'totalCount' | 'userList'>;

/** The answer the page was rendered with: the newest of this listing. */
function answerOf(cache: QueryClient, { path }: Listing): Answer | null {
  const found = [browseLive, browseMore].flatMap(({ name }) =>
    cache.getQueryCache().findAll({ queryKey: [name] })
      .filter(({ queryKey, state }) =>
        state.data !== undefined
        && (queryKey[1] as { readonly path?: string } | undefined)?.path === path.slice(1)
      )
  );
  const newest = found.sort((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt)[0];
  const data = newest?.state.data as Answer | { readonly pages: readonly Answer[] } | undefined;
  return (data && ('pages' in data ? data.pages[0] : data)) ?? null;
}
