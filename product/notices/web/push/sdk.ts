import type { CallFunction } from '../../../../platform/contract/client/client.ts';
import { endPush, getPush, registerPush } from '../../client.ts';
import { isPushPossible, PLAYER_ID, type PushSdk } from './wrapper.ts';

const WORKER = '/push-worker.js';
/** Apart from any other worker of the site: a page may have one, and a registration of its own for push. */
const SCOPE = '/push/';

const registration = (): Promise<ServiceWorkerRegistration | undefined> =>
  navigator.serviceWorker.getRegistration(SCOPE);

/** The browser's own push behind the interface of an SDK. Throws where the browser has none. */
export async function loadSdk(call: CallFunction): Promise<PushSdk> {
  if (!isPushPossible()) throw new Error('this browser has no push');
  return {
    current: async () => {
      const subscription = await (await registration())?.pushManager.getSubscription();
      return subscription ? localStorage.getItem(PLAYER_ID) : null;
    },
    register: async () => {
      if ((await Notification.requestPermission()) !== 'granted') return null;
      const worker = await navigator.serviceWorker.register(WORKER, { scope: SCOPE });
      const { public_key: key } = await call(getPush, {});
      const subscription = await worker.pushManager.subscribe({
        userVisibleOnly: true, applicationServerKey: key,
      });
      const { endpoint = '', keys: { p256dh = '', auth = '' } = {} } = subscription.toJSON();
      const { player_id: id } = await call(registerPush, { endpoint, p256dh, auth });
      localStorage.setItem(PLAYER_ID, id);
      return id;
    },
    end: async () => {
      const id = localStorage.getItem(PLAYER_ID);
      localStorage.removeItem(PLAYER_ID);
      await (await (await registration())?.pushManager.getSubscription())?.unsubscribe();
      if (id !== null) await call(endPush, { player_id: id });
    },
  };
}
