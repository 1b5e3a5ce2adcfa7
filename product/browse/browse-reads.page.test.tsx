import { listFollowed } from '#product/messaging/client.ts';
import { getRoom } from '#product/rooms/client.ts';
import {
  expectAllReads,
  guestAt,
  showsFaces,
  titled,
  viewerAt,
  type QuietRead,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, test } from 'vitest';
import {
  browseLive,
  browseMore,
  getBio,
  getContest,
  getExperiments,
  getFeed,
  getForYouLearned,
  getHome,
  getLikes,
  getModelShows,
  getRoomWords,
  getViewHistory,
  homeCustom,
  homeSections,
  listContests,
  listSearches,
  multiFilter,
  suggest,
  tagIndex,
  tagsOfGender,
} from './client.ts';

/** The page of a performer who is live, at an address below their name. */
const ofPerformer = (address: (username: string) => string): ReadCase['way'] => async (site) => {
  const { username } = await site.performer({ live: true });
  return { visitor: await site.viewer(), at: address(username) };
};
/** The home page, once its layout is chosen. */
const homeIn = (layout: string): ReadCase['way'] =>
  viewerAt('/', {
    first: async (page) => void await page.find('group', 'Layout'),
    leads: (page) => page.press(layout),
  });

const CASES: readonly ReadCase[] = [
  { in: ['bio/bio-page.tsx'], call: getBio, way: ofPerformer((username) => `/${username}/bio`) },
  {
    in: ['tiles/tile-panel.tsx'],
    call: listFollowed,
    isSmall: true,
    way: ofPerformer((username) => `/${username}/bio`),
  },
  { in: ['embed-page.tsx'], call: getRoom, way: ofPerformer((username) => `/embed/${username}`) },
  { in: ['feed-page.tsx'], call: getFeed, way: guestAt('/girls/feed') },
  { in: ['history/history-page.tsx'], call: getViewHistory, way: viewerAt('/view-history') },
  {
    in: ['history/history-page.tsx', 'history/learned.tsx'],
    call: getForYouLearned,
    way: viewerAt('/view-history'),
  },
  { in: ['home/home-page.tsx'], call: getHome, way: guestAt('/') },
  { in: ['home/home-page.tsx', 'home/rows-layout.tsx'], call: homeSections, way: homeIn('Sections') },
  { in: ['home/home-page.tsx', 'home/rows-layout.tsx'], call: homeCustom, way: homeIn('My sections') },
  { in: ['likes/contest-page.tsx'], call: getContest, way: guestAt('/contests/girls/sodastars') },
  { in: ['likes/contests-page.tsx'], call: listContests, way: guestAt('/contests') },
  { in: ['likes/most-liked-page.tsx'], call: getLikes, way: guestAt('/most-liked') },
  { in: ['likes/most-liked-page.tsx'], call: getExperiments, isSmall: true, way: guestAt('/most-liked') },
  { in: ['listing/load.ts', 'listing/listings.tsx'], call: browseLive, way: guestAt('/top') },
  { in: ['listing/load.ts', 'listing/listings.tsx'], call: browseMore, way: guestAt('/girls/tag/latina') },
  {
    in: ['listing/recorded-shows.tsx'],
    call: getModelShows,
    way: guestAt('/girls/private-shows/ticket-cam-shows'),
  },
  { in: ['campaigns/campaign-page.tsx'], call: browseLive, way: guestAt('/games') },
  { in: ['campaigns/experiments-page.tsx'], call: getExperiments, way: guestAt('/experiments') },
  {
    in: ['search/multi-filter-page.tsx', 'search/results/load.ts'],
    call: multiFilter,
    way: guestAt('/multi-filter'),
  },
  { in: ['search/search-page.tsx'], call: multiFilter, way: guestAt('/search?q=blonde') },
  {
    in: ['search/offers.tsx'],
    call: suggest,
    isSmall: true,
    way: async (site) => ({
      visitor: await site.visitor({ ofAge: true }),
      at: '/legal',
      from: '/tags',
      // Opening a page closes the suggestions.
      first: async (page) => void await page.find('heading', 'Legal'),
      leads: async (page) => {
        await page.click(await page.find('combobox', 'Search'));
        await page.keys('blo');
        // Suggestions are requested once the page is loaded and typing has paused.
        await page.until(async () => {
          await site.passes(200);
          return page.network.sent.some((sent) => sent.includes('/browse/suggest'));
        });
      },
    }),
  },
  { in: ['search/saved.tsx'], call: listSearches, way: viewerAt('/search?q=blonde') },
  { in: ['tags-page.tsx'], call: tagIndex, way: guestAt('/tags') },
  { in: ['tags-page.tsx'], call: tagsOfGender, way: guestAt('/tags/girls') },
];
const QUIET: readonly QuietRead[] = [
  {
    in: ['bio/bio-page.tsx'],
    call: getRoomWords,
    because: 'words of the head for whoever has not passed the entry gate, which shows all the same',
  },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here [C-109]', () => expectAllReads('browse', CASES, QUIET));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(site, item),
);
