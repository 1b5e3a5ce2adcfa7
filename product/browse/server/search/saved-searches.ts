import { handleCall, subscribe, type CallHandler, type Subscription } from '#platform/contract/bind.ts';
import type { Tx } from '#platform/data/data.ts';
import { cleanText } from '#platform/text/clean-text.ts';
import { dayOf } from '#platform/time/days.ts';
import { broadcastStarted } from '#product/broadcast/contract.ts';
import type { NoticeKind } from '#product/notices/rules.ts';
import {
  deleteSearch,
  listSearches,
  saveSearch,
  searchEmpty,
  searchUnknown,
  tooManySearches,
  type SavedSearchView,
} from '../../contract/search.ts';
import { MAX_SAVED_SEARCHES, searchOf, type Search } from '../../rules/search/facets.ts';
import { isEmptySearch, matchesSearch } from '../../rules/search/search-query.ts';
import {
  findSearches,
  insertSearch,
  lockSearches,
  pageOfNotified,
  removeSearch,
  type SearchRow,
} from '../../store/searches.ts';
import type { BrowseDependencies } from '../dependencies.ts';
import { readEntries } from '../directory/reading.ts';

/** A performer who goes live matches a search: sent once per search, performer and day. */
export const SEARCH_MATCHED: NoticeKind = {
  name: 'browse:notices.searchMatched',
  channels: ['app', 'email', 'push'],
  usual: ['app', 'push'],
};

/** Searches read at once and compared with one performer; more would delay other facts. */
const BATCH = 500;
const MAX_COMPARED = 20_000;

/** Replaces the name of a search where filtering leaves nothing of it. */
const UNNAMED = '–';

const viewOf = ({ id, name, query, notify, created_at: at }: SearchRow): SavedSearchView => ({
  id,
  name,
  query,
  notify,
  createdAt: at.toISOString(),
});

/** Reads a search from the query of its address. */
const searchOfQuery = (query: string): Search => searchOf(Object.fromEntries(new URLSearchParams(query)));

/** The searches that members saved. */
export function savedSearchHandlers({ data }: Pick<BrowseDependencies, 'data'>): CallHandler[] {
  const listOf = async (tx: Tx, personId: number) => ({
    searches: (await findSearches(tx, personId)).map(viewOf),
  });
  return [
    handleCall(listSearches)((_input, context) =>
      data.tx(context.scope, (tx) => listOf(tx, context.personId))
    ),
    handleCall(saveSearch)(async ({ name: typed, query, notify }, context) => {
      const name = cleanText(typed) || UNNAMED;
      const { personId } = context;
      if (isEmptySearch(searchOfQuery(query))) return context.refuse(searchEmpty);
      return data.tx(context.scope, async (tx) => {
        await lockSearches(tx, personId);
        const others = (await findSearches(tx, personId)).filter((search) => search.name !== name);
        if (others.length >= MAX_SAVED_SEARCHES) return context.refuse(tooManySearches);
        const { region } = context;
        await insertSearch(tx, { person_id: personId, name, query, notify, region, created_at: tx.now });
        return listOf(tx, personId);
      });
    }),
    handleCall(deleteSearch)(({ id }, context) =>
      data.tx(context.scope, async (tx) => {
        const { personId } = context;
        if (!(await removeSearch(tx, personId, id))) return context.refuse(searchUnknown);
        return listOf(tx, personId);
      })
    ),
  ];
}

/** Compares performers who go live with the searches whose members want to be notified. */
export function savedSearchSubscriptions(deps: BrowseDependencies): Subscription[] {
  const { data, accounts, compliance, messaging, notices } = deps;
  return [
    subscribe(broadcastStarted, 'browse.savedSearches')(async ({ operatorId, payload }) => {
      const { performerId, username } = payload;
      await data.tx({ operatorId }, async (tx) => {
        const person = await accounts.findById(tx, performerId);
        const [entry] = person ? await readEntries(deps, tx, [person]) : [];
        if (!entry) return;
        const notified = new Set<number>();
        for (let after = 0, compared = 0; compared < MAX_COMPARED;) {
          const rows = await pageOfNotified(tx, after, BATCH);
          for (const row of rows) {
            const { person_id: personId, region } = row;
            if (notified.has(personId) || personId === performerId) continue;
            if (!matchesSearch(searchOfQuery(row.query), entry, tx.now.getTime())) continue;
            const caller = {
              kind: 'person' as const,
              personId,
              sessionId: null,
              username: null,
              roles: [],
            };
            if (!compliance.seesOf({ caller, region, gate: 'open' })(performerId, entry.state)) continue;
            if ((await messaging.hiddenBy(tx, personId)).includes(performerId)) continue;
            notified.add(personId);
            await notices.notify(tx, {
              personId,
              kind: SEARCH_MATCHED.name,
              link: `/${username}`,
              values: { name: entry.displayName, username: entry.username, search: row.name },
              once: `search:${row.id}:${performerId}:${dayOf(tx.now)}`,
            });
          }
          if (rows.length < BATCH) return;
          after = rows.at(-1)?.id ?? after;
          compared += rows.length;
        }
      });
    }),
  ];
}
