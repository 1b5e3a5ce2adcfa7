import { postOutside } from './post.ts';
import { MessageRefused } from './smtp.ts';
import { checkTaken, isPushEndpoint, PushGone } from './web-push.ts';

/** An app at a push provider whose API is that of OneSignal. */
export interface PushApp {
  /** Address that notifications are posted to. */
  readonly apiUrl: string;
  readonly appId: string;
  readonly apiKey: string;
  /** Tests have a provider on loopback. */
  readonly allowsLoopback: boolean;
}

/** A message to one browser. */
export interface ProviderMessage {
  /** What the provider calls the browser. */
  readonly playerId: string;
  readonly title: string;
  readonly body: string;
  /** The page that a click opens, with its origin. */
  readonly url: string;
  readonly ttlSeconds: number;
  /** A UUID: of two messages with the same one the provider sends one. */
  readonly once: string;
}

/** Of the account or the provider, not of the message: a key is changed there and then here. */
const MAY_PASS: ReadonlySet<number> = new Set([401, 403, 408, 425, 429]);

/**
 * Has a provider send a message. Throws {@link PushGone} when it knows no such browser any more,
 * {@link MessageRefused} for what another try cannot mend, and whatever may pass. The key is in the header
 * alone, and what is thrown says nothing of what was sent.
 */
export async function sendByProvider(app: PushApp, message: ProviderMessage): Promise<void> {
  const { apiUrl, appId, apiKey, allowsLoopback } = app;
  if (!isPushEndpoint(apiUrl, allowsLoopback)) throw new MessageRefused('not the address of a provider');
  const { playerId, title, body, url, ttlSeconds, once } = message;
  // `en` is what the API has for people of every language; the texts are in that of the person.
  const { status, text } = await postOutside(apiUrl, {
    headers: {
      'authorization': `Key ${apiKey}`, 'content-type': 'application/json; charset=utf-8',
      'accept': 'application/json',
    },
    body: JSON.stringify({
      app_id: appId, target_channel: 'push', include_subscription_ids: [playerId],
      headings: { en: title }, contents: { en: body }, web_url: url, ttl: ttlSeconds, idempotency_key: once,
    }),
    allowsLoopback, readsAnswer: true,
  });
  checkTaken(status, MAY_PASS);
  const id = answeredId(text);
  // An API of this kind answers 200 with an empty id where it reached nobody: the browser is gone.
  if (id === '') throw new PushGone('the provider knows no such browser');
  if (typeof id !== 'string') throw new Error('the provider answered no id of the message');
}

function answeredId(text: string): unknown {
  const answer = parsed(text);
  return typeof answer === 'object' && answer !== null && 'id' in answer ? answer.id : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the provider answered what is no JSON');
  }
}
