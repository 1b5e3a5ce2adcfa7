import { handleCall, type CallHandler, type DeadlineHandler } from '../../../../platform/contract/bind.ts';
import type { Data, OperatorScope, Tx } from '../../../../platform/data/data.ts';
import { decrypt, encrypt } from '../../../../platform/data/database/encrypt.ts';
import { randomId } from '../../../../platform/data/ids.ts';
import { MessageRefused } from '../../../../platform/outgoing/smtp.ts';
import {
  isPushEndpoint, makePushKeys, PushGone, sendPush, type PushSender,
} from '../../../../platform/outgoing/web-push.ts';
import type { TextOf } from '../../../../platform/text/message-keys.ts';
import {
  endpointInvalid, endPush, getPush, pushUnknown, registerPush, reportPush,
} from '../../contract/push.ts';
import { PUSH_TTL_SECONDS, pushWaitMs, UNREPORTED_MS, type PushMessage } from '../../rules/push.ts';
import {
  findBrowser, findBrowsers, findKeys, removeBrowser, removeGone, saveBrowser, saveKeys, saveReport,
} from '../../store/push.ts';
import { Deliveries } from '../delivery/deliveries.ts';
import { memberOf } from '../lists.ts';
import type { Notified, PushOutlet } from '../notifier.ts';

export interface PushDependencies {
  readonly data: Data;
  readonly text: TextOf;
  readonly secret: string;
  /** Where push services complain: `mailto:…` or `https://…`. */
  readonly contact: string;
  /** Tests have a push service on loopback. */
  readonly pushAllowsLoopback: boolean;
  readonly onError: (error: unknown) => void;
}

interface Waiting {
  readonly browserId: number;
  readonly message: PushMessage;
}

/** Web push: the operator's keys, browsers, and messages on their way to them. */
export class Pushes {
  readonly #deps: PushDependencies;
  readonly #deliveries: Deliveries;

  constructor(deps: PushDependencies) {
    this.#deps = deps;
    this.#deliveries = new Deliveries({
      data: deps.data, channel: 'push', onError: deps.onError,
      send: (operatorId, { payload }) => this.#send({ operatorId }, payload as Waiting),
      waitMs: (failures, error) => (error instanceof MessageRefused ? null : pushWaitMs(failures)),
    });
  }

  readonly deadlineHandler = (): DeadlineHandler => this.#deliveries.deadlineHandler();

  /** Messages to every browser of these people. */
  readonly accept: PushOutlet = async (tx, personIds, describe) => {
    if (personIds.length === 0) return;
    const browsers = await findBrowsers(tx, personIds, this.#unreportedSince(tx));
    await this.#deliveries.accept(tx, browsers.map(({ id, person_id: personId }): Waiting =>
      ({ browserId: id, message: this.#messageOf(describe(personId)) })));
  };

  /** Makes the operator's keys, unless they are there. */
  prepare(scope: OperatorScope): Promise<PushSender> {
    return this.#deps.data.tx(scope, (tx) => this.#senderIn(tx));
  }

  readonly callHandlers = (): CallHandler[] => {
    const { data, pushAllowsLoopback } = this.#deps;
    return [
      handleCall(getPush)((_input, { scope }) => data.tx(scope, async (tx) =>
        ({ public_key: (await this.#senderIn(tx)).publicKey }))),
      handleCall(registerPush)(async ({ endpoint, ...keys }, { scope, caller, refuse }) => {
        if (!isPushEndpoint(endpoint, pushAllowsLoopback)) return refuse(endpointInvalid);
        const playerId = randomId();
        await data.tx(scope, (tx) => saveBrowser(tx, {
          person_id: memberOf(caller), player_id: playerId, endpoint, ...keys, session: caller.sessionId,
        }, this.#unreportedSince(tx)));
        return { player_id: playerId };
      }),
      handleCall(endPush)(async ({ player_id: playerId }, { scope, caller }) => {
        await data.tx(scope, (tx) => removeBrowser(tx, memberOf(caller), playerId));
        return { success: true as const };
      }),
      handleCall(reportPush)(async ({ player_id: playerId }, { scope, caller, refuse }) => {
        const isKnown = await data.tx(scope, (tx) =>
          saveReport(tx, memberOf(caller), playerId, caller.sessionId));
        return isKnown ? { success: true as const } : refuse(pushUnknown);
      }),
    ];
  };

  #unreportedSince({ now }: Tx): Date {
    return new Date(now.getTime() - UNREPORTED_MS);
  }

  /** A discreet message says that there is something new, and no more. */
  #messageOf({ options: { isDiscreet }, locale, title, text, link }: Notified): PushMessage {
    if (!isDiscreet) return { title, body: text, link };
    const { text: textOf } = this.#deps;
    return {
      title: textOf(locale, 'notices:push.discreetTitle'), body: textOf(locale, 'notices:push.discreetText'),
      link,
    };
  }

  async #send(scope: OperatorScope, { browserId, message }: Waiting): Promise<void> {
    const { data, pushAllowsLoopback: allowsLoopback } = this.#deps;
    const { browser, sender } = await data.tx(scope, async (tx) =>
      ({ browser: await findBrowser(tx, browserId), sender: await this.#senderIn(tx) }));
    // Ended meanwhile.
    if (!browser) return;
    try {
      const options = { sender, ttlSeconds: PUSH_TTL_SECONDS, allowsLoopback };
      await sendPush(browser, JSON.stringify(message), options);
    } catch (error) {
      if (!(error instanceof PushGone)) throw error;
      await data.tx(scope, (tx) => removeGone(tx, browserId));
    }
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
