import { pagesOf } from '#platform/ui/calls/pages.ts';
import { pageTools } from '#platform/ui/calls/route.ts';
import { redirect, type LoaderFunctionArgs, type RouterContextProvider } from 'react-router';
import { multiFilter } from '../../../client.ts';
import { forgetSearches } from '../live.ts';
import { inputOf, SEARCHING } from '../query.ts';
import { leftSearch } from './memory.ts';

type Arguments = Pick<LoaderFunctionArgs, 'request'> & { readonly context: Readonly<RouterContextProvider> };

export const ADVANCED_PATH = '/multi-filter';

/**
 * The loader of a search page. On the server the document waits for the list; in the browser the page shows
 * at once and loads the list itself. The page shows why a search failed.
 */
export const loadSearch = (waits: boolean) => async ({ request, context }: Arguments): Promise<null> => {
  const { call, cache, texts, admitted, clock } = context.get(pageTools);
  await texts(['browse']);
  const { searchParams, pathname } = new URL(request.url);
  if (pathname === ADVANCED_PATH && !waits) {
    const left = leftSearch(clock.now());
    if (left === null) forgetSearches(cache);
    else if (searchParams.size === 0 && left.query !== '') throw redirect(`${pathname}?${left.query}`);
  }
  if (!(await admitted())) return null;
  const input = inputOf(searchParams);
  if (pathname !== ADVANCED_PATH && input.q === undefined) return null;
  const reading = cache.prefetchInfiniteQuery(pagesOf(call, multiFilter, input, SEARCHING));
  if (waits) await reading;
  return null;
};
