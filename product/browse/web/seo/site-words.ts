import type { OutputOf } from '#platform/contract/call.ts';
import { queryKeyOf } from '#platform/ui/calls/calls.ts';
import { getSiteConfig } from '#product/site/client.ts';
import type { Look } from '#product/site/contract.ts';
import type { QueryClient } from '@tanstack/react-query';
import type { ListingNames } from '../../rules/listing/named-listings.ts';

type Words = Pick<Look, 'meta_title' | 'meta_description' | 'h1_content'>;
const USUAL: Words = { meta_title: null, meta_description: null, h1_content: null };

const siteIn = (cache: QueryClient) =>
  cache.getQueryData<OutputOf<typeof getSiteConfig>>(queryKeyOf(getSiteConfig, {}))?.site;

/** The site's texts about itself on its home page; null for the defaults. */
export const homeWords = (cache: QueryClient): Words => siteIn(cache)?.custom ?? USUAL;

/** Names that the site gives some listings. */
export const listingNamesIn = (cache: QueryClient): ListingNames => siteIn(cache)?.custom.listing_names ?? {};

/** The name of the site; every page has read it. */
export const siteNameIn = (cache: QueryClient): string => siteIn(cache)?.display_name ?? '';
