import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { InputOf, RefusalOf } from '#platform/contract/call.ts';
import type { CallContext, HandlerContext } from '#platform/contract/context.ts';
import type { OperatorScope } from '#platform/data/data.ts';
import {
  browseLive,
  browseMore,
  listingUnknown,
  personalListing,
  type BrowseDataView,
  type ListingEntryView,
} from '../contract.ts';
import { belowThem, everyoneRule } from '../rules/home.ts';
import { explored } from '../rules/listing/around.ts';
import type { DirectoryEntry } from '../rules/listing/entry.ts';
import { matcherOf, type Filter } from '../rules/listing/filters.ts';
import { forYou } from '../rules/listing/for-you.ts';
import {
  filterFor,
  genderHide,
  LISTING_PAGE,
  listingOf,
  MAX_ALTERNATIVES,
  ON_HOME,
  V2_PAGE,
  voyeurTabs,
  type Listing,
} from '../rules/listing/listings.ts';
import { ownName } from '../rules/listing/named-listings.ts';
import { filterOf } from '../rules/listing/query.ts';
import type { Sort } from '../rules/listing/ranking.ts';
import type { Say } from '../rules/say.ts';
import type { BrowseViewer, Browsing } from './dependencies.ts';
import { Answers } from './directory/answers.ts';
import type { Directory } from './directory/directory.ts';
import { forYouViews, Tiles } from './entries.ts';
import { idsIn, topOf, type HomePages } from './home-top.ts';
import type { TasteOf } from './learning.ts';
import type { Peopled } from './popular/peopled.ts';
import { ListingTexts } from './seo.ts';

type Query = InputOf<typeof browseLive>;
type Refusal = RefusalOf<typeof browseLive>;

/** Ids of performers whose rooms somebody entered, latest first. */
export type HistoryOf = (context: CallContext) => Promise<readonly number[]>;
const NO_HISTORY: HistoryOf = async () => [];

/** One page of a listing, and its total number of performers. */
interface Page {
  readonly userList: ListingEntryView[];
  readonly total: number;
  /** The viewer turned it off. */
  readonly isOff?: boolean;
}

/** A request for a listing. */
interface Question {
  readonly listing: Listing;
  readonly input: Query;
  readonly perPage: number;
}

/** The parsed request. */
interface Asked {
  readonly listing: Listing;
  readonly filter: Filter;
  readonly sort: Sort;
  readonly seed: number;
  readonly offset: number;
  readonly limit: number;
}

/** Handlers of listings: one call for pages, one for scrolling. */
export function listingHandlers(
  browsing: Browsing,
  pages: HomePages,
  peopled: Peopled,
  tasteOf: TasteOf,
  historyOf: HistoryOf = NO_HISTORY,
): CallHandler[] {
  const listings = new Listings(browsing, pages, peopled, tasteOf, historyOf);
  /** Both calls differ only in the page size. */
  const answering =
    (perPageOf: (input: Query, listing: Listing) => number) =>
    async (input: Query, context: HandlerContext<Refusal>) => {
      const listing = listingOf(input.path);
      if (!listing) return context.refuse(listingUnknown);
      if (listing.isPersonal && context.caller.kind !== 'person') return context.refuse(personalListing);
      return listings.answer({ listing, input, perPage: perPageOf(input, listing) }, context);
    };
  return [
    handleCall(browseLive)(
      answering(({ perPage }, listing) =>
        Math.min(perPage ?? listing.perPage, listing.isInfinite ? LISTING_PAGE : listing.perPage)
      ),
    ),
    handleCall(browseMore)(
      answering(({ perPage }, listing) => perPage ?? Math.min(V2_PAGE, listing.perPage)),
    ),
  ];
}

/** What an answer to guests depends on besides the directory: the query, audience, language and site. */
const keyOf = (
  { listing, input, perPage }: Question,
  { audience }: BrowseViewer,
  { scope, locale }: CallContext,
): string =>
  JSON.stringify([
    scope.operatorId,
    scope.siteId,
    locale,
    audience,
    listing.path,
    perPage,
    // The contract fixes the order of a query's fields.
    Object.entries(input),
  ]);

/** Whether this is the unfiltered first page that the home page shows below its featured show and rows. */
const standsBelow = (
  { kind }: Listing,
  { offset, sort, filter: { also = {} } }: Asked,
  { without }: Query,
): boolean =>
  kind === 'home' && without === 'top' && offset === 0 && sort === 'recommended'
  && Object.keys(also).length === 0;

class Listings {
  readonly #answers: Answers;
  readonly #tiles: Tiles;
  readonly #texts: ListingTexts;
  readonly #peopled: Peopled;
  readonly #browsing: Browsing;
  readonly #pages: HomePages;
  readonly #tasteOf: TasteOf;
  readonly #historyOf: HistoryOf;

  constructor(
    browsing: Browsing,
    pages: HomePages,
    peopled: Peopled,
    tasteOf: TasteOf,
    historyOf: HistoryOf,
  ) {
    this.#browsing = browsing;
    this.#pages = pages;
    this.#answers = new Answers(() => this.#now());
    this.#tiles = new Tiles(browsing.broadcast);
    this.#texts = new ListingTexts(browsing.text);
    this.#peopled = peopled;
    this.#tasteOf = tasteOf;
    this.#historyOf = historyOf;
  }

  /** Answers to guests are shared for a moment; answers to members are never shared. */
  async answer(question: Question, context: CallContext): Promise<Readonly<BrowseDataView>> {
    const { directoryOf, viewerOf } = this.#browsing;
    const viewer = await viewerOf(context);
    const directory = await directoryOf(context.scope.operatorId);
    const make = (): Promise<BrowseDataView> => this.#make(question, viewer, directory, context);
    const isShared = context.caller.kind !== 'person' && question.input.sort !== 'random';
    const key = keyOf(question, viewer, context);
    return isShared ? this.#answers.ask(key, directory, make) : make();
  }

  async #make(
    { listing, input, perPage }: Question,
    viewer: BrowseViewer,
    directory: Directory,
    context: CallContext,
  ): Promise<BrowseDataView> {
    const { text, siteNameOf, listingNamesOf } = this.#browsing;
    const names = await listingNamesOf(context);
    const say: Say = (key, values) => text(context.locale, `browse:${key}`, values);
    const page = input.p ?? 1;
    const sort = input.sort ?? listing.sort;
    const hidden = genderHide(input.path, input['gender-hide']);
    const base: Filter = { ...filterFor(listing, hidden), withoutIds: viewer.hidden };
    const asked: Asked = {
      listing,
      sort,
      filter: { ...base, also: filterOf(input) },
      seed: input.seed ?? 0,
      offset: input.from ?? (page - 1) * perPage,
      limit: perPage,
    };
    const { userList: all, total, isOff = false } = await this.#pageOf(directory, viewer, asked, context);
    const userList = standsBelow(listing, asked, input) ? await this.#below(all, input, context) : all;
    const others: Filter = {
      ...(listing.gender === null ? { hidden } : { genders: [listing.gender] }),
      withoutIds: viewer.hidden,
      ...(listing.kind === 'home' ? ON_HOME : {}),
    };
    return {
      userList,
      totalCount: total,
      perPageCount: perPage,
      page,
      responseCode: 200,
      isSearchEmpty: total === 0,
      alternativeUserList: total > 0 || isOff ? [] : this.#found(directory, viewer, {
        listing: { ...listing, withOffline: false },
        filter: others,
        sort: 'recommended',
        seed: 0,
        offset: 0,
        limit: MAX_ALTERNATIVES,
      }).userList,
      redirect: null,
      kind: listing.kind,
      sort,
      ...(isOff ? { isOff } : {}),
      tabList: voyeurTabs(listing).map(({ name, ...tab }) => ({
        ...tab,
        name: typeof name === 'string' ? say(`tabs.${name}`) : ownName(name.own, say, names),
      })),
      ...await this.#leading(
        listing,
        context.scope,
        directory,
        viewer,
        this.#texts.of(listing, {
          locale: context.locale,
          total,
          siteName: await siteNameOf(context),
          names,
          page,
        }),
      ),
    };
  }

  /** A page without performers shown above it; unchanged where too few others are live. */
  async #below(
    all: ListingEntryView[],
    { 'gender-hide': hide }: Query,
    context: CallContext,
  ): Promise<ListingEntryView[]> {
    const page = await this.#pages.read(context, hide);
    const rule = everyoneRule(page.ranking.entries.length, 1);
    return [...belowThem(all, idsIn(topOf({ ...page, layout: 'classic' }, context)), rule)];
  }

  /** The links of the page: only listings that have performers. */
  async #leading(
    { kind, gender }: Listing,
    scope: OperatorScope,
    directory: Directory,
    viewer: BrowseViewer,
    seo: BrowseDataView['seo'],
  ): Promise<Pick<BrowseDataView, 'seo' | 'exploreList'>> {
    const peopled = <T extends { readonly path: string }>(links: readonly T[]): Promise<T[]> =>
      this.#peopled.among(links, scope, directory, viewer);
    if (kind !== 'home' && kind !== 'gender') {
      return { seo: { ...seo, relatedLinks: await peopled(seo.relatedLinks) } };
    }
    const all = explored(gender).flatMap(([, paths]) => paths.map((path) => ({ path })));
    return { seo, exploreList: (await peopled(all)).map(({ path }) => path) };
  }

  async #pageOf(
    directory: Directory,
    viewer: BrowseViewer,
    asked: Asked,
    context: CallContext,
  ): Promise<Page> {
    const { kind } = asked.listing;
    if (kind === 'history') return this.#inOrder(directory, viewer, asked, await this.#historyOf(context));
    if (kind === 'forYou') return this.#forYou(directory, viewer, asked, context);
    const ids = kind === 'followed' ? { ids: viewer.followed } : {};
    return this.#found(directory, viewer, { ...asked, filter: { ...asked.filter, ...ids } });
  }

  #found(directory: Directory, { sees }: BrowseViewer, asked: Asked): Page {
    const { listing: { withOffline }, filter, sort, seed, offset, limit } = asked;
    const now = this.#now();
    const order = sort === 'rating' && filter.isPrivateRated === true ? 'privateRating' : sort;
    const { entries, total } = directory.list({
      filter,
      sort: order,
      seed,
      sees,
      offset,
      limit,
      withOffline,
      now,
    });
    return { userList: entries.map((entry) => this.#tiles.of(entry, now, sort)), total };
  }

  /** These performers in this order, as far as they match and may be perceived. */
  #inOrder(
    directory: Directory,
    { sees }: BrowseViewer,
    { filter, offset, limit }: Asked,
    ids: readonly number[],
  ): Page {
    const now = this.#now();
    const matches = matcherOf(filter, now);
    const entries = ids.flatMap((id) => directory.get(id) ?? [])
      .filter((entry) => matches(entry) && sees(entry));
    return {
      userList: entries.slice(offset, offset + limit).map((entry) => this.#tiles.of(entry, now, 'newest')),
      total: entries.length,
    };
  }

  async #forYou(
    directory: Directory,
    viewer: BrowseViewer,
    asked: Asked,
    context: CallContext,
  ): Promise<Page> {
    const taste = await this.#tasteOf(context, directory, viewer);
    if (!taste) return { userList: [], total: 0, isOff: true };
    if (asked.sort !== 'recommended') return this.#found(directory, viewer, asked);
    const now = this.#now();
    const entries: DirectoryEntry[] = [];
    directory.each(asked.filter, viewer.sees, now, (entry) => entries.push(entry));
    const ranked = forYou(entries, taste, now);
    const shown = ranked.slice(asked.offset, asked.offset + asked.limit);
    return { userList: forYouViews(shown, taste, this.#browsing.broadcast, now), total: ranked.length };
  }

  #now(): number {
    return this.#browsing.data.clock.now().getTime();
  }
}
