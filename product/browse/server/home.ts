import { handleCall, type CallHandler } from '../../../platform/contract/bind.ts';
import type { CallContext } from '../../../platform/contract/context.ts';
import type { SettingsPart } from '../../accounts/extension-points.ts';
import {
  getHome, homeCustom, homeSections, saveHome, type HomeDataView, type HomeSectionView,
  type HomeView,
} from '../contract/home.ts';
import type { DirectoryEntry } from '../rules/listing/entry.ts';
import { featuredOf, firstRow, rowsOf, type HomeRow, type RowsQuery } from '../rules/home/rows.ts';
import { rowTitle } from '../rules/home/titles.ts';
import {
  DEFAULT_LAYOUT, FOR_YOU_CANDIDATES, HOME_SECTIONS, isLayout, LAYOUT_COOKIE, leadingGender, ROW_LENGTH,
  sectionsOnce, SEE_MORE_FROM, type HomeSectionId, type Layout,
} from '../rules/home.ts';
import { forYou, type Taste } from '../rules/listing/for-you.ts';
import { genderHide, listingOf } from '../rules/listing/listings.ts';
import { findHomeChoice, saveHomeChoice, type HomeChoice } from '../store/home.ts';
import type { Browsing, BrowseViewer } from './dependencies.ts';
import type { Directory } from './directory/directory.ts';
import { entryView, forYouViews } from './entries.ts';
import type { TasteOf } from './learning.ts';
import type { HistoryOf } from './listings.ts';
import { seoOf } from './seo.ts';

const NO_CHOICE: HomeChoice = { layout: null, sections: null };
const HOME = '';

/** Everybody online whom a viewer may see on the home page, by the ranking, and what its rows are made of. */
interface HomePage {
  readonly directory: Directory;
  readonly viewer: BrowseViewer;
  readonly ranked: readonly DirectoryEntry[];
  readonly query: Omit<RowsQuery, 'sections'>;
}

/** The calls of the home page. Rows come from the directory: only what a member chose is read by SQL. */
export function homeHandlers(
  browsing: Browsing, tasteOf: TasteOf, historyOf: HistoryOf = async () => [],
): CallHandler[] {
  const { data } = browsing;
  const choiceOf = ({ caller, scope }: CallContext): Promise<HomeChoice> => {
    const { personId } = caller;
    return personId === null ? Promise.resolve(NO_CHOICE)
      : data.tx(scope, (tx) => findHomeChoice(tx, personId));
  };
  const pageOf = async (context: CallContext, hide: string | undefined): Promise<HomePage> => {
    const [directory, viewer, viewed] = await Promise.all([
      browsing.directoryOf(context.scope.operatorId), browsing.viewerOf(context), historyOf(context),
    ]);
    const hidden = genderHide(HOME, hide);
    const now = data.clock.now().getTime();
    const { entries } = directory.list({
      filter: { hidden, withoutIds: viewer.hidden }, sort: 'recommended', sees: viewer.sees, offset: 0,
      limit: Number.MAX_SAFE_INTEGER, now,
    });
    return {
      directory, viewer, ranked: entries,
      query: { gender: leadingGender(hidden), followed: viewer.followed, viewed, now },
    };
  };
  const answer = async (
    context: CallContext, hide: string | undefined, choice: HomeChoice, sections: readonly HomeSectionId[],
  ): Promise<HomeDataView> => {
    const [{ ranked, query }, siteName] = await Promise.all([
      pageOf(context, hide), browsing.siteNameOf(context),
    ]);
    const listing = listingOf(HOME);
    if (!listing) throw new Error('the home page has no listing');
    return {
      layout: layoutOf(choice, context), featured: featuredView(browsing, ranked, query.now),
      sections: rowsOf(ranked, { ...query, sections })
        .map((row) => sectionView(browsing, row, context.locale, query.now)),
      seo: seoOf(listing, context.locale, ranked.length, siteName, browsing.text),
    };
  };
  return [
    handleCall(getHome)(async ({ 'gender-hide': hide }, context) => {
      const choice = await choiceOf(context);
      const { directory, viewer, ranked, query } = await pageOf(context, hide);
      const taste = await tasteOf(context, directory, viewer);
      const row = firstRow(ranked, { ...query, sections: HOME_SECTIONS });
      return {
        layout: layoutOf(choice, context), sectionList: sectionsOf(choice),
        featured: featuredView(browsing, ranked, query.now),
        section: row && sectionView(browsing, row, context.locale, query.now),
        forYou: taste && forYouView(browsing, ranked, taste, query.now),
      };
    }),
    handleCall(homeSections)(async ({ 'gender-hide': hide }, context) =>
      answer(context, hide, await choiceOf(context), HOME_SECTIONS)),
    handleCall(homeCustom)(async ({ 'gender-hide': hide }, context) => {
      const choice = await choiceOf(context);
      return answer(context, hide, choice, sectionsOf(choice));
    }),
    saveHandler(browsing),
  ];
}

/** The layout of the home page as a setting: what a member saved. */
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
    const { caller: { personId }, scope, locale } = context;
    if (personId === null) throw new Error('only members save a home page');
    const choice = await data.tx(scope, async (tx) => {
      const saved = await saveHomeChoice(tx, personId, {
        ...(layout === undefined ? {} : { layout }),
        ...(sectionList === undefined ? {} : { sections: sectionsOnce(sectionList) }),
      });
      if (layout !== undefined) await accounts.sendSettings(tx, personId);
      return saved;
    });
    return {
      status: 1 as const, message: text(locale, 'browse:home.saved'),
      layout: layoutOf(choice, context), sectionList: sectionsOf(choice),
    };
  });

/** What a member saved goes before what this browser chose. */
function layoutOf({ layout }: HomeChoice, { cookie }: CallContext): Layout {
  const chosen = layout ?? cookie(LAYOUT_COOKIE);
  return isLayout(chosen) ? chosen : DEFAULT_LAYOUT;
}

const sectionsOf = ({ sections }: HomeChoice): HomeSectionId[] => [...(sections ?? HOME_SECTIONS)];

function featuredView(
  { broadcast }: Browsing, ranked: readonly DirectoryEntry[], now: number,
): HomeDataView['featured'] {
  const featured = featuredOf(ranked);
  return featured && entryView(featured, broadcast, now);
}

/** A row of "for you", once something is known that sets it apart from the ranking. */
function forYouView(
  { broadcast }: Browsing, ranked: readonly DirectoryEntry[], taste: Taste, now: number,
): HomeView['forYou'] {
  if (taste.followed.length === 0 && taste.watched.size === 0 && taste.watchedTags.size === 0) return null;
  if (ranked.length === 0) return null;
  const known = new Set([...taste.followed, ...taste.watched.keys()].map(({ id }) => id));
  const among = ranked.filter(({ id }, at) => at < FOR_YOU_CANDIDATES || known.has(id));
  return {
    userList: forYouViews(forYou(among, taste, now).slice(0, ROW_LENGTH), taste, broadcast, now),
    seeMore: ranked.length >= SEE_MORE_FROM ? '/for-you' : null,
  };
}

function sectionView(
  { broadcast, text }: Browsing, { id, value, entries, total, seeMore }: HomeRow, locale: string, now: number,
): HomeSectionView {
  return {
    id, value, seeMore, totalCount: total,
    title: rowTitle(id, value, (key, values) => text(locale, `browse:${key}`, values), locale),
    userList: entries.map((entry) => entryView(entry, broadcast, now)),
  };
}
