import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIP } from 'node:net';
import webPush from 'web-push';
import { MessageRefused } from './smtp.ts';
import { publicLookup } from './public-address.ts';

/** A browser's registration with its push service (RFC 8030), and its keys (RFC 8291), base64url. */
export interface PushTarget {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

/** Who sends (RFC 8292): a key pair on P-256, and where the push service complains. */
export interface PushSender {
  readonly publicKey: string;
  readonly privateKey: string;
  /** `mailto:…` or `https://…`. */
  readonly contact: string;
}

export interface PushOptions {
  readonly sender: PushSender;
  readonly ttlSeconds: number;
  /** Tests have a push service on loopback; nobody else does. */
  readonly allowsLoopback: boolean;
}

/** The push service has no such registration any more. */
export class PushGone extends Error {
  override readonly name = 'PushGone';
}

const ANSWER_MS = 10_000;

/** A fresh key pair, base64url. */
export const makePushKeys = (): { readonly publicKey: string; readonly privateKey: string } =>
  webPush.generateVAPIDKeys();

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host.startsWith('127.') || host === '[::1]';

/**
 * Whether a browser may name this address as its push service: https, the usual port, a host with a name.
 * Where that name leads is checked when a message is sent.
 */
export function isPushEndpoint(endpoint: string, allowsLoopback: boolean): boolean {
  if (!URL.canParse(endpoint)) return false;
  const { protocol, hostname, port, username, password, hash } = new URL(endpoint);
  if (username + password + hash !== '') return false;
  if (allowsLoopback && isLoopback(hostname)) return true;
  return protocol === 'https:' && port === '' && hostname.includes('.') && !hostname.endsWith('.')
    && isIP(hostname.replaceAll(/[[\]]/gu, '')) === 0
    && !/\.(?:local|localhost|internal|onion)$/iu.test(hostname);
}

/**
 * Encrypts a text for one browser and gives it to that browser's push service.
 * Throws {@link PushGone} when the registration is no more, {@link MessageRefused} for what another try
 * cannot mend, and whatever may pass. Follows no redirects.
 */
export async function sendPush(target: PushTarget, text: string, options: PushOptions): Promise<void> {
  const { endpoint, p256dh, auth } = target;
  const { sender, ttlSeconds, allowsLoopback } = options;
  if (!isPushEndpoint(endpoint, allowsLoopback)) {
    throw new MessageRefused('not the address of a push service');
  }
  const keyed = { endpoint, keys: { p256dh, auth } };
  const { method, headers, body } = webPush.generateRequestDetails(keyed, text, {
    vapidDetails: {
      subject: sender.contact, publicKey: sender.publicKey, privateKey: sender.privateKey,
    },
    TTL: ttlSeconds, contentEncoding: 'aes128gcm',
  });
  const status = await post(endpoint, allowsLoopback, { method, headers }, body);
  if (status === 404 || status === 410) throw new PushGone(`the push service answered ${status}`);
  if (status >= 200 && status < 300) return;
  if (status === 429 || status >= 500) throw new Error(`the push service answered ${status}`);
  throw new MessageRefused(`the push service answered ${status}`);
}

/** The status of the answer; its body is nobody's business. */
function post(
  endpoint: string, allowsLoopback: boolean,
  { method, headers }: { method: string; headers: Record<string, string | number> | object },
  body: Buffer | null,
): Promise<number> {
  const url = new URL(endpoint);
  const request = url.protocol === 'http:' ? requestPlain : requestSecure;
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method, headers: headers as Record<string, string>, timeout: ANSWER_MS,
      ...(allowsLoopback && isLoopback(url.hostname) ? {} : { lookup: publicLookup }),
    }, (answer) => {
      answer.destroy();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('timeout', () => sent.destroy(new Error('the push service does not answer')));
    sent.on('error', reject);
    sent.end(body);
  });
}
