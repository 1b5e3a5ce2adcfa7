import type { RouteHandle } from '#platform/ui/calls/route.ts';
import { useLoaderData, useLocation } from 'react-router';
import { shownListing } from '../rules/listing/listings.ts';
import { PagedListing, ScrollingListing } from './listing/listings.tsx';
import { loadListing } from './listing/load.ts';
import { listingHead } from './seo/listing-head.ts';

export const handle: RouteHandle = { banner: 'always', head: listingHead };
export const loader = loadListing(true);
export const clientLoader = loadListing(false);

/** Every listing of performers: gender sections and their listings, top, voyeur cams, personal ones. */
export default function BrowsePage() {
  const { pathname } = useLocation();
  const loaded = useLoaderData<typeof loader>();
  const listing = shownListing(pathname);
  // The loader has refused addresses without a listing.
  if (!listing) return null;
  const Shown = listing.isInfinite ? ScrollingListing : PagedListing;
  return <Shown key={listing.path} listing={listing} loaded={loaded} />;
}
