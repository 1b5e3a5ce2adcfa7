import type { QueryClient } from '@tanstack/react-query';
import type { OutputOf } from '#platform/contract/call.ts';
import { changeCached, queryKeyOf } from '#platform/ui/calls/calls.ts';
import {
  getCurrentUser, getEmail, getPhone, getTwoFactor, getUsernameChange, listDevices, listLinked, listPasskeys,
  listProviders, type changeEmail, type confirmPhone, type confirmTwoFactor, type endDevice,
  type endTwoFactor,
  type linkAccount, type removeProvider, type updateSettings,
} from '../../client.ts';
import { getPreferences } from '#product/notices/client.ts';

/** Shows the settings of the current user wherever a page reads them. */
export function showSettings(cache: QueryClient, answer: OutputOf<typeof updateSettings>): void {
  changeCached(cache, getCurrentUser, {}, (current) => ({ ...current, ...answer }));
  askPhone(cache);
}

/** After a change of settings: another number is not confirmed. */
export function askPhone(cache: QueryClient): void {
  void cache.invalidateQueries({ queryKey: queryKeyOf(getPhone) });
}

/** Shows the sessions that are left. */
export function showDevices(cache: QueryClient, { sessions }: OutputOf<typeof endDevice>): void {
  changeCached(cache, listDevices, {}, () => ({ sessions }));
}

/** Shows whether log-in takes two steps, and how many recovery codes are left. */
export function showTwoFactor(
  cache: QueryClient, state: OutputOf<typeof endTwoFactor> | OutputOf<typeof confirmTwoFactor>,
): void {
  const { is_on, recovery_codes_left } = state;
  changeCached(cache, getTwoFactor, {}, () => ({ is_on, recovery_codes_left }));
}

/** Shows one's passkeys, and what adding another one takes. */
export function showPasskeys(cache: QueryClient, answer: OutputOf<typeof listPasskeys>): void {
  changeCached(cache, listPasskeys, {}, () => answer);
}

/** Shows which other providers log one in. */
export function showProviders(cache: QueryClient, answer: OutputOf<typeof removeProvider>): void {
  changeCached(cache, listProviders, {}, () => answer);
}

/** Shows the address that waits to be confirmed. */
export function showEmail(
  cache: QueryClient, { status: _status, ...state }: OutputOf<typeof changeEmail>,
): void {
  changeCached(cache, getEmail, {}, (current) => ({ ...current, ...state }));
}

/** Shows whether one's number is confirmed; whether text messages can be chosen is read again. */
export function showPhone(cache: QueryClient, answer: OutputOf<typeof confirmPhone>): void {
  changeCached(cache, getPhone, {}, () => answer);
  void cache.invalidateQueries({ queryKey: queryKeyOf(getPreferences) });
}

/** The number is gone from the settings too. */
export function showPhoneRemoved(cache: QueryClient, answer: OutputOf<typeof confirmPhone>): void {
  changeCached(cache, getCurrentUser, {}, (current) =>
    ({ ...current, settings: { ...current.settings, phone: '' } }));
  showPhone(cache, answer);
}

/** After a change of the username: when it can be another one has changed too. */
export function askUsernameChange(cache: QueryClient): void {
  void cache.invalidateQueries({ queryKey: queryKeyOf(getUsernameChange) });
}

/** Shows the accounts that this one switches to. */
export function showLinked(cache: QueryClient, answer: OutputOf<typeof linkAccount>): void {
  changeCached(cache, listLinked, {}, () => answer);
}
