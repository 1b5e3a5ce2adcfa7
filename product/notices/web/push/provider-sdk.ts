import type { CallFunction } from '#platform/contract/client.ts';
import { runOutsideScript } from '#platform/ui/early/outside-script.ts';
import { endPush, registerPlayer } from '../../client.ts';
import type { PageProviderView } from '../../contract/push-provider.ts';
import { PROVIDER_SCOPE, PROVIDER_WORKER } from '../../rules/push-provider.ts';
import { ownSubscription, providerPlayer } from './registered.ts';
import { isPushPossible, PLAYER_ID, type PushSdk } from './wrapper.ts';

/** How long to wait for the SDK. */
const LIMIT_MS = 15_000;

/** The part of a provider's SDK that this site uses: the interface of OneSignal's web SDK, version 16. */
interface ProviderSdk {
  readonly init: (options: {
    readonly appId: string;
    readonly serviceWorkerPath: string;
    readonly serviceWorkerParam: { readonly scope: string };
    readonly allowLocalhostAsSecureOrigin: boolean;
  }) => Promise<void>;
  readonly User: { readonly PushSubscription: Subscription };
}
interface Subscription {
  /** This browser's id at the provider; absent until it has subscribed. */
  readonly id?: string | null | undefined;
  readonly optIn: () => Promise<void>;
  readonly optOut: () => Promise<void>;
  readonly addEventListener: (event: 'change', listener: () => void) => void;
  readonly removeEventListener: (event: 'change', listener: () => void) => void;
}

interface ProviderPage {
  /** Callbacks that the SDK runs once it is ready; it replaces the array by a queue of its own. */
  OneSignalDeferred?: { push: (run: (sdk: ProviderSdk) => void) => unknown };
  /** The SDK started in this page; an SDK can start only once. */
  startedPushSdk?: { readonly appId: string; readonly sdk: ProviderSdk; readonly ready: Promise<void> };
}

/** The same, but throws when it takes too long. */
async function inTime<Value>(work: Promise<Value>): Promise<Value> {
  let limit: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    limit = setTimeout(() => reject(new Error('the push provider did not get ready')), LIMIT_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(limit));
}

/** The browser's id at the provider, which comes some time after the person agreed. */
async function idOf(subscription: Subscription): Promise<string> {
  const { id: known } = subscription;
  if (known) return known;
  let look: () => void = () => undefined;
  const given = new Promise<string>((resolve) => {
    look = () => {
      if (subscription.id) resolve(subscription.id);
    };
  });
  subscription.addEventListener('change', look);
  return inTime(given).finally(() => subscription.removeEventListener('change', look));
}

/**
 * Runs the provider's script and starts its SDK, once in a page. Throws where the script did not load, was
 * blocked by the browser, or does not become ready.
 */
async function startSdk({ script, app_id: appId }: PageProviderView): Promise<ProviderSdk> {
  const page = window as unknown as ProviderPage;
  if (!page.startedPushSdk) {
    await runOutsideScript(script);
    const waiting: ((sdk: ProviderSdk) => void)[] = [];
    const queue = page.OneSignalDeferred ??= waiting;
    const sdk = await inTime(
      new Promise<ProviderSdk>((resolve) => {
        queue.push(resolve);
      }),
    );
    page.startedPushSdk ??= {
      appId,
      sdk,
      ready: sdk.init({
        appId,
        serviceWorkerPath: PROVIDER_WORKER.slice(1),
        serviceWorkerParam: { scope: PROVIDER_SCOPE },
        allowLocalhostAsSecureOrigin: true,
      }),
    };
  }
  const { appId: startedFor, sdk, ready } = page.startedPushSdk;
  if (startedFor !== appId) throw new Error('this page has started the SDK for another app');
  await inTime(ready);
  return sdk;
}

/**
 * A provider's push behind the same interface. The provider gets no name or id of the person: the site stores
 * whose browser it is, and addresses the browser by the provider's id.
 */
export async function loadProviderSdk(call: CallFunction, provider: PageProviderView): Promise<PushSdk> {
  if (!isPushPossible()) throw new Error('this browser has no push');
  const { User: { PushSubscription: subscription } } = await startSdk(provider);
  return {
    current: providerPlayer,
    register: async () => {
      if ((await Notification.requestPermission()) !== 'granted') return null;
      await subscription.optIn();
      const id = await idOf(subscription);
      await call(registerPlayer, { player_id: id, app_id: provider.app_id });
      localStorage.setItem(PLAYER_ID, id);
      // Ends the site's own push, so that only one registration of a browser gets messages.
      await (await ownSubscription())?.unsubscribe();
      return id;
    },
    end: async () => {
      const id = localStorage.getItem(PLAYER_ID);
      if (id !== null) await call(endPush, { player_id: id });
      // If that call failed, the site still sends, and the switch still shows push as on.
      localStorage.removeItem(PLAYER_ID);
      await subscription.optOut();
    },
  };
}
