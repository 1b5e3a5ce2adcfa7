import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Tx } from '#platform/data/data.ts';
import { SECOND_MS } from '#platform/time/units.ts';
import type { GenderCode } from '#product/accounts/rules.ts';
import { getModelShows, type ModelShowView } from '../contract.ts';
import { isOnline, type DirectoryEntry } from '../rules/listing/entry.ts';
import { MAX_MODEL_SHOWS_SCANS, MODEL_SHOWS_PAGE, MODEL_SHOWS_SCAN } from '../rules/listing/listings.ts';
import type { Browsing } from './dependencies.ts';

type Recorded = Awaited<ReturnType<Browsing['shows']['recordedShows']>>[number];
interface Found {
  readonly shows: readonly { readonly show: Recorded; readonly entry: DirectoryEntry }[];
  /** Cursor of the next page; null on the last. */
  readonly next: number | null;
}

/** Looks for one page of shows whose performers this viewer perceives; a page may hold fewer. */
async function pageOf(
  { shows }: Pick<Browsing, 'shows'>,
  tx: Tx,
  before: number | null,
  entryOf: (performerId: number) => DirectoryEntry | null,
): Promise<Found> {
  const found: { show: Recorded; entry: DirectoryEntry }[] = [];
  let cursor = before;
  for (let scan = 0; scan < MAX_MODEL_SHOWS_SCANS; scan += 1) {
    const rows = await shows.recordedShows(tx, cursor, MODEL_SHOWS_SCAN);
    for (const show of rows) {
      const entry = entryOf(show.performerId);
      if (entry && found.length === MODEL_SHOWS_PAGE) return { shows: found, next: cursor };
      if (entry) found.push({ show, entry });
      cursor = show.id;
    }
    if (rows.length < MODEL_SHOWS_SCAN) return { shows: found, next: null };
  }
  return { shows: found, next: cursor };
}

const viewOf = ({ show, entry }: Found['shows'][number], mayWatch: boolean): ModelShowView => ({
  id: show.id,
  performer: {
    username: entry.username,
    displayName: entry.displayName,
    gender: entry.gender,
    thumbUrl: entry.avatarUrl,
    status: isOnline(entry) ? entry.status : 'offline',
    hasTicketShow: entry.hasTicketShow,
  },
  limited_message: show.message,
  started_at: show.startedAt.toISOString(),
  seconds: Math.floor(show.recordedMs / SECOND_MS),
  recording_price: show.recordingPrice,
  may_watch: mayWatch,
});

/** The list of recorded ticket shows. */
export function modelShowsHandler(browsing: Browsing): CallHandler {
  const { data, directoryOf, viewerOf, shows } = browsing;
  return handleCall(getModelShows)(async ({ gender, before }, context) => {
    const directory = await directoryOf(context.scope.operatorId);
    const { sees, hidden, personId } = await viewerOf(context);
    const isWanted = (code: GenderCode | null): boolean => gender === undefined || code === gender;
    return data.tx(context.scope, async (tx) => {
      const page = await pageOf(browsing, tx, before ?? null, (id) => {
        const entry = directory.get(id);
        return entry && isWanted(entry.gender) && sees(entry) && !hidden.has(id) ? entry : null;
      });
      const ids = page.shows.map(({ show }) => show.id);
      const paid = personId === null ? new Set() : await shows.recordingsPaidBy(tx, personId, ids);
      return {
        next: page.next,
        shows: page.shows.map((item) =>
          viewOf(item, paid.has(item.show.id) || item.show.performerId === personId)
        ),
      };
    });
  });
}
