import type { CallContext } from '#platform/contract/context.ts';
import type { HomeRow } from '../rules/home-rows.ts';
import {
  belowThem,
  DEFAULT_LAYOUT,
  everyoneRule,
  FOR_YOU_CANDIDATES,
  HOME_SECTIONS,
  isLayout,
  LAYOUT_COOKIE,
  leadingGender,
  onceEach,
  ROW_CANDIDATES,
  sectionsRule,
  type HomeSectionId,
  type Layout,
  type ScreenRule,
} from '../rules/home.ts';
import type { DirectoryEntry } from '../rules/listing/entry.ts';
import { forYou, type Taste } from '../rules/listing/for-you.ts';
import { genderHide } from '../rules/listing/listings.ts';
import { findOwnHome, type OwnHome } from '../store/home.ts';
import type { BrowseViewer, Browsing } from './dependencies.ts';
import { Rankings, type Ranking } from './directory/ranking.ts';
import { tasteAtHome } from './learning.ts';

/** Path of the home page, as a listing. */
export const HOME = '';

/** The parts of one home page; guests have no personal ones. */
export interface HomePage {
  readonly viewer: BrowseViewer;
  readonly ranking: Ranking;
  readonly own: (OwnHome & { readonly readAt: Date }) | null;
  /** Null for guests, and for members who turned "for you" off. */
  readonly taste: Taste | null;
  readonly layout: Layout;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The part above the listing of everybody or the other sections; nobody is in it twice. */
export interface HomeTop {
  readonly featured: DirectoryEntry | null;
  readonly first: HomeRow | null;
  /** Null where it would not differ from the ranking. */
  readonly forYou: readonly DirectoryEntry[] | null;
}

/** Reads home pages. All processes of a site build them alike; only a member's own part needs SQL. */
export class HomePages {
  readonly #browsing: Browsing;
  readonly #rankings = new Rankings();

  constructor(browsing: Browsing) {
    this.#browsing = browsing;
  }

  /** @param hide codes of genders with commas, as sent by browsers */
  async read(context: CallContext, hide: string | undefined): Promise<HomePage> {
    const { operatorId } = context.scope;
    const [directory, viewer, own] = await Promise.all([
      this.#browsing.directoryOf(operatorId),
      this.#browsing.viewerOf(context),
      this.#ownOf(context),
    ]);
    const hidden = genderHide(HOME, hide);
    const now = this.#browsing.data.clock.now().getTime();
    const gender = leadingGender(hidden);
    const ranking = this.#rankings.of(directory, viewer, { operatorId, hidden, gender, now });
    return {
      viewer,
      ranking,
      own,
      now,
      layout: layoutOf(own, context),
      taste: own && tasteAtHome(own, own.readAt, directory, viewer, context),
    };
  }

  #ownOf({ caller: { kind, personId }, scope }: CallContext): Promise<HomePage['own']> {
    if (kind !== 'person' || personId === null) return Promise.resolve(null);
    return this.#browsing.data.read(
      scope,
      async (tx) => ({ ...(await findOwnHome(tx, personId)), readAt: tx.now }),
    );
  }
}

/** A member's saved layout overrides the browser's. */
export function layoutOf(
  own: Pick<OwnHome, 'choice'> | null,
  { cookie }: Pick<CallContext, 'cookie'>,
): Layout {
  const chosen = own?.choice.layout ?? cookie(LAYOUT_COOKIE);
  return isLayout(chosen) ? chosen : DEFAULT_LAYOUT;
}

/** Performers the viewer follows, and those whose rooms they entered, with their consent to remembering. */
export const ownRows = ({ viewer: { followed }, own }: HomePage, { consent }: CallContext) => ({
  followed,
  viewed: consent.preferences ? own?.viewed ?? [] : [],
});

/**
 * The top of a home page: the featured show, the first row with anybody else in it, and "for you".
 * @param sections order in which to look for the first row
 */
export function topOf(
  page: HomePage,
  context: CallContext,
  sections: readonly HomeSectionId[] = HOME_SECTIONS,
): HomeTop {
  const { ranking, layout } = page;
  const { featured } = ranking;
  const chosen = layout === 'custom' ? null : forYouOf(page);
  const live = ranking.entries.length;
  const rule = layout === 'classic' ? everyoneRule(live, chosen ? 2 : 1) : sectionsRule(live);
  const first = ranking.firstRow(
    sections,
    ownRows(page, context),
    ({ entries }) => belowThem(entries, new Set(featured ? [featured.id] : []), rule).length > 0,
  );
  const [row, own] = inTurn(featured, first, chosen ?? [], rule);
  return {
    featured,
    first: first && { ...first, entries: row },
    forYou: own.length === 0 ? null : own,
  };
}

/** A personal first row comes first; any other row leaves out the performers that "for you" shows. */
function inTurn(
  featured: DirectoryEntry | null,
  first: HomeRow | null,
  chosen: readonly DirectoryEntry[],
  rule: ScreenRule,
): readonly [readonly DirectoryEntry[], readonly DirectoryEntry[]] {
  const entries = first?.entries ?? [];
  if (first?.id === 'favorites_and_history') {
    const [row = [], own = []] = onceEach(featured, [entries, chosen], rule);
    return [row, own];
  }
  const [own = [], row = []] = onceEach(featured, [chosen, entries], rule);
  return [row, own];
}

/** Ids of all performers in a top. */
export const idsIn = ({ featured, first, forYou: chosen }: HomeTop): ReadonlySet<number> =>
  new Set([
    ...(featured ? [featured] : []),
    ...(first?.entries ?? []),
    ...(chosen ?? []),
  ].map(({ id }) => id));

/** The best for this viewer, once their taste makes it differ from the ranking. */
function forYouOf(
  { ranking: { entries: ranked, positions }, taste, now }: HomePage,
): readonly DirectoryEntry[] | null {
  if (taste === null || ranked.length === 0) return null;
  if (taste.followed.length === 0 && taste.watched.size === 0 && taste.watchedTags.size === 0) return null;
  const known = new Set([...taste.followed, ...taste.watched.keys()]
    .flatMap(({ id }) => positions.get(id) ?? []));
  const further = [...known].filter((at) => at >= FOR_YOU_CANDIDATES).sort((a, b) => a - b);
  const among = [...ranked.slice(0, FOR_YOU_CANDIDATES), ...further.flatMap((at) => ranked[at] ?? [])];
  return forYou(among, taste, now).slice(0, ROW_CANDIDATES);
}
