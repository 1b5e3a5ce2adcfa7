import { PROVIDER_SCOPE } from '../../rules/push-provider.ts';
import { PLAYER_ID } from './wrapper.ts';

/** Separate from the site's other worker: a page can have that one, and a registration for push as well. */
export const SCOPE = '/push/';

/** This browser's subscription to the site's own push; null without one. */
export const ownSubscription = async (): Promise<PushSubscription | null> =>
  await (await navigator.serviceWorker.getRegistration(SCOPE))?.pushManager.getSubscription() ?? null;

/** A push provider's worker, where this browser has one. */
export async function providerWorker(): Promise<ServiceWorkerRegistration | null> {
  // Without one, browsers return the worker of the next scope above.
  const found = await navigator.serviceWorker.getRegistration(PROVIDER_SCOPE);
  return found?.scope.endsWith(PROVIDER_SCOPE) ? found : null;
}

/**
 * This browser's id at a push provider, as far as the page knows without the provider's script; null without
 * one. If the provider ended it, the site notices at the next message.
 */
export async function providerPlayer(): Promise<string | null> {
  const id = localStorage.getItem(PLAYER_ID);
  return id !== null && Notification.permission === 'granted' && await providerWorker() ? id : null;
}
