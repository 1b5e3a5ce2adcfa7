import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { decrypt, encrypt } from '#platform/data/database/encrypt.ts';
import type { PushApp } from '#platform/outgoing/push-provider.ts';
import { isPushEndpoint } from '#platform/outgoing/web-push.ts';
import {
  apiAddressInvalid,
  apiKeyMissing,
  changePushProvider,
  getPushProvider,
  getPushWorker,
  noPushProvider,
  removePushProvider,
  type PageProviderView,
  type ProviderView,
} from '../contract/push-provider.ts';
import { callers } from '../extension-points.ts';
import { workerPolicy, workerText } from '../rules/push-provider.ts';
import { findProvider, removeProvider, saveProvider, type StoredProvider } from '../store/push-provider.ts';

interface ProviderDependencies {
  readonly data: Data;
  readonly extensions: Extensions;
  readonly secret: string;
  /** In a demo and in tests the provider may be on loopback. */
  readonly allowsLoopback: boolean;
}

const NAMES = [
  'script',
  'worker',
  'origins',
  'api_url',
  'app_id',
] as const satisfies readonly (keyof ProviderView)[];

const viewOf = ({ api_key: _key, origins, ...shown }: StoredProvider): ProviderView => ({
  ...shown,
  origins: [...origins],
});

/** Names of changed fields, for the audit log; of the key, only that it changed. */
const changesOf = (before: ProviderView | null, after: ProviderView | null, isNewKey: boolean) => [
  ...NAMES.filter((name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name])).map((name) => ({
    name,
    before: JSON.stringify(before?.[name] ?? null),
    after: JSON.stringify(after?.[name] ?? null),
  })),
  ...(isNewKey ? [{ name: 'api_key', before: '…', after: '…' }] : []),
];

/** The provider that sends an operator's push messages, where the operator chose one. */
export class PushProviders {
  readonly #deps: ProviderDependencies;

  constructor(deps: ProviderDependencies) {
    this.#deps = deps;
  }

  /** What a page needs from it; null for the site's own push. */
  async pageIn(tx: Tx): Promise<PageProviderView | null> {
    const stored = await findProvider(tx);
    return stored && { script: stored.script, origins: [...stored.origins], app_id: stored.app_id };
  }

  /** The app of the current provider; null for the site itself. */
  async appIdIn(tx: Tx): Promise<string | null> {
    return (await findProvider(tx))?.app_id ?? null;
  }

  /** The app with its key; null where there is none, or another app. */
  async appIn(tx: Tx, appId: string): Promise<PushApp | null> {
    const stored = await findProvider(tx);
    if (stored?.app_id !== appId) return null;
    return {
      apiUrl: stored.api_url,
      appId,
      apiKey: decrypt(this.#deps.secret, purposeIn(tx), stored.api_key),
      allowsLoopback: this.#deps.allowsLoopback,
    };
  }

  readonly callHandlers = (): CallHandler[] => {
    const { data, extensions, secret, allowsLoopback } = this.#deps;
    return [
      handleCall(getPushProvider)((_input, { scope }) =>
        data.tx(scope, async (tx) => {
          const stored = await findProvider(tx);
          return { provider: stored && viewOf(stored) };
        })
      ),
      handleCall(changePushProvider)(({ api_key: key, reason, ...given }, context) =>
        data.tx(context.scope, async (tx) => {
          const { caller, refuse } = context;
          await extensions.one(callers)(tx, context);
          if (!isPushEndpoint(given.api_url, allowsLoopback)) return refuse(apiAddressInvalid);
          const before = await findProvider(tx);
          const isSame = before?.api_url === given.api_url && before.app_id === given.app_id;
          const hidden = key === undefined
            ? (isSame ? before.api_key : null)
            : encrypt(secret, purposeIn(tx), key);
          if (hidden === null) return refuse(apiKeyMissing);
          const provider = { ...given, origins: [...new Set(given.origins)] };
          await saveProvider(tx, { ...provider, api_key: hidden });
          await tx.audit({
            action: changePushProvider.name,
            actorId: caller.personId,
            reason,
            subject: `operator:${tx.operatorId}`,
            detail: { fields: changesOf(before && viewOf(before), provider, key !== undefined) },
          });
          return { provider };
        })
      ),
      handleCall(removePushProvider)(({ reason }, context) =>
        data.tx(context.scope, async (tx) => {
          const { caller } = context;
          await extensions.one(callers)(tx, context);
          const before = await findProvider(tx);
          await removeProvider(tx);
          await tx.audit({
            action: removePushProvider.name,
            actorId: caller.personId,
            reason,
            subject: `operator:${tx.operatorId}`,
            detail: { fields: changesOf(before && viewOf(before), null, before !== null) },
          });
          return { provider: null };
        })
      ),
      handleCall(getPushWorker)(async (_input, { scope, refuse }) => {
        const stored = await data.tx(scope, findProvider);
        if (!stored) return refuse(noPushProvider);
        // Browsers check for a changed worker at each registration, and once a day.
        const headers = { 'cache-control': 'no-cache', 'content-security-policy': workerPolicy(stored) };
        return { status: 200 as const, headers, body: workerText(stored) };
      }),
    ];
  };
}

const purposeIn = (tx: Tx): string => `notices push provider of operator ${tx.operatorId}`;
