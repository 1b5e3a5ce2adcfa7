import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { CallContext } from '#platform/contract/context.ts';
import type { SettingsPart } from '#product/accounts/extension-points.ts';
import {
  getHome,
  homeCustom,
  homeSections,
  saveHome,
  type HomeDataView,
  type HomeSectionView,
  type HomeView,
} from '../contract/home.ts';
import type { HomeRow } from '../rules/home-rows.ts';
import { rowTitle } from '../rules/home-titles.ts';
import {
  HOME_SECTIONS,
  sectionsBelow,
  sectionsOnce,
  sectionsRule,
  SEE_MORE_FROM,
  type HomeSectionId,
} from '../rules/home.ts';
import { listingOf } from '../rules/listing/listings.ts';
import type { Sort } from '../rules/listing/ranking.ts';
import { findHomeChoice, saveHomeChoice, type HomeChoice } from '../store/home.ts';
import type { Browsing } from './dependencies.ts';
import { forYouViews, Tiles } from './entries.ts';
import {
  HOME,
  idsIn,
  layoutOf,
  ownRows,
  topOf,
  type HomePage,
  type HomePages,
  type HomeTop,
} from './home-top.ts';
import { seoOf } from './seo.ts';

const NO_CHOICE: HomeChoice = { layout: null, sections: null };
const ORDER: Sort = 'recommended';

/**
 * Handlers of the home page. Rows come from the directory, with one ranking for all viewers who may perceive
 * the same performers; only a member's own part needs SQL, in one query.
 */
export function homeHandlers(browsing: Browsing, pages: HomePages): CallHandler[] {
  const tiles = new Tiles(browsing.broadcast);
  const viewOf = (row: HomeRow, { locale }: CallContext, now: number): HomeSectionView =>
    sectionView(browsing, tiles, row, locale, now);
  const answer = async (
    context: CallContext,
    hide: string | undefined,
    asked: 'section' | 'custom',
  ): Promise<HomeDataView> => {
    const [page, siteName] = await Promise.all([pages.read(context, hide), browsing.siteNameOf(context)]);
    const listing = listingOf(HOME);
    if (!listing) throw new Error('the home page has no listing');
    const { ranking: { entries, featured }, own, now, layout } = page;
    const sections = asked === 'custom' ? sectionsOf(own?.choice ?? NO_CHOICE) : HOME_SECTIONS;
    return {
      layout,
      featured: featured && tiles.of(featured, now, ORDER),
      sections: sectionRows({ ...page, layout: asked }, context, sections)
        .map((row) => viewOf(row, context, now)),
      seo: seoOf(listing, context.locale, entries.length, siteName, browsing.text),
    };
  };
  return [
    handleCall(getHome)(async ({ 'gender-hide': hide }, context) => {
      const page = await pages.read(context, hide);
      const { own, now, layout } = page;
      const { featured, first, forYou } = topOf(page, context);
      return {
        layout,
        sectionList: sectionsOf(own?.choice ?? NO_CHOICE),
        featured: featured && tiles.of(featured, now, ORDER),
        section: first && viewOf(first, context, now),
        forYou: forYouView(browsing, page, forYou),
      };
    }),
    handleCall(homeSections)(({ 'gender-hide': hide }, context) => answer(context, hide, 'section')),
    handleCall(homeCustom)(({ 'gender-hide': hide }, context) => answer(context, hide, 'custom')),
    saveHandler(browsing),
  ];
}

/** The rows of sections, starting with the first that has anybody besides the featured show. */
function sectionRows(
  page: HomePage,
  context: CallContext,
  sections: readonly HomeSectionId[],
): readonly HomeRow[] {
  const top = topOf(page, context, sections);
  const { first } = top;
  if (first === null) return [];
  const rows = page.ranking.rows(sections, ownRows(page, context));
  const firstAt = rows.findIndex(({ id, value }) => id === first.id && value === first.value);
  const rule = sectionsRule(page.ranking.entries.length);
  return [first, ...sectionsBelow(rows.slice(firstAt + 1), idsIn(top), rule)];
}

/** The home page's layout as a setting, as the member saved it. */
export const layoutSetting: SettingsPart = {
  keys: ['home_layout'],
  read: async (tx, { id }) => {
    const { layout } = await findHomeChoice(tx, id);
    return layout === null ? {} : { home_layout: layout };
  },
  check: async () => null,
  write: async (tx, { id }, { home_layout: layout }) => {
    if (layout !== undefined) await saveHomeChoice(tx, id, { layout });
  },
};

const saveHandler = ({ data, text, accounts }: Browsing): CallHandler =>
  handleCall(saveHome)(async ({ sectionList, layout }, context) => {
    const { personId, scope, locale } = context;
    const choice = await data.tx(scope, async (tx) => {
      const saved = await saveHomeChoice(tx, personId, {
        ...(layout === undefined ? {} : { layout }),
        ...(sectionList === undefined ? {} : { sections: sectionsOnce(sectionList) }),
      });
      if (layout !== undefined) await accounts.sendSettings(tx, personId);
      return saved;
    });
    return {
      status: 1 as const,
      message: text(locale, 'browse:home.saved'),
      layout: layoutOf({ choice }, context),
      sectionList: sectionsOf(choice),
    };
  });

const sectionsOf = ({ sections }: HomeChoice): HomeSectionId[] => [...(sections ?? HOME_SECTIONS)];

/** The row of "for you", with the reasons for each performer. */
const forYouView = (
  { broadcast }: Browsing,
  { ranking, taste, now }: HomePage,
  entries: HomeTop['forYou'],
): HomeView['forYou'] => (taste && entries && {
  userList: forYouViews(entries, taste, broadcast, now),
  seeMore: ranking.entries.length >= SEE_MORE_FROM ? '/for-you' : null,
});

function sectionView(
  { text }: Browsing,
  tiles: Tiles,
  { id, value, entries, total, seeMore }: HomeRow,
  locale: string,
  now: number,
): HomeSectionView {
  return {
    id,
    value,
    seeMore,
    totalCount: total,
    title: rowTitle(id, value, (key, values) => text(locale, `browse:${key}`, values), locale),
    userList: entries.map((entry) => tiles.of(entry, now, ORDER)),
  };
}
