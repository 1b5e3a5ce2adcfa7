import type { ClientCall, InputOf, OutputOf } from '#platform/contract/call.ts';
import {
  API_BASE,
  CallFailed,
  requestOf,
  type CallFunction,
  type CallOptions,
  type Problem,
} from '#platform/contract/client.ts';
import {
  hashKey,
  keepPreviousData,
  QueryClient,
  useQuery,
  useQueryClient,
  type QueryFunctionContext,
  type UseQueryResult,
} from '@tanstack/react-query';
import { createContext, useCallback, useContext, useMemo, useState, useSyncExternalStore } from 'react';

/** Answers younger than this are recent (spec 3 §9): a person who returns to a tab sees them as they are. */
const RECENT_MS = 60_000;
/** How long a read is answered from the cache before a new mount asks again. */
export const FRESH_MS = 10_000;

const CallContext = createContext<CallFunction | null>(null);
export const CallProvider = CallContext.Provider;

/** The typed client: fetch in the browser, in process on the server. */
export function useCall(): CallFunction {
  const call = useContext(CallContext);
  if (!call) throw new Error('useCall needs a CallProvider above it');
  return call;
}

const CallBaseContext = createContext(API_BASE);
/** The path below which calls of the page's site are served. */
export const CallBaseProvider = CallBaseContext.Provider;

/** The address of a call, for requests that the browser makes itself: a link, a player, a download. */
export function useCallAddress(): <C extends ClientCall>(constant: C, input: InputOf<C>) => string {
  const base = useContext(CallBaseContext);
  return useCallback((constant, input) => requestOf(constant, input as Record<string, unknown>, base).path, [
    base,
  ]);
}

/** The only place that derives the key of a cache entry from a call and its input. */
export const queryKeyOf = <C extends ClientCall>(call: C, input?: InputOf<C>): readonly unknown[] =>
  input === undefined ? [call.name] : [call.name, input];

/**
 * Options of the query that reads `constant`, shared by loaders and components. An event can change the entry
 * (`changeCached`) while an answer is on its way, so that the answer may be older than the event. Then the
 * call is made once more; if that answer is overtaken too, the result of the events stays. The same holds for
 * a first answer that was invalidated on its way, because the cache never interrupts a first read.
 */
export const queryOf = <C extends ClientCall>(call: CallFunction, constant: C, input: InputOf<C>) => ({
  queryKey: queryKeyOf(constant, input),
  queryFn: async ({ client, queryKey }: QueryFunctionContext): Promise<OutputOf<C>> => {
    const state = () => client.getQueryState(queryKey);
    const changes = () => state()?.dataUpdateCount;
    let before = changes();
    const wasValid = state()?.isInvalidated !== true;
    const answer = await call(constant, input);
    if (changes() === before && !(wasValid && state()?.isInvalidated)) return answer;
    before = changes();
    const again = await call(constant, input);
    return changes() === before ? again : client.getQueryData<OutputOf<C>>(queryKey) ?? again;
  },
  staleTime: FRESH_MS,
});

/** The cache of a page, with the answers its document was rendered from. */
class PageCache extends QueryClient {
  /** Answers of the document by the hash of their key; null on the server, and where no document was made. */
  document: ReadonlyMap<string, unknown> | null = null;
}

/** The cache of one page, or of one document on the server. Errors are retried twice, refusals never. */
export const makeCache = (): QueryClient =>
  new PageCache({
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < 2 && problemOf(error).status >= 500,
        // Without a network a read fails and shows its error, instead of loading until the network is back.
        networkMode: 'always',
        refetchOnReconnect: true,
        refetchOnWindowFocus: (query) => query.isStaleByTime(RECENT_MS),
      },
    },
  });

/** One answer of the cache, as a document carries it to the browser. */
export interface Snapshot {
  readonly key: readonly unknown[];
  readonly data: unknown;
  /** When it was read by the server's clock, in ms since 1970. */
  readonly at: number;
}

/** All answers in the cache. */
export const snapshotOf = (cache: QueryClient): readonly Snapshot[] =>
  cache.getQueryCache().getAll().flatMap((
    { queryKey: key, state },
  ) => (state.data === undefined ? [] : [{ key, data: state.data, at: state.dataUpdatedAt }]));

/**
 * Puts the answers of a document into the page's cache, with the times they were read at.
 * @param storedAt converts a time of the server into one of the browser's clock, which the cache uses
 */
export function restore(
  cache: QueryClient,
  answers: readonly Snapshot[],
  storedAt: (atMs: number) => number,
): void {
  for (const { key, data, at } of answers) cache.setQueryData(key, data, { updatedAt: storedAt(at) });
  if (!(cache instanceof PageCache)) return;
  cache.document = new Map(answers.map(({ key, data }) => [hashKey(key), data]));
}

const neverChanges = () => () => undefined;
const isShown = (): boolean => true;

/**
 * The answer a component is hydrated with: the one its document was rendered from, because an event may have
 * changed the cache before this part of the page is hydrated. After hydration it renders again with the
 * cached answer; when both answers are the same, it renders once.
 */
export function useHydrated<Result extends { readonly data: unknown }>(
  queryKey: readonly unknown[],
  result: Result,
): Result {
  const cache = useQueryClient();
  const known = cache instanceof PageCache ? cache.document : null;
  const hash = known === null ? '' : hashKey(queryKey);
  const isCurrent = useSyncExternalStore(
    neverChanges,
    isShown,
    () => known === null || Object.is(known.get(hash), cache.getQueryData(queryKey)),
  );
  if (isCurrent || known === null) return result;
  const data = known.get(hash);
  const isThere = data !== undefined;
  // Its other fields stay the observer's, which notes which of them are read.
  return Object.create(
    result,
    Object.fromEntries(
      Object.entries({
        data,
        error: null,
        isError: false,
        isPending: !isThere,
        isSuccess: isThere,
        status: isThere ? 'success' : 'pending',
      }).map(([name, value]) => [name, { value, enumerable: true }]),
    ),
  ) as Result;
}

export interface ReadOptions {
  /** Asks again this often while the tab is visible. */
  readonly everyMs?: number;
  readonly enabled?: boolean;
  /** Keeps showing the last answer while another input loads. */
  readonly keep?: boolean;
  /** How long the answer stays cached after the last page that reads it; five minutes by default. */
  readonly unusedMs?: number;
}

/** Reads a call through the cache. */
export function useRead<C extends ClientCall>(
  constant: C,
  input: InputOf<C>,
  options: ReadOptions = {},
): UseQueryResult<OutputOf<C>, Error> {
  const call = useCall();
  const query = queryOf(call, constant, input);
  return useHydrated(
    query.queryKey,
    useQuery<OutputOf<C>, Error, OutputOf<C>, readonly unknown[]>({
      ...query,
      refetchInterval: options.everyMs ?? false,
      enabled: options.enabled ?? true,
      ...(options.keep ? { placeholderData: keepPreviousData } : {}),
      ...(options.unusedMs === undefined ? {} : { gcTime: options.unusedMs }),
    }),
  );
}

export interface Action<C extends ClientCall> {
  /** Makes the call. Returns its output, or null when it was refused (then `problem` says why). */
  readonly run: (input: InputOf<C>, options?: CallOptions) => Promise<OutputOf<C> | null>;
  readonly busy: boolean;
  readonly problem: Problem | null;
  readonly reset: () => void;
}

interface Progress {
  readonly busy: boolean;
  readonly problem: Problem | null;
}
const IDLE: Progress = { busy: false, problem: null };

/** Puts the answer of a call into the cache. A function of `live.ts` that the call itself runs. */
export type Applied<C extends ClientCall> = (cache: QueryClient, answer: OutputOf<C>) => void;

/**
 * Makes a call with effects. `run` never throws; `problem` holds the refusal's text.
 * @param applied updates the cache with the answer; must be the same function at every render
 */
export function useAction<C extends ClientCall>(constant: C, applied?: Applied<C>): Action<C> {
  const call = useCall();
  const cache = useQueryClient();
  const [progress, setProgress] = useState(IDLE);
  const run = useCallback(async (input: InputOf<C>, options?: CallOptions) => {
    setProgress({ busy: true, problem: null });
    try {
      const output = await call(constant, input, options);
      applied?.(cache, output);
      setProgress(IDLE);
      return output;
    } catch (error) {
      setProgress({ busy: false, problem: problemOf(error) });
      return null;
    }
  }, [call, cache, constant, applied]);
  const reset = useCallback(() => setProgress(IDLE), []);
  return useMemo(() => ({ ...progress, run, reset }), [progress, run, reset]);
}

/** The cache, for loaders and `live.ts` (components never write to it). */
export const useCache = (): QueryClient => useQueryClient();

/** Changes the cached answer of a call, when there is one. For `live.ts`. */
export function changeCached<C extends ClientCall>(
  cache: QueryClient,
  constant: C,
  input: InputOf<C>,
  change: (answer: OutputOf<C>) => OutputOf<C>,
): void {
  cache.setQueryData<OutputOf<C>>(
    queryKeyOf(constant, input),
    (answer) => (answer ? change(answer) : answer),
  );
}

/**
 * The problem of an error: refusals carry one, anything else becomes a problem without a code.
 * @param failed text for failures without a text of the server
 */
export function problemOf(error: unknown, failed = ''): Problem {
  const problem = error instanceof CallFailed ? error.problem : {
    status: 500,
    error: 'fault',
    errorType: 'fault',
    error_type: 'fault',
    message: '',
    type: 'about:blank',
    title: 'fault',
    detail: '',
  };
  return problem.message === '' && failed !== '' ? { ...problem, message: failed } : problem;
}
