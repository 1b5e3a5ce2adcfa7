import type { ClientCall, InputOf, OutputOf } from '#platform/contract/call.ts';
import type { CallFunction } from '#platform/contract/client.ts';
import {
  keepPreviousData,
  useInfiniteQuery,
  type InfiniteData,
  type QueryClient,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query';
import { FRESH_MS, queryKeyOf, useCall, useHydrated, type ReadOptions } from './calls.ts';

/** The cursor of a page: `next` of the page before it; null for the first. */
type Cursor = string | number | null;
type Pages<Output> = InfiniteData<Output, Cursor>;
export type PagesRead<Output> = UseInfiniteQueryResult<Pages<Output>, Error>;

/** How a call asks for the page after another. */
export interface Paging<C extends ClientCall> {
  /** The input field for the cursor; `before` by default. */
  readonly cursor?: keyof InputOf<C> & string;
  /** Further input for all pages but the first. */
  readonly after?: Partial<InputOf<C>>;
  /** The cursor of the page after the last one; by default its field `next`. */
  readonly next?: (page: OutputOf<C>, pages: readonly OutputOf<C>[]) => Cursor;
}

const nextOf = (page: unknown): Cursor => (page as { readonly next?: Cursor }).next ?? null;

/**
 * The cache key of a list's pages. It extends the key of the call and its input: both are invalidated
 * together.
 */
export const pagesKeyOf = <C extends ClientCall>(
  call: C,
  input: InputOf<C>,
): readonly unknown[] => [...queryKeyOf(call, input), 'pages'];

/** Options of the query that reads a list page by page; loaders and components share them. */
export const pagesOf = <C extends ClientCall>(
  call: CallFunction,
  constant: C,
  input: InputOf<C>,
  { cursor, after, next = nextOf }: Paging<C> = {},
) => ({
  queryKey: pagesKeyOf(constant, input),
  queryFn: ({ pageParam }: { pageParam: Cursor }): Promise<OutputOf<C>> =>
    call(
      constant,
      pageParam === null
        ? input
        : { ...input as object, ...after, [cursor ?? 'before']: pageParam } as InputOf<C>,
    ),
  initialPageParam: null as Cursor,
  getNextPageParam: next,
  staleTime: FRESH_MS,
});

/** Reads a list page by page through the cache; `fetchNextPage` adds the page after the last one. */
export function useReadPages<C extends ClientCall>(
  constant: C,
  input: InputOf<C>,
  { everyMs, enabled, keep, unusedMs, ...paging }: ReadOptions & Paging<C> = {},
): PagesRead<OutputOf<C>> {
  const call = useCall();
  const query = pagesOf(call, constant, input, paging);
  return useHydrated(
    query.queryKey,
    useInfiniteQuery<
      OutputOf<C>,
      Error,
      Pages<OutputOf<C>>,
      readonly unknown[],
      Cursor
    >({
      ...query,
      refetchInterval: everyMs ?? false,
      enabled: enabled ?? true,
      ...(keep ? { placeholderData: keepPreviousData } : {}),
      ...(unusedMs === undefined ? {} : { gcTime: unusedMs }),
    }),
  );
}

/**
 * Changes the cached pages of a list, if any. For `live.ts`. Pages that are still on their way may be older
 * than the change, so they are read again.
 */
export function changeCachedPages<C extends ClientCall>(
  cache: QueryClient,
  constant: C,
  input: InputOf<C>,
  change: (pages: readonly OutputOf<C>[]) => readonly OutputOf<C>[],
): void {
  const queryKey = pagesKeyOf(constant, input);
  cache.setQueryData<Pages<OutputOf<C>>>(
    queryKey,
    (known) => (known ? { ...known, pages: [...change(known.pages)] } : known),
  );
  const exactly = { queryKey, exact: true };
  if (cache.isFetching(exactly) > 0) void cache.invalidateQueries(exactly);
}
