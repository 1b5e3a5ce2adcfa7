import { createHash } from 'node:crypto';
import type { CallContext } from '../../../../platform/contract/context.ts';
import type { Tx } from '../../../../platform/data/data.ts';
import { randomId } from '../../../../platform/data/ids.ts';
import { digest } from '../../../../platform/data/database/seal.ts';
import { BROWSER_KEY_SECONDS, STREAM_KEY_BITS } from '../../rules.ts';
import { findPublisher, insertBrowserKey, saveStreamKey, type Publisher } from '../../store.ts';

/** Keys are random and long, so a plain hash is enough: there is nothing to guess. Only the hash is kept. */
export const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

/** Makes the stream key of a performer in place of the one before it: for OBS and the like. Shown once. */
export async function makeStreamKey(tx: Tx, performerId: number): Promise<string> {
  const key = `sk_${randomId(STREAM_KEY_BITS)}`;
  await saveStreamKey(tx, performerId, hashOf(key));
  await tx.audit({
    action: 'broadcast.makeStreamKey', actorId: performerId, subject: `person:${performerId}`,
  });
  return key;
}

/** Names log-in sessions without telling them. */
export const loginDigest = (secret: string, sessionId: string): string =>
  digest(secret, 'broadcast.login', sessionId);

/** Makes a key for the go-live page of one log-in session. */
export async function makeBrowserKey(
  tx: Tx, secret: string, performerId: number, sessionId: string,
): Promise<{ key: string; expiresAt: Date }> {
  const key = `bk_${randomId(STREAM_KEY_BITS)}`;
  const expiresAt = new Date(tx.now.getTime() + BROWSER_KEY_SECONDS * 1_000);
  const loginSession = loginDigest(secret, sessionId);
  await insertBrowserKey(tx, { keyHash: hashOf(key), performerId, loginSession, expiresAt });
  return { key, expiresAt };
}

/** Whose key a request brings; null if it does not count, and for a browser key of another session. */
export async function publisherOf(
  tx: Tx, secret: string, { bearer, caller }: Pick<CallContext, 'bearer' | 'caller'>,
): Promise<Publisher | null> {
  if (bearer === null) return null;
  const publisher = await findPublisher(tx, hashOf(bearer), 'whip');
  if (publisher?.kind !== 'browser_key') return publisher;
  const session = caller.sessionId === null ? null : loginDigest(secret, caller.sessionId);
  return publisher.loginSession === session ? publisher : null;
}
