import type { OutputOf } from '#platform/contract/call.ts';
import { changeCached, queryKeyOf } from '#platform/ui/calls/calls.ts';
import { getPreferences } from '#product/notices/client.ts';
import type { QueryClient } from '@tanstack/react-query';
import {
  getCurrentUser,
  getEmail,
  getPhone,
  getTwoFactor,
  getUsernameChange,
  listDevices,
  listLinked,
  listPasskeys,
  listProviders,
  type changeEmail,
  type confirmPhone,
  type confirmTwoFactor,
  type endDevice,
  type endTwoFactor,
  type linkAccount,
  type removeProvider,
  type updateSettings,
} from '../../client.ts';

/** Shows the settings of the current user wherever a page reads them. */
export function showSettings(cache: QueryClient, answer: OutputOf<typeof updateSettings>): void {
  changeCached(cache, getCurrentUser, {}, (current) => ({ ...current, ...answer }));
  askPhone(cache);
}

/** After a change of settings, because a new number is unconfirmed. */
export function askPhone(cache: QueryClient): void {
  void cache.invalidateQueries({ queryKey: queryKeyOf(getPhone) });
}

/** Shows the sessions that are left. */
export function showDevices(cache: QueryClient, { sessions }: OutputOf<typeof endDevice>): void {
  changeCached(cache, listDevices, {}, () => ({ sessions }));
}

/** Shows whether log-in takes two steps, and how many recovery codes are left. */
export function showTwoFactor(
  cache: QueryClient,
  state: OutputOf<typeof endTwoFactor> | OutputOf<typeof confirmTwoFactor>,
): void {
  const { is_on, recovery_codes_left } = state;
  changeCached(cache, getTwoFactor, {}, () => ({ is_on, recovery_codes_left }));
}

/** Shows the caller's passkeys, and what adding one needs. */
export function showPasskeys(cache: QueryClient, answer: OutputOf<typeof listPasskeys>): void {
  changeCached(cache, listPasskeys, {}, () => answer);
}

/** Shows the providers that log the caller in. */
export function showProviders(cache: QueryClient, answer: OutputOf<typeof removeProvider>): void {
  changeCached(cache, listProviders, {}, () => answer);
}

/** Shows the address that waits to be confirmed. */
export function showEmail(
  cache: QueryClient,
  { status: _status, ...state }: OutputOf<typeof changeEmail>,
): void {
  changeCached(cache, getEmail, {}, (current) => ({ ...current, ...state }));
}

/** Shows whether the number is confirmed, and reads again whether text messages can be chosen. */
export function showPhone(cache: QueryClient, answer: OutputOf<typeof confirmPhone>): void {
  changeCached(cache, getPhone, {}, () => answer);
  void cache.invalidateQueries({ queryKey: queryKeyOf(getPreferences) });
}

/** Removes the number from the shown settings too. */
export function showPhoneRemoved(cache: QueryClient, answer: OutputOf<typeof confirmPhone>): void {
  changeCached(
    cache,
    getCurrentUser,
    {},
    (current) => ({ ...current, settings: { ...current.settings, phone: '' } }),
  );
  showPhone(cache, answer);
}

/** Reads again when the username can next change, because a change moves that. */
export function askUsernameChange(cache: QueryClient): void {
  void cache.invalidateQueries({ queryKey: queryKeyOf(getUsernameChange) });
}

/** Shows the accounts that this one can switch to. */
export function showLinked(cache: QueryClient, answer: OutputOf<typeof linkAccount>): void {
  changeCached(cache, listLinked, {}, () => answer);
}
