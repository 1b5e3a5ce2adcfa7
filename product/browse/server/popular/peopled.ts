import type { OperatorScope } from '#platform/data/data.ts';
import { Remembered } from '#platform/data/remembered.ts';
import { SECOND_MS } from '#platform/time/units.ts';
import {
  filterFor, genderHide, listingOf, MAX_RECORDED_PERFORMERS, type Listing,
} from '../../rules/listing/listings.ts';
import type { Browsing, BrowseViewer } from '../dependencies.ts';
import type { Directory } from '../directory/directory.ts';

/** A link may lead to a listing that was left so long ago; one that fills is linked at once. */
const KNOWN_MS = 30 * SECOND_MS;
/** Listings of audiences remembered at once: some hundred listings for each region that is answered. */
const MAX_KNOWN = 20_000;
const MAX_OPERATORS = 1_000;

type Links = readonly { readonly path: string }[];

interface Known {
  readonly directory: Directory;
  readonly total: number;
}

/** Whether somebody is in a listing, remembered for a while for all who may perceive the same. */
export class Peopled {
  readonly #browsing: Pick<Browsing, 'data' | 'shows'>;
  readonly #known = new Remembered<Known>(MAX_KNOWN);
  readonly #recorded = new Remembered<Promise<readonly number[]>>(MAX_OPERATORS);

  constructor(browsing: Pick<Browsing, 'data' | 'shows'>) {
    this.#browsing = browsing;
  }

  /** Those of these addresses of listings where somebody is whom this viewer does not hide. */
  async among<T extends Links[number]>(
    links: readonly T[], scope: OperatorScope, directory: Directory, viewer: BrowseViewer,
  ): Promise<T[]> {
    const now = this.#browsing.data.clock.now().getTime();
    const recorded = hasTickets(links) ? await this.#recordedIn(scope, now) : [];
    return links.filter(({ path }) => this.#isPeopled(path, directory, viewer, recorded, now));
  }

  #isPeopled(
    path: string, directory: Directory, { audience, sees, hidden }: BrowseViewer,
    recorded: readonly number[], now: number,
  ): boolean {
    const key = `${audience} ${path}`;
    const known = this.#known.get(key, now, KNOWN_MS);
    // With more people than somebody hides, one is left.
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
    // Recorded shows alone count for who hides nobody.
    if (isPeopled && hidden.size === 0) this.#known.set(key, { directory, total: Math.max(1, total) }, now);
    return isPeopled;
  }

  /** Who has recorded ticket shows, which no directory knows: a query in that while for all viewers. */
  #recordedIn({ operatorId }: OperatorScope, now: number): Promise<readonly number[]> {
    const { data, shows } = this.#browsing;
    return this.#recorded.ask(String(operatorId), now, KNOWN_MS, () =>
      data.tx({ operatorId }, (tx) => shows.recordedPerformers(tx, MAX_RECORDED_PERFORMERS)));
  }
}

const hasTickets = (links: Links): boolean => links.some(({ path }) => listingOf(path)?.kind === 'ticket');

/** The listing of ticket shows has the recorded ones, too, of whoever is there or not. */
const hasRecordings = (
  { kind, gender }: Listing, directory: Directory, sees: BrowseViewer['sees'], recorded: readonly number[],
): boolean => kind === 'ticket' && recorded.some((id) => {
  const entry = directory.get(id);
  return entry !== undefined && entry.gender === gender && sees(entry);
});
