import { Remembered } from '../../../../platform/data/remembered.ts';
import { SECOND_MS } from '../../../../platform/time/units.ts';
import { filterFor, genderHide, listingOf } from '../../rules/listing/listings.ts';
import type { BrowseViewer } from '../dependencies.ts';
import type { Directory } from '../directory/directory.ts';

/** A link may lead to a listing that was left so long ago; one that fills is linked at once. */
const KNOWN_MS = 30 * SECOND_MS;
/** Listings of audiences remembered at once: some hundred listings for each region that is answered. */
const MAX_KNOWN = 20_000;

/** Whether somebody is in a listing, remembered for a while for all who may perceive the same. */
export class Peopled {
  readonly #known = new Remembered<Directory>(MAX_KNOWN);

  /** Those of these addresses of listings where somebody is. @param now milliseconds since 1970 */
  among<T extends { readonly path: string }>(
    links: readonly T[], directory: Directory, viewer: BrowseViewer, now: number,
  ): T[] {
    return links.filter(({ path }) => this.#isPeopled(path, directory, viewer, now));
  }

  #isPeopled(path: string, directory: Directory, { audience, sees }: BrowseViewer, now: number): boolean {
    const key = `${audience} ${path}`;
    if (this.#known.get(key, now, KNOWN_MS) === directory) return true;
    const listing = listingOf(path);
    if (listing === null) return false;
    // It has recordings, too, which no directory knows.
    if (listing.kind === 'ticket') return true;
    const { sort, withOffline } = listing;
    const filter = filterFor(listing, genderHide(path, undefined));
    const total = withOffline
      ? directory.list({ filter, sort, sees, offset: 0, limit: 0, withOffline, now }).total
      : directory.select(filter, sees, now).count();
    if (total > 0) this.#known.set(key, directory, now);
    return total > 0;
  }
}
