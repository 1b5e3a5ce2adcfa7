import type { OperatorScope } from '#platform/data/data.ts';
import { Remembered } from '#platform/data/remembered.ts';
import { SECOND_MS } from '#platform/time/units.ts';
import {
  filterFor,
  genderHide,
  listingOf,
  MAX_RECORDED_PERFORMERS,
  type Listing,
} from '../../rules/listing/listings.ts';
import type { BrowseViewer, Browsing } from '../dependencies.ts';
import type { Directory } from '../directory/directory.ts';

/** A listing may be linked for this long after it became empty; one that fills is linked at once. */
const KNOWN_MS = 30 * SECOND_MS;
/** Cached listings of all audiences: a few hundred for each region served. */
const MAX_KNOWN = 20_000;
const MAX_OPERATORS = 1_000;

type Links = readonly { readonly path: string }[];

interface Known {
  readonly directory: Directory;
  readonly total: number;
}

/** Whether a listing has performers, cached for a while for all viewers who may perceive the same ones. */
export class Peopled {
  readonly #browsing: Pick<Browsing, 'data' | 'shows'>;
  readonly #known = new Remembered<Known>(MAX_KNOWN);
  readonly #recorded = new Remembered<Promise<readonly number[]>>(MAX_OPERATORS);

  constructor(browsing: Pick<Browsing, 'data' | 'shows'>) {
    this.#browsing = browsing;
  }

  /** Those of these listings' addresses that have a performer whom this viewer does not hide. */
  async among<T extends Links[number]>(
    links: readonly T[],
    scope: OperatorScope,
    directory: Directory,
    viewer: BrowseViewer,
  ): Promise<T[]> {
    const now = this.#browsing.data.clock.now().getTime();
    const recorded = hasTickets(links) ? await this.#recordedIn(scope, now) : [];
    return links.filter(({ path }) => this.#isPeopled(path, directory, viewer, recorded, now));
  }

  #isPeopled(
    path: string,
    directory: Directory,
    { audience, sees, hidden }: BrowseViewer,
    recorded: readonly number[],
    now: number,
  ): boolean {
    const key = `${audience} ${path}`;
    const known = this.#known.get(key, now, KNOWN_MS);
    // There are more performers than the viewer hides, so at least one remains.
    if (known?.directory === directory && known.total > hidden.size) return true;
    const listing = listingOf(path);
    if (listing === null) return false;
    const { sort, withOffline } = listing;
    const filter = { ...filterFor(listing, genderHide(path, undefined)), withoutIds: hidden };
    const total = withOffline
      ? directory.list({ filter, sort, sees, offset: 0, limit: 0, withOffline, now }).total
      : directory.select(filter, sees, now).count();
    const shown = recorded.filter((id) => !hidden.has(id));
    const isPeopled = total > 0 || hasRecordings(listing, directory, sees, shown);
    // Cached only for viewers who hide nobody, because recorded shows may be all there is.
    if (isPeopled && hidden.size === 0) this.#known.set(key, { directory, total: Math.max(1, total) }, now);
    return isPeopled;
  }

  /** Performers with recorded ticket shows, which directories lack: one query per period, for all viewers. */
  #recordedIn({ operatorId }: OperatorScope, now: number): Promise<readonly number[]> {
    const { data, shows } = this.#browsing;
    return this.#recorded.ask(
      String(operatorId),
      now,
      KNOWN_MS,
      () => data.tx({ operatorId }, (tx) => shows.recordedPerformers(tx, MAX_RECORDED_PERFORMERS)),
    );
  }
}

const hasTickets = (links: Links): boolean => links.some(({ path }) => listingOf(path)?.kind === 'ticket');

/** The ticket listing includes recorded shows, whether or not their performers are live. */
const hasRecordings = (
  { kind, gender }: Listing,
  directory: Directory,
  sees: BrowseViewer['sees'],
  recorded: readonly number[],
): boolean =>
  kind === 'ticket' && recorded.some((id) => {
    const entry = directory.get(id);
    return entry !== undefined && entry.gender === gender && sees(entry);
  });
