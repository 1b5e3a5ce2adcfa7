import type { OutputOf } from '#platform/contract/call.ts';
import { changeCached } from '#platform/ui/calls/calls.ts';
import type { QueryClient } from '@tanstack/react-query';
import {
  getCurrentUser,
  getWaysInCheck,
  type confirmWaysIn,
  type removePasskey,
  type removeProvider,
} from '../../client.ts';
import { showPasskeys, showProviders } from '../settings/live.ts';

/** Shows the passkeys that are left. */
export function showPasskeysLeft(cache: QueryClient, answer: OutputOf<typeof removePasskey>): void {
  showPasskeys(cache, answer);
  const left = new Set(answer.passkeys.map(({ id }) => id));
  changeCached(
    cache,
    getWaysInCheck,
    {},
    ({ ways_in }) => ({ ways_in: ways_in.filter(({ kind, id }) => kind !== 'passkey' || left.has(id)) }),
  );
}

/** Shows the providers that are left. */
export function showProvidersLeft(cache: QueryClient, answer: OutputOf<typeof removeProvider>): void {
  showProviders(cache, answer);
  const left = new Set<string>(answer.linked.map(({ provider }) => provider));
  changeCached(
    cache,
    getWaysInCheck,
    {},
    ({ ways_in }) => ({ ways_in: ways_in.filter(({ kind, name }) => kind !== 'provider' || left.has(name)) }),
  );
}

/** Nothing waits for a check any more. */
export function showChecked(cache: QueryClient, _answer: OutputOf<typeof confirmWaysIn>): void {
  changeCached(cache, getWaysInCheck, {}, () => ({ ways_in: [] }));
  changeCached(
    cache,
    getCurrentUser,
    {},
    (current) => ({ ...current, user: { ...current.user, ways_in_to_check: false } }),
  );
}
