import { PROVIDER_SCOPE } from '../../rules/push-provider.ts';
import { PLAYER_ID } from './wrapper.ts';

/** Apart from any other worker of the site: a page may have one, and a registration of its own for push. */
export const SCOPE = '/push/';

/** What this browser subscribed to by the site's own push; null without. */
export const ownSubscription = async (): Promise<PushSubscription | null> =>
  await (await navigator.serviceWorker.getRegistration(SCOPE))?.pushManager.getSubscription() ?? null;

/** The worker of a push provider, where this browser has one. */
export async function providerWorker(): Promise<ServiceWorkerRegistration | null> {
  // Where there is none, browsers answer the worker of the next scope above.
  const found = await navigator.serviceWorker.getRegistration(PROVIDER_SCOPE);
  return found?.scope.endsWith(PROVIDER_SCOPE) ? found : null;
}

/**
 * The id of this browser at a push provider, as the page can know it without the provider's script; null
 * without one. That a provider ended it by itself shows when the site sends to it.
 */
export async function providerPlayer(): Promise<string | null> {
  const id = localStorage.getItem(PLAYER_ID);
  return id !== null && Notification.permission === 'granted' && await providerWorker() ? id : null;
}
