import type { OutputOf } from '#platform/contract/call.ts';
import { queryKeyOf, queryOf, useCache, useCall } from '#platform/ui/calls/calls.ts';
import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import { getCurrentUser } from '../client.ts';
import { isAuthenticated } from '../rules.ts';

export type Me = OutputOf<typeof getCurrentUser>;

/** The logged-in person, or null for a guest. Loaded with the document; log-in and events update it. */
export function useMe(): Me | null {
  const call = useCall();
  const { data } = useQuery<Me | null>({ ...queryOf(call, getCurrentUser, {}), enabled: false });
  return data && isAuthenticated(data.user) ? data : null;
}

/**
 * Fetches the current user again, after a log-in or a change of the account. An answer that is on its way may
 * be from before, or of the session before: then the call is made once more.
 */
export function useReloadMe(): () => Promise<void> {
  const cache = useCache();
  const call = useCall();
  return useCallback(async () => {
    const ask = async () => cache.fetchQuery({ ...queryOf(call, getCurrentUser, {}), staleTime: 0 });
    if (cache.isFetching({ queryKey: queryKeyOf(getCurrentUser, {}) }) > 0) {
      await ask().catch(() => undefined);
    }
    await ask();
  }, [cache, call]);
}

/** Reloads all other data after a log-in, because it was loaded for another caller. */
export function useSignedIn(): () => Promise<void> {
  const cache = useCache();
  const reloadMe = useReloadMe();
  return useCallback(async () => {
    await reloadMe();
    const [mine] = queryKeyOf(getCurrentUser);
    await cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== mine });
  }, [cache, reloadMe]);
}

/** The path to go to after log-in; always on this site. */
export function returnPath(next: string | null): string {
  return next !== null && /^\/(?![/\\])[^\s\\]*$/u.test(next) ? next : '/';
}

/** Pages to which nobody returns after a log-in: those of log-in and sign-up, and the home page. */
const NOT_BACK = new Set([
  '/',
  '/login',
  '/register',
  '/forgot-password',
  '/reset-password',
  '/confirm-email',
  '/restore-email',
]);

/** State of a link to log-in or sign-up: the page to return to. */
export function useWayBack(): { readonly next: string } | null {
  const { pathname, search } = useLocation();
  return NOT_BACK.has(pathname) ? null : { next: pathname + search };
}

/** Where to continue after log-in: by the URL, else by the link that led here; null for neither. */
export function useNext(): string | null {
  const { state } = useLocation() as { readonly state: { readonly next?: unknown } | null };
  const [query] = useSearchParams();
  const ofLink = typeof state?.next === 'string' ? state.next : null;
  return query.get('next') ?? ofLink;
}

/** After a log-in, loads the page's data for the new caller, and goes to the page they wanted. */
export function useGoOn(): (next: string | null) => Promise<void> {
  const navigate = useNavigate();
  const signedIn = useSignedIn();
  return useCallback(async (next) => {
    await signedIn();
    await navigate(returnPath(next), { replace: true });
  }, [navigate, signedIn]);
}
