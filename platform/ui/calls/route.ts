import type { ClientCall, InputOf } from '#platform/contract/call.ts';
import { CallFailed, type CallFunction, type Problem } from '#platform/contract/client.ts';
import type { DocumentPolicy } from '#platform/contract/document-policy.ts';
import type { QueryClient } from '@tanstack/react-query';
import {
  createContext,
  data,
  redirect,
  type LoaderFunctionArgs,
  type RouterContextProvider,
} from 'react-router';
import type { ServerClock } from '../time/server-clock.ts';
import { problemOf, queryOf } from './calls.ts';
import type { HeadPage, HeadTags } from './head.ts';
import { pagesOf } from './pages.ts';

/** The tools of loaders, the same on the server and in the browser. */
export interface PageTools {
  readonly call: CallFunction;
  readonly cache: QueryClient;
  /** The server's clock. */
  readonly clock: ServerClock;
  /** Loads the texts of these namespaces. */
  readonly texts: (namespaces: readonly string[]) => Promise<void>;
  /** Whether the viewer may be shown content yet. */
  readonly admitted: () => Promise<boolean>;
  /** Whether somebody is logged in. */
  readonly signedIn: () => boolean;
  /** Address of the log-in page that leads back to `next`. */
  readonly signInPath: (next: string) => string;
  /** Value of a cookie that scripts may read; null without one. */
  readonly cookie: (name: string) => string | null;
  /** Whether the screen is a phone's. */
  readonly isSmall: () => boolean;
  /** Logs an error and returns its reference; null in the browser. */
  readonly report: (error: unknown) => string | null;
}

/** The entry for {@link PageTools} in the router context, set by `entry.server` and `entry.client`. */
export const pageTools = createContext<PageTools>();

/** A call that a route reads before it renders. */
export interface Read {
  readonly call: ClientCall;
  readonly input: Readonly<Record<string, unknown>>;
  /** Whether the call returns pages; only the first page is read. */
  readonly isPaged?: boolean;
}
export const read = <C extends ClientCall>(call: C, input: InputOf<C>): Read => ({
  call,
  input: input as Read['input'],
});
/** The first page of a list that the route reads page by page. */
export const readPages = <C extends ClientCall>(call: C, input: InputOf<C>): Read => ({
  ...read(call, input),
  isPaged: true,
});

export interface RouteData {
  /** Namespaces of messages beside those of the shell. */
  readonly texts?: readonly string[];
  readonly reads?: (args: Pick<LoaderFunctionArgs, 'params' | 'request'>) => readonly Read[];
  /** What a route reads while the entry gate is closed: words for its head, never imagery. */
  readonly readsBeforeGate?: RouteData['reads'];
  /** The new address of the content, from the cached answers; null when the address is right. */
  readonly movedTo?: (cache: QueryClient, params: LoaderFunctionArgs['params']) => string | null;
  /** For logged-in people only; others are sent to log in first. */
  readonly member?: boolean;
  /** Shown before the entry gate too; the route's `handle` says the same ({@link RouteHandle}). */
  readonly always?: boolean;
}

/** The `handle` export of a route. */
export interface RouteHandle {
  readonly always?: boolean;
  /** The page fills the window: no footer, no bottom bar. */
  readonly bare?: boolean;
  /** Where the site's banner may stand above the page: always, or as the room on the page allows. */
  readonly banner?: 'always' | 'room';
  /** Whether the page is a document of its own, without the shell. */
  readonly alone?: boolean;
  /** How the page's content policy differs from that of other pages, based on what its loader read. */
  readonly policy?: (cache: QueryClient) => DocumentPolicy;
  /**
   * The name under which visits of the document are counted, based on what its loader read; null when they
   * are not.
   */
  readonly mark?: (cache: QueryClient, params: HeadPage['params']) => string | null;
  /** The tags in the document's head; null leaves those of every page. */
  readonly head?: (page: HeadPage) => HeadTags | null;
}

/**
 * Makes a route's `loader` (first document, on the server) and `clientLoader` (every navigation after it):
 * both read into the cache, and components read only from the cache. A refusal becomes the page's error with
 * its status; a person who must log in first is sent to log in.
 */
export const routeData = (
  { texts = [], reads, readsBeforeGate, movedTo, always, member }: RouteData,
) =>
async ({ params, request, context }: LoaderArgs): Promise<null> => {
  const tools = context.get(pageTools);
  await tools.texts(texts);
  if (member && !tools.signedIn()) throw toSignIn(request, tools);
  if (!reads && !readsBeforeGate) return null;
  const isShown = always === true || await tools.admitted();
  const wanted = (isShown ? reads : readsBeforeGate)?.({ params, request }) ?? [];
  try {
    await Promise.all(wanted.map(({ call, input, isPaged }): Promise<unknown> => (isPaged
      ? tools.cache.ensureInfiniteQueryData(pagesOf(tools.call, call, input))
      : tools.cache.ensureQueryData(queryOf(tools.call, call, input)))
    ));
  } catch (error) {
    throw failureOf(error, request, tools);
  }
  const moved = movedTo?.(tools.cache, params) ?? null;
  // A permanent redirect, so that stored links are updated.
  if (moved !== null) throw redirect(moved + new URL(request.url).search, 301);
  return null;
};

type LoaderArgs =
  & Pick<LoaderFunctionArgs, 'params' | 'request'>
  & { readonly context: Readonly<RouterContextProvider> };

function toSignIn(request: Request, tools: PageTools): Response {
  const { pathname, search } = new URL(request.url);
  return redirect(tools.signInPath(pathname + search));
}

function failureOf(error: unknown, request: Request, tools: PageTools): unknown {
  if (error instanceof CallFailed && error.problem.status === 401) return toSignIn(request, tools);
  const problem: Problem = problemOf(error);
  const reference = error instanceof CallFailed ? problem.reference : tools.report(error) ?? undefined;
  return data({ ...problem, reference }, { status: problem.status >= 400 ? problem.status : 503 });
}
