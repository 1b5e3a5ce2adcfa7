import { handleCall, type CallHandler, type DeadlineHandler } from '#platform/contract/bind.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Data, OperatorScope, Tx } from '#platform/data/data.ts';
import { decrypt, encrypt } from '#platform/data/database/encrypt.ts';
import { randomId, uuidV5 } from '#platform/data/ids.ts';
import { sendByProvider } from '#platform/outgoing/push-provider.ts';
import { MessageRefused } from '#platform/outgoing/smtp.ts';
import {
  isPushEndpoint,
  makePushKeys,
  PushGone,
  sendPush,
  type PushSender,
} from '#platform/outgoing/web-push.ts';
import type { TextOf } from '#platform/text/message-keys.ts';
import type { SiteService } from '#product/site/server.ts';
import { noPushProvider, playerInvalid, registerPlayer } from '../contract/push-provider.ts';
import {
  endpointInvalid,
  endPush,
  getPush,
  pushUnknown,
  registerPush,
  reportPush,
} from '../contract/push.ts';
import { callers } from '../extension-points.ts';
import { PUSH_TTL_SECONDS, pushWaitMs, UNREPORTED_MS, type PushMessage } from '../rules/push.ts';
import type { Delivery } from '../store/deliveries.ts';
import {
  findBrowser,
  findBrowsers,
  findKeys,
  removeBrowser,
  removeGone,
  removeOfFormer,
  saveBrowser,
  saveKeys,
  savePlayer,
  saveReport,
  type Browser,
} from '../store/push.ts';
import { Deliveries } from './deliveries.ts';
import type { Notified, PushOutlet } from './notifier.ts';
import type { PushProviders } from './push-providers.ts';

/** Namespace of delivery ids (RFC 9562 §5.5): for two tries with one id, providers send one message. */
const DELIVERIES = '6f0b8a52-3f0e-4c0b-9a4e-7d5f2f5b1c39';

export interface PushDependencies {
  readonly data: Data;
  readonly extensions: Extensions;
  readonly text: TextOf;
  readonly site: Pick<SiteService, 'addressIn'>;
  readonly providers: PushProviders;
  readonly secret: string;
  /** Contact for push services: `mailto:…` or `https://…`. */
  readonly contact: string;
  /** In tests the push service may be on loopback. */
  readonly pushAllowsLoopback: boolean;
  readonly onError: (error: unknown) => void;
}

interface Waiting {
  readonly browserId: number;
  readonly message: PushMessage;
  /** URL of the person's site, because a provider opens whole URLs. Left out for the site's own push. */
  readonly address?: string;
}

/** Web push: the operator's keys, browsers, and messages on their way to them. */
export class Pushes {
  readonly #deps: PushDependencies;
  readonly #deliveries: Deliveries;

  constructor(deps: PushDependencies) {
    this.#deps = deps;
    this.#deliveries = new Deliveries({
      data: deps.data,
      channel: 'push',
      onError: deps.onError,
      send: (operatorId, delivery) => this.#send({ operatorId }, delivery),
      waitMs: (failures, error) => (error instanceof MessageRefused ? null : pushWaitMs(failures)),
    });
  }

  readonly deadlineHandler = (): DeadlineHandler => this.#deliveries.deadlineHandler();

  /** Sends messages to every browser of these people. */
  readonly accept: PushOutlet = async (tx, personIds, describe) => {
    if (personIds.length === 0) return;
    const { providers, site } = this.#deps;
    const appId = await providers.appIdIn(tx);
    const browsers = await findBrowsers(tx, personIds, appId, this.#unreportedSince(tx));
    const addresses = new Map<number, string>();
    const waiting: Waiting[] = [];
    for (const { id, person_id: personId } of browsers) {
      const notified = describe(personId);
      const { siteId } = notified.recipient;
      if (appId !== null) addresses.set(siteId, addresses.get(siteId) ?? await site.addressIn(tx, siteId));
      const address = addresses.get(siteId);
      const message = this.#messageOf(notified);
      waiting.push({ browserId: id, message, ...(address === undefined ? {} : { address }) });
    }
    await this.#deliveries.accept(tx, waiting);
  };

  /** Makes the operator's keys, unless there are some. */
  prepare(scope: OperatorScope): Promise<PushSender> {
    return this.#deps.data.tx(scope, (tx) => this.#senderIn(tx));
  }

  readonly callHandlers = (): CallHandler[] => {
    const { data, extensions, pushAllowsLoopback, providers } = this.#deps;
    return [
      handleCall(getPush)((_input, { scope }) =>
        data.tx(scope, async (tx) => ({ public_key: (await this.#senderIn(tx)).publicKey }))
      ),
      handleCall(registerPush)(async ({ endpoint, ...keys }, context) => {
        const { scope, caller, personId, refuse } = context;
        if (!isPushEndpoint(endpoint, pushAllowsLoopback)) return refuse(endpointInvalid);
        const playerId = randomId();
        await data.tx(scope, async (tx) => {
          await extensions.one(callers)(tx, context);
          await saveBrowser(tx, {
            person_id: personId,
            player_id: playerId,
            endpoint,
            ...keys,
            session: caller.sessionId,
          }, this.#unreportedSince(tx));
        });
        return { player_id: playerId };
      }),
      handleCall(registerPlayer)((player, context) =>
        data.tx(context.scope, async (tx) => {
          const { caller, personId, refuse } = context;
          await extensions.one(callers)(tx, context);
          const appId = await providers.appIdIn(tx);
          if (appId === null) return refuse(noPushProvider);
          if (appId !== player.app_id) return refuse(playerInvalid);
          await savePlayer(tx, {
            ...player,
            person_id: personId,
            session: caller.sessionId,
          }, this.#unreportedSince(tx));
          return { success: true as const };
        })
      ),
      handleCall(endPush)(async ({ player_id: playerId }, { scope, personId }) => {
        await data.tx(scope, (tx) => removeBrowser(tx, personId, playerId));
        return { success: true as const };
      }),
      handleCall(reportPush)(async ({ player_id: playerId }, context) => {
        const { scope, caller, personId, refuse } = context;
        const registration = { person_id: personId, player_id: playerId };
        const isKnown = await data.tx(scope, async (tx) => {
          await extensions.one(callers)(tx, context);
          // Only the browser that was given the id knows it, whoever uses the browser now.
          await removeOfFormer(tx, registration);
          return saveReport(tx, registration, await providers.appIdIn(tx), caller.sessionId);
        });
        return isKnown ? { success: true as const } : refuse(pushUnknown);
      }),
    ];
  };

  #unreportedSince({ now }: Tx): Date {
    return new Date(now.getTime() - UNREPORTED_MS);
  }

  /** The message of a notice; a discreet one only says that there is something new. */
  #messageOf({ options: { isDiscreet }, locale, title, text, link }: Notified): PushMessage {
    if (!isDiscreet) return { title, body: text, link };
    const { text: textOf } = this.#deps;
    return {
      title: textOf(locale, 'notices:push.discreetTitle'),
      body: textOf(locale, 'notices:push.discreetText'),
      link,
    };
  }

  async #send(scope: OperatorScope, delivery: Delivery): Promise<void> {
    const { data } = this.#deps;
    const { browserId, message, address = '' } = delivery.payload as Waiting;
    const browser = await data.tx(scope, (tx) => findBrowser(tx, browserId));
    // The registration ended meanwhile.
    if (!browser) return;
    try {
      if (browser.app_id === null) await this.#sendOwn(scope, browser, message);
      else {
        const once = `${scope.operatorId} ${delivery.id} ${delivery.created_at.getTime()}`;
        await this.#sendByProvider(scope, browser, { ...message, link: address + message.link }, once);
      }
    } catch (error) {
      if (!(error instanceof PushGone)) throw error;
      await data.tx(scope, (tx) => removeGone(tx, browserId));
    }
  }

  async #sendOwn(
    scope: OperatorScope,
    browser: Extract<Browser, { app_id: null }>,
    message: PushMessage,
  ): Promise<void> {
    const { data, pushAllowsLoopback: allowsLoopback } = this.#deps;
    const sender = await data.tx(scope, (tx) => this.#senderIn(tx));
    const options = { sender, ttlSeconds: PUSH_TTL_SECONDS, allowsLoopback };
    await sendPush(browser, JSON.stringify(message), options);
  }

  async #sendByProvider(
    scope: OperatorScope,
    { app_id: appId, player_id: playerId }: Extract<Browser, { app_id: string }>,
    { title, body, link: url }: PushMessage,
    once: string,
  ): Promise<void> {
    const { data, providers } = this.#deps;
    const app = await data.tx(scope, (tx) => providers.appIn(tx, appId));
    // The operator changed or removed the provider meanwhile.
    if (app === null) return;
    await sendByProvider(app, {
      playerId,
      title,
      body,
      url,
      ttlSeconds: PUSH_TTL_SECONDS,
      once: uuidV5(DELIVERIES, once),
    });
  }

  async #senderIn(tx: Tx): Promise<PushSender> {
    const { secret, contact } = this.#deps;
    const purpose = `notices push key of operator ${tx.operatorId}`;
    let stored = await findKeys(tx);
    if (!stored) {
      const made = makePushKeys();
      const hidden = encrypt(secret, purpose, made.privateKey);
      await saveKeys(tx, { public_key: made.publicKey, private_key: hidden });
      stored = await findKeys(tx);
    }
    if (!stored) throw new Error('push keys that were just saved cannot be read');
    const { public_key: publicKey, private_key: hidden } = stored;
    return { publicKey, privateKey: decrypt(secret, purpose, hidden), contact };
  }
}
