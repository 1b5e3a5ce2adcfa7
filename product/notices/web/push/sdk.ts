import type { CallFunction } from '#platform/contract/client.ts';
import { endPush, getPush, registerPush } from '../../client.ts';
import { ownSubscription, providerWorker, SCOPE } from './registered.ts';
import { isPushPossible, PLAYER_ID, type PushSdk } from './wrapper.ts';

const WORKER = '/push-worker.js';

/** The browser's own push behind the interface of an SDK. Throws where the browser has none. */
export async function loadSdk(call: CallFunction): Promise<PushSdk> {
  if (!isPushPossible()) throw new Error('this browser has no push');
  return {
    current: async () => (await ownSubscription() ? localStorage.getItem(PLAYER_ID) : null),
    register: async () => {
      if ((await Notification.requestPermission()) !== 'granted') return null;
      const worker = await navigator.serviceWorker.register(WORKER, { scope: SCOPE });
      const { public_key: key } = await call(getPush, {});
      const subscription = await worker.pushManager.subscribe({
        userVisibleOnly: true,
        applicationServerKey: key,
      });
      const { endpoint = '', keys: { p256dh = '', auth = '' } = {} } = subscription.toJSON();
      const { player_id: id } = await call(registerPush, { endpoint, p256dh, auth });
      localStorage.setItem(PLAYER_ID, id);
      // Ends a push provider's registration, so that only one registration of a browser gets messages.
      await (await providerWorker())?.unregister();
      return id;
    },
    end: async () => {
      const id = localStorage.getItem(PLAYER_ID);
      localStorage.removeItem(PLAYER_ID);
      await (await ownSubscription())?.unsubscribe();
      if (id !== null) await call(endPush, { player_id: id });
    },
  };
}
