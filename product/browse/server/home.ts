import { handleCall, type CallHandler } from '../../../platform/contract/bind.ts';
import type { CallContext } from '../../../platform/contract/context.ts';
import type { SettingsPart } from '../../accounts/extension-points.ts';
import {
  getHome, homeCustom, homeSections, saveHome, type HomeDataView, type HomeSectionView,
  type HomeView,
} from '../contract/home.ts';
import type { HomeRow } from '../rules/home/rows.ts';
import { rowTitle } from '../rules/home/titles.ts';
import {
  DEFAULT_LAYOUT, FOR_YOU_CANDIDATES, HOME_SECTIONS, isLayout, LAYOUT_COOKIE, leadingGender, ROW_LENGTH,
  sectionsOnce, SEE_MORE_FROM, type HomeSectionId, type Layout,
} from '../rules/home.ts';
import { forYou, type Taste } from '../rules/listing/for-you.ts';
import { genderHide, listingOf } from '../rules/listing/listings.ts';
import type { Sort } from '../rules/listing/ranking.ts';
import {
  findHomeChoice, findOwnHome, saveHomeChoice, type HomeChoice, type OwnHome,
} from '../store/home.ts';
import type { Browsing, BrowseViewer } from './dependencies.ts';
import type { Directory } from './directory/directory.ts';
import { Rankings, type Ranking } from './directory/ranking.ts';
import { forYouViews, Tiles } from './entries.ts';
import { tasteAtHome } from './learning.ts';
import { seoOf } from './seo.ts';

const NO_CHOICE: HomeChoice = { layout: null, sections: null };
const HOME = '';
const ORDER: Sort = 'recommended';

/** What one home page is made of; nothing of a guest's is their own. */
interface HomePage {
  readonly directory: Directory;
  readonly viewer: BrowseViewer;
  readonly ranking: Ranking;
  readonly own: (OwnHome & { readonly readAt: Date }) | null;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * The calls of the home page. Rows come from the directory, by one ranking for all who may perceive the same:
 * only what is a member's own is read by SQL, in one query.
 */
export function homeHandlers(browsing: Browsing): CallHandler[] {
  const { data } = browsing;
  const rankings = new Rankings();
  const tiles = new Tiles(browsing.broadcast);
  const ownOf = ({ caller: { kind, personId }, scope }: CallContext): Promise<HomePage['own']> =>
    (kind !== 'person' || personId === null ? Promise.resolve(null)
      : data.read(scope, async (tx) => ({ ...(await findOwnHome(tx, personId)), readAt: tx.now })));
  const pageOf = async (context: CallContext, hide: string | undefined): Promise<HomePage> => {
    const { operatorId } = context.scope;
    const [directory, viewer, own] = await Promise.all([
      browsing.directoryOf(operatorId), browsing.viewerOf(context), ownOf(context),
    ]);
    const hidden = genderHide(HOME, hide);
    const now = data.clock.now().getTime();
    const gender = leadingGender(hidden);
    const ranking = rankings.of(directory, viewer, { operatorId, hidden, gender, now });
    return { directory, viewer, ranking, own, now };
  };
  const answer = async (
    context: CallContext, hide: string | undefined,
    sectionsFor: (own: HomePage['own']) => readonly HomeSectionId[],
  ): Promise<HomeDataView> => {
    const [page, siteName] = await Promise.all([pageOf(context, hide), browsing.siteNameOf(context)]);
    const listing = listingOf(HOME);
    if (!listing) throw new Error('the home page has no listing');
    const { ranking, own, now } = page;
    return {
      layout: layoutOf(own, context), featured: ranking.featured && tiles.of(ranking.featured, now, ORDER),
      sections: ranking.rows(sectionsFor(own), ownRows(page, context))
        .map((row) => sectionView(browsing, tiles, row, context.locale, now)),
      seo: seoOf(listing, context.locale, ranking.entries.length, siteName, browsing.text),
    };
  };
  return [
    handleCall(getHome)(async ({ 'gender-hide': hide }, context) => {
      const page = await pageOf(context, hide);
      const { directory, viewer, ranking, own, now } = page;
      const taste = own && tasteAtHome(own, own.readAt, directory, viewer, context);
      const row = ranking.firstRow(HOME_SECTIONS, ownRows(page, context));
      return {
        layout: layoutOf(own, context), sectionList: sectionsOf(own?.choice ?? NO_CHOICE),
        featured: ranking.featured && tiles.of(ranking.featured, now, ORDER),
        section: row && sectionView(browsing, tiles, row, context.locale, now),
        forYou: taste && forYouView(browsing, ranking, taste, now),
      };
    }),
    handleCall(homeSections)(({ 'gender-hide': hide }, context) =>
      answer(context, hide, () => HOME_SECTIONS)),
    handleCall(homeCustom)(({ 'gender-hide': hide }, context) =>
      answer(context, hide, (own) => sectionsOf(own?.choice ?? NO_CHOICE))),
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
      layout: layoutOf({ choice }, context), sectionList: sectionsOf(choice),
    };
  });

/** What a member saved goes before what this browser chose. */
function layoutOf(
  own: { readonly choice: HomeChoice } | null, { cookie }: Pick<CallContext, 'cookie'>,
): Layout {
  const chosen = own?.choice.layout ?? cookie(LAYOUT_COOKIE);
  return isLayout(chosen) ? chosen : DEFAULT_LAYOUT;
}

const sectionsOf = ({ sections }: HomeChoice): HomeSectionId[] => [...(sections ?? HOME_SECTIONS)];

/** Whom the viewer of a page follows, and whose rooms they were in, where they allow to be remembered. */
const ownRows = ({ viewer: { followed }, own }: HomePage, { consent }: CallContext) =>
  ({ followed, viewed: consent.preferences ? own?.viewed ?? [] : [] });

/** A row of "for you", once something is known that sets it apart from the ranking. */
function forYouView(
  { broadcast }: Browsing, { entries: ranked, positions }: Ranking, taste: Taste, now: number,
): HomeView['forYou'] {
  if (taste.followed.length === 0 && taste.watched.size === 0 && taste.watchedTags.size === 0) return null;
  if (ranked.length === 0) return null;
  const known = new Set([...taste.followed, ...taste.watched.keys()]
    .flatMap(({ id }) => positions.get(id) ?? []));
  const further = [...known].filter((at) => at >= FOR_YOU_CANDIDATES).sort((a, b) => a - b);
  const among = [...ranked.slice(0, FOR_YOU_CANDIDATES), ...further.flatMap((at) => ranked[at] ?? [])];
  return {
    userList: forYouViews(forYou(among, taste, now).slice(0, ROW_LENGTH), taste, broadcast, now),
    seeMore: ranked.length >= SEE_MORE_FROM ? '/for-you' : null,
  };
}

function sectionView(
  { text }: Browsing, tiles: Tiles, { id, value, entries, total, seeMore }: HomeRow, locale: string,
  now: number,
): HomeSectionView {
  return {
    id, value, seeMore, totalCount: total,
    title: rowTitle(id, value, (key, values) => text(locale, `browse:${key}`, values), locale),
    userList: entries.map((entry) => tiles.of(entry, now, ORDER)),
  };
}
