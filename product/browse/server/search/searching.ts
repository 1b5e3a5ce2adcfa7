import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { multiFilter, suggest } from '../../contract/search.ts';
import { SEARCH_PAGE, searchOf } from '../../rules/search/facets.ts';
import type { Browsing } from '../dependencies.ts';
import { entryView } from '../entries.ts';
import { BioSearch, isRefusedSearch } from './bios.ts';
import { multiFilterOf } from './multi-filter.ts';
import { savedSearchHandlers } from './saved-searches.ts';
import { SearchIndexes } from './searched.ts';
import { suggestionsFor } from './suggestions.ts';

/** Performers shown where a search finds nobody: one row on a wide screen. */
const ALTERNATIVES = 12;

/** Search: suggestions while typing, the advanced search, and saved searches. */
export function searchHandlers(browsing: Browsing): CallHandler[] {
  const { data: { clock }, viewerOf, broadcast, text, siteNameOf } = browsing;
  const indexes = new SearchIndexes(browsing);
  const bioSearch = new BioSearch(browsing);
  return [
    handleCall(suggest)(async ({ q }, context) => {
      const { sees, hidden } = await viewerOf(context);
      const searched = await indexes.of(context.scope);
      const maySee: typeof sees = (entry) => !hidden.has(entry.id) && sees(entry);
      return { suggestions: suggestionsFor(q, searched, maySee) };
    }),
    handleCall(multiFilter)(async ({ p: page = 1, perPage = SEARCH_PAGE, ...input }, context) => {
      const { locale } = context;
      const viewer = await viewerOf(context);
      const searched = await indexes.of(context.scope);
      const now = clock.now().getTime();
      const search = searchOf(input);
      const { sort } = search;
      const bios = isRefusedSearch(search, searched.isBlocked)
        ? []
        : await bioSearch.find(context.scope, search.words);
      const { entries, total, counts, withoutFilter } = multiFilterOf(
        search,
        searched,
        viewer,
        now,
        { offset: (page - 1) * perPage, limit: perPage },
        bios,
      );
      const others = total > 0 ? [] : searched.directory.list({
        filter: { hidden: search.hidden, withoutIds: viewer.hidden },
        sort: 'recommended',
        sees: viewer.sees,
        offset: 0,
        limit: ALTERNATIVES,
        now,
      }).entries;
      const heading = text(locale, 'browse:search.advanced');
      return {
        userList: entries.map((entry) => entryView(entry, broadcast, now, sort)),
        alternativeUserList: others.map((entry) => entryView(entry, broadcast, now)),
        totalCount: total,
        perPageCount: perPage,
        page,
        responseCode: 200,
        isSearchEmpty: total === 0,
        redirect: null,
        kind: 'search',
        sort,
        tabList: [],
        counts,
        withoutFilter,
        seo: {
          metaTitle: text(locale, 'browse:seo.metaTitle', {
            title: heading,
            site: await siteNameOf(context),
          }),
          h1: heading,
          metaDescription: text(locale, 'browse:search.lead'),
          description: text(locale, 'browse:search.lead'),
          headerHtml: '',
          footerHtml: '',
          breadcrumbList: [],
          relatedLinks: [],
        },
      };
    }),
    ...savedSearchHandlers(browsing),
  ];
}
