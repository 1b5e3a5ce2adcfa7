import type { Slice } from '#platform/contract/bind.ts';
import type { CallContext } from '#platform/contract/context.ts';
import { implement } from '#platform/contract/extension-point.ts';
import { Remembered } from '#platform/data/remembered.ts';
import type { MarkedVisit } from '#platform/http/pages/ssr.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import { personalData, settingsPart } from '#product/accounts/extension-points.ts';
import { kinds } from '#product/notices/extension-points.ts';
import { roomVisits, roomWords } from '#product/rooms/extension-points.ts';
import type { SiteView } from '#product/site/contract.ts';
import { bioHandlers } from './server/bio.ts';
import type { BrowseDependencies, Browsing } from './server/dependencies.ts';
import { directorySubscriptions } from './server/directory/changes.ts';
import { Directories } from './server/directory/directories.ts';
import { historyDeadlines, historyHandlers, historyOf, historyVisits } from './server/history.ts';
import { HomePages } from './server/home-top.ts';
import { homeHandlers, layoutSetting } from './server/home.ts';
import { learningDeadlines, learningHandlers, learningVisits, tasteOf } from './server/learning.ts';
import { listingHandlers } from './server/listings.ts';
import { modelShowsHandler } from './server/model-shows.ts';
import { feedHandlers, feedSubscriptions } from './server/popular/feed.ts';
import { likeHandlers } from './server/popular/likes.ts';
import { Peopled } from './server/popular/peopled.ts';
import { tagHandlers } from './server/popular/tags.ts';
import { SeoVisits } from './server/reports/seo-visits.ts';
import { SeoExperiment, seoHandlers } from './server/reports/seo-words.ts';
import { trackerHandlers } from './server/reports/trackers.ts';
import { bioSubscriptions, fillBios } from './server/search/bios.ts';
import { savedSearchSubscriptions, SEARCH_MATCHED } from './server/search/saved-searches.ts';
import { searchHandlers } from './server/search/searching.ts';
import { sharingHandlers } from './server/sharing/sharing.ts';
import { Viewers } from './server/viewers.ts';
import { addLike } from './store/likes.ts';
import { ownRows } from './store/own-rows.ts';

export type { BrowseDependencies } from './server/dependencies.ts';
/** Exported for the bench, which fills it with a whole site's performers. */
export { Directory } from './server/directory/directory.ts';
export { multiFilterOf } from './server/search/multi-filter.ts';
export { SearchIndex } from './server/search/searchable-words.ts';
export { suggestionsFor } from './server/search/suggestions.ts';

/** Sites whose name a process caches. */
const MAX_SITES = 1_000;

export interface BrowseService {
  /** Resolves when this process has applied all messages and counted all visits it received; for tests. */
  readonly settled: () => Promise<void>;
  /** The directory behind the listings of this process; for benches, which fill it. */
  readonly directoryOf: Browsing['directoryOf'];
  /** Counts a sent document by its mark. */
  readonly documentSent: (visit: MarkedVisit) => void;
  /** Counts a like without HTTP, unless the same person gave it today; for seeds. */
  readonly like: typeof addLike;
}
export type BrowseSlice = Slice<BrowseService>;

/** Finding the right room: listings of performers whom the viewer may perceive, answered from memory. */
export function browseSlice(deps: BrowseDependencies): BrowseSlice {
  const { data, site, onError } = deps;
  const directories = new Directories(deps);
  const viewers = new Viewers(deps);
  const experiment = new SeoExperiment(deps);
  const visits = new SeoVisits(deps);
  const siteViews = new Remembered<Promise<SiteView>>(MAX_SITES);
  const viewOf = ({ scope }: Pick<CallContext, 'scope'>): Promise<SiteView> =>
    siteViews.ask(
      `${scope.operatorId} ${scope.siteId}`,
      data.clock.now().getTime(),
      MINUTE_MS,
      () => site.viewOf(scope),
    );
  const browsing: Browsing = {
    ...deps,
    directoryOf: (operatorId) => directories.of(operatorId),
    viewerOf: (context) => viewers.of(context),
    siteNameOf: async (context) => (await viewOf(context)).display_name,
    listingNamesOf: async (context) => (await viewOf(context)).custom.listing_names,
  };
  const pages = new HomePages(browsing);
  const peopled = new Peopled(deps);
  return {
    name: 'browse',
    service: {
      settled: async () => {
        await visits.settled();
        await directories.settled();
      },
      directoryOf: browsing.directoryOf,
      like: addLike,
      documentSent: visits.count,
    },
    subscriptions: [
      ...directorySubscriptions(deps),
      ...feedSubscriptions(deps),
      ...savedSearchSubscriptions(deps),
      ...bioSubscriptions(deps),
    ],
    callHandlers: [
      ...listingHandlers(browsing, pages, peopled, tasteOf(deps), historyOf(deps)),
      ...homeHandlers(browsing, pages),
      ...tagHandlers(browsing),
      ...feedHandlers(browsing),
      ...likeHandlers(browsing),
      ...trackerHandlers(browsing, experiment),
      ...seoHandlers(browsing, experiment, visits),
      modelShowsHandler(browsing),
      ...searchHandlers(browsing),
      ...sharingHandlers(browsing),
      ...bioHandlers(browsing, peopled),
      ...historyHandlers(browsing),
      ...learningHandlers(browsing),
    ],
    extensions: [
      implement(personalData, ownRows),
      implement(kinds, () => [SEARCH_MATCHED]),
      implement(settingsPart, layoutSetting),
      implement(roomVisits, historyVisits(deps)),
      implement(roomVisits, learningVisits(deps)),
      implement(roomWords, (tx, owner, locale) => experiment.wordsOf(tx, owner, locale)),
    ],
    deadlineHandlers: [...historyDeadlines(deps), ...learningDeadlines(deps)],
    start: async () => {
      for (const operatorId of await site.operators()) await fillBios(deps, operatorId).catch(onError);
    },
    // Load now, so that the first visitor need not wait. After a failure the next call tries again.
    warm: async () => {
      for (const operatorId of await site.operators()) await directories.of(operatorId).catch(onError);
    },
    stop: async () => {
      directories.stop();
      viewers.stop();
      experiment.stop();
      await visits.stop();
    },
  };
}
