import type { OutputOf } from '#platform/contract/call.ts';
import type { Problem } from '#platform/contract/client.ts';
import { problemOf, queryOf } from '#platform/ui/calls/calls.ts';
import { pagesOf, type Paging } from '#platform/ui/calls/pages.ts';
import { pageTools, type PageTools } from '#platform/ui/calls/route.ts';
import { data, redirect, type LoaderFunctionArgs, type RouterContextProvider } from 'react-router';
import { browseLive, browseMore } from '../../client.ts';
import {
  listingOf,
  SCROLL_STEP,
  sectionOfGender,
  shownListing,
  type Listing,
} from '../../rules/listing/listings.ts';
import { GENDER_COOKIE, gendersIn, HIDE_COOKIE, inputOf, type Choices } from './choices.ts';

/** How a listing continues while scrolling: 40 performers, then 60 more each time. */
export const SCROLLING: Paging<typeof browseMore> = {
  cursor: 'from',
  after: { perPage: SCROLL_STEP },
  next: ({ totalCount }, loads) => {
    const from = loads.reduce((sum, { perPageCount }) => sum + perPageCount, 0);
    return from < totalCount ? from : null;
  },
};

/** Viewers who return from a room within an hour find the listing and the scroll position unchanged. */
export const UNUSED_MS = 3_600_000;

/** The data a listing's page renders with, besides the cache. */
export interface Loaded extends Choices {
  /** Why the listing could not be read; null after success or while loading. */
  readonly problem: Problem | null;
}

type Arguments = Pick<LoaderFunctionArgs, 'request'> & { readonly context: Readonly<RouterContextProvider> };

export const choicesOf = ({ cookie, isSmall }: PageTools): Choices => ({
  hide: gendersIn(cookie(HIDE_COOKIE)),
  isSmall: isSmall(),
});

/**
 * Redirects viewers who arrive at the home page to the section of their address, else of their cookie. A
 * viewer who is already on the site chose the home page on purpose.
 */
export function toChosenSection({ request, context }: Arguments): void {
  const { searchParams } = new URL(request.url);
  const section = sectionOfGender(searchParams.get('gender') ?? context.get(pageTools).cookie(GENDER_COOKIE));
  if (section !== '/') throw redirect(section);
}

/** Reads a listing into the cache: for scrolling ones, the first load. */
async function fetchInto(
  { cache, call }: PageTools,
  listing: Listing,
  input: ReturnType<typeof inputOf>,
): Promise<OutputOf<typeof browseLive> | undefined> {
  if (!listing.isInfinite) return cache.ensureQueryData(queryOf(call, browseLive, input));
  const { pages } = await cache.ensureInfiniteQueryData(pagesOf(call, browseMore, input, SCROLLING));
  return pages[0];
}

/**
 * The loader of every listing. On the server the document waits for the listing, and a failure sets its
 * status; in the browser the page shows at once and loads the listing itself.
 * @param waits whether the page shows only after the listing is loaded
 */
export const loadListing = (waits: boolean) => async ({ request, context }: Arguments) => {
  const tools = context.get(pageTools);
  await tools.texts(['browse']);
  const { pathname, searchParams } = new URL(request.url);
  const listing = shownListing(pathname);
  // Addresses are in lower case; others redirect there.
  if (!listingOf(pathname) && listingOf(pathname.toLowerCase())) {
    throw redirect(`${pathname.toLowerCase()}${new URL(request.url).search}`, 301);
  }
  // The root shows its page for unknown addresses.
  if (!listing) throw data(null, { status: 404 });
  const choices = choicesOf(tools);
  const loaded: Loaded = { ...choices, problem: null };
  if ((listing.isPersonal && !tools.signedIn()) || !(await tools.admitted())) return loaded;
  const reading = fetchInto(tools, listing, inputOf(listing, searchParams, choices));
  if (!waits) {
    // The page shows why it failed.
    void reading.catch(() => undefined);
    return loaded;
  }
  let answer: Awaited<typeof reading>;
  try {
    answer = await reading;
  } catch (error) {
    const problem = { ...problemOf(error), ...referenceOf(error, tools) };
    return data({ ...loaded, problem }, { status: problem.status >= 400 ? problem.status : 503 });
  }
  if (answer?.redirect) throw redirect(answer.redirect);
  return loaded;
};

/** A refusal brings its own reference; an error is logged here. */
function referenceOf(error: unknown, { report }: PageTools): { readonly reference?: string } {
  if (problemOf(error).reference !== undefined || problemOf(error).status < 500) return {};
  const reference = report(error);
  return reference === null ? {} : { reference };
}
