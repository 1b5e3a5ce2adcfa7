import { postOutside } from './post.ts';
import { MessageRefused } from './smtp.ts';
import { checkTaken, isPushEndpoint, PushGone } from './web-push.ts';

/** An app at a push provider with OneSignal's API. */
export interface PushApp {
  /** The address for posting notifications. */
  readonly apiUrl: string;
  readonly appId: string;
  readonly apiKey: string;
  /** Only tests have a provider on loopback. */
  readonly allowsLoopback: boolean;
}

/** A message to one browser. */
export interface ProviderMessage {
  /** The provider's id of the browser. */
  readonly playerId: string;
  readonly title: string;
  readonly body: string;
  /** The page that a click opens, with its origin. */
  readonly url: string;
  readonly ttlSeconds: number;
  /** A UUID; the provider sends only one of several messages with the same UUID. */
  readonly once: string;
}

/**
 * Statuses caused by the account or the provider, not by the message: for example, the key was changed there
 * but not here yet.
 */
const MAY_PASS: ReadonlySet<number> = new Set([401, 403, 408, 425, 429]);

/**
 * Sends a message through a provider. Throws {@link PushGone} when the provider no longer knows the browser,
 * {@link MessageRefused} when a retry cannot help, and other errors when it may. The key is only in the
 * header, and errors contain nothing of the message.
 */
export async function sendByProvider(app: PushApp, message: ProviderMessage): Promise<void> {
  const { apiUrl, appId, apiKey, allowsLoopback } = app;
  if (!isPushEndpoint(apiUrl, allowsLoopback)) throw new MessageRefused('not the address of a provider');
  const { playerId, title, body, url, ttlSeconds, once } = message;
  // The API uses `en` for all languages; the texts are in the person's language.
  const { status, text } = await postOutside(apiUrl, {
    headers: {
      'authorization': `Key ${apiKey}`,
      'content-type': 'application/json; charset=utf-8',
      'accept': 'application/json',
    },
    body: JSON.stringify({
      app_id: appId,
      target_channel: 'push',
      include_subscription_ids: [playerId],
      headings: { en: title },
      contents: { en: body },
      web_url: url,
      ttl: ttlSeconds,
      idempotency_key: once,
    }),
    allowsLoopback,
    readsAnswer: true,
  });
  checkTaken(status, MAY_PASS);
  const id = answeredId(text);
  // Such an API answers 200 with an empty id when it reached nobody: the browser is gone.
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
