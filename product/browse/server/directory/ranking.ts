import { Remembered } from '#platform/data/remembered.ts';
import type { GenderCode } from '#product/accounts/rules.ts';
import { featuredOf, positionsOf, rowsOf, type HomeRow, type RowsQuery } from '../../rules/home-rows.ts';
import type { HomeSectionId } from '../../rules/home.ts';
import type { DirectoryEntry } from '../../rules/listing/entry.ts';
import { ON_HOME } from '../../rules/listing/listings.ts';
import type { BrowseViewer } from '../dependencies.ts';
import type { Directory, Moment } from './directory.ts';

/** Rankings cached at once, about 200 kB each with 20,000 online; the oldest are dropped first. */
const MAX_RANKINGS = 64;

const FAVORITES: HomeSectionId = 'favorites_and_history';

/** The viewer's own part of a home page. */
type Own = Pick<RowsQuery, 'followed' | 'viewed'>;

/** Everybody online by the ranking, for viewers who perceive the same performers and hide none. */
export class Ranking {
  readonly entries: readonly DirectoryEntry[];
  readonly featured: DirectoryEntry | null;
  /** Each performer's position, by id. */
  readonly positions: ReadonlyMap<number, number>;
  readonly #query: Pick<RowsQuery, 'gender' | 'now'>;
  readonly #rows = new Map<HomeSectionId, readonly HomeRow[]>();

  constructor(entries: readonly DirectoryEntry[], gender: GenderCode, now: number) {
    this.entries = entries;
    this.featured = featuredOf(entries);
    this.positions = positionsOf(entries);
    this.#query = { gender, now };
  }

  /** The rows of sections, in order; those without personal data are built once. */
  rows(sections: readonly HomeSectionId[], own: Own): readonly HomeRow[] {
    return [...new Set(sections)].flatMap((id) => this.#of(id, own));
  }

  /** The first row that has the performers a page needs. */
  firstRow(
    sections: readonly HomeSectionId[],
    own: Own,
    suits: (row: HomeRow) => boolean,
  ): HomeRow | null {
    for (const id of sections) {
      const row = this.#of(id, own).find(suits);
      if (row) return row;
    }
    return null;
  }

  #of(id: HomeSectionId, own: Own): readonly HomeRow[] {
    const known = this.#rows.get(id);
    if (known) return known;
    const rows = rowsOf(this.entries, { sections: [id], ...this.#query, ...own, positions: this.positions });
    if (id !== FAVORITES) this.#rows.set(id, rows);
    return rows;
  }
}

interface RankingQuery {
  readonly operatorId: number;
  /** Hidden genders. */
  readonly hidden: readonly GenderCode[];
  /** The gender whose listings the links of rows lead to. */
  readonly gender: GenderCode;
  /** Milliseconds since 1970. */
  readonly now: number;
}

interface Ranked {
  readonly ranking: Ranking;
  readonly directory: Directory;
  readonly moment: Moment;
}

/**
 * Recent rankings, to reuse for viewers who may perceive the same performers, and never after somebody was
 * hidden or left (see `Directory.stillHolds`). A viewer who hides some of these performers gets
 * a separate ranking.
 */
export class Rankings {
  readonly #shared = new Remembered<Ranked>(MAX_RANKINGS);

  of(directory: Directory, viewer: BrowseViewer, asked: RankingQuery): Ranking {
    const { operatorId, hidden, gender, now } = asked;
    const make = (withoutIds: ReadonlySet<number>): Ranking =>
      new Ranking(
        directory.list({
          filter: { ...ON_HOME, hidden, withoutIds },
          sort: 'recommended',
          sees: viewer.sees,
          offset: 0,
          limit: Number.MAX_SAFE_INTEGER,
          now,
        }).entries,
        gender,
        now,
      );
    const shared = this.#sharedOf(
      JSON.stringify([operatorId, viewer.audience, hidden]),
      directory,
      now,
      () => make(new Set()),
    );
    const hides = [...viewer.hidden].some((id) => shared.positions.has(id));
    return hides ? make(viewer.hidden) : shared;
  }

  #sharedOf(key: string, directory: Directory, now: number, make: () => Ranking): Ranking {
    const known = this.#shared.get(key, now, Number.POSITIVE_INFINITY);
    if (known?.directory === directory && directory.stillHolds(known.moment, now)) return known.ranking;
    const moment = directory.moment(now);
    const ranking = make();
    this.#shared.set(key, { ranking, directory, moment }, now);
    return ranking;
  }
}
