import { isIP } from 'node:net';
import webPush from 'web-push';
import { isLoopback, postOutside } from './post.ts';
import { MessageRefused } from './smtp.ts';

/** A browser's registration with its push service (RFC 8030), and its keys (RFC 8291), base64url. */
export interface PushTarget {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

/** The sender (RFC 8292): a key pair on P-256, and the contact for complaints of the push service. */
export interface PushSender {
  readonly publicKey: string;
  readonly privateKey: string;
  /** `mailto:…` or `https://…`. */
  readonly contact: string;
}

export interface PushOptions {
  readonly sender: PushSender;
  readonly ttlSeconds: number;
  /** Only tests have a push service on loopback. */
  readonly allowsLoopback: boolean;
}

/** The push service no longer has the registration. */
export class PushGone extends Error {
  override readonly name = 'PushGone';
}

const BUSY: ReadonlySet<number> = new Set([429]);

/** A fresh key pair, base64url. */
export const makePushKeys = (): { readonly publicKey: string; readonly privateKey: string } =>
  webPush.generateVAPIDKeys();

/**
 * Whether a browser may name this address as its push service: https, the default port, a host name. The name
 * is resolved and checked when a message is sent.
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
 * Encrypts a text for one browser and sends it to that browser's push service. Throws {@link PushGone} when
 * the registration no longer exists, {@link MessageRefused} when a retry cannot help, and other errors when
 * it may. Follows no redirects.
 */
export async function sendPush(target: PushTarget, text: string, options: PushOptions): Promise<void> {
  const { endpoint, p256dh, auth } = target;
  const { sender, ttlSeconds, allowsLoopback } = options;
  if (!isPushEndpoint(endpoint, allowsLoopback)) {
    throw new MessageRefused('not the address of a push service');
  }
  const keyed = { endpoint, keys: { p256dh, auth } };
  const { headers, body } = webPush.generateRequestDetails(keyed, text, {
    vapidDetails: {
      subject: sender.contact,
      publicKey: sender.publicKey,
      privateKey: sender.privateKey,
    },
    TTL: ttlSeconds,
    contentEncoding: 'aes128gcm',
  });
  const { status } = await postOutside(endpoint, {
    headers,
    body,
    allowsLoopback,
  });
  if (status === 404 || status === 410) throw new PushGone(`the push service answered ${status}`);
  checkTaken(status);
}

/**
 * Throws {@link MessageRefused} for a status that no retry can change, an error for one that may pass.
 * @param mayPass statuses below 500 that may pass
 */
export function checkTaken(status: number, mayPass: ReadonlySet<number> = BUSY): void {
  if (status >= 200 && status < 300) return;
  const said = `the push service answered ${status}`;
  throw mayPass.has(status) || status >= 500 ? new Error(said) : new MessageRefused(said);
}
