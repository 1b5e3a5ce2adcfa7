import type { CallContext } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { digest } from '#platform/data/database/seal.ts';
import { randomId } from '#platform/data/ids.ts';
import { createHash } from 'node:crypto';
import { BROWSER_KEY_SECONDS, STREAM_KEY_BITS } from '../../rules.ts';
import { findPublisher, insertBrowserKey, saveStreamKey, type Publisher } from '../../store.ts';

/** Only the hash of a key is stored. A plain hash is enough: keys are long and random. */
export const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

/** Creates a performer's stream key for encoders, replacing the previous one. The key is shown once. */
export async function makeStreamKey(tx: Tx, performerId: number): Promise<string> {
  const key = `sk_${randomId(STREAM_KEY_BITS)}`;
  await saveStreamKey(tx, performerId, hashOf(key));
  await tx.audit({
    action: 'broadcast.makeStreamKey',
    actorId: performerId,
    subject: `person:${performerId}`,
  });
  return key;
}

/** Digest of a log-in session, so that its id is not stored. */
export const loginDigest = (secret: string, sessionId: string): string =>
  digest(secret, 'broadcast.login', sessionId);

/** Creates a key for the go-live page, bound to one log-in session. */
export async function makeBrowserKey(
  tx: Tx,
  secret: string,
  performerId: number,
  sessionId: string,
): Promise<{ key: string; expiresAt: Date }> {
  const key = `bk_${randomId(STREAM_KEY_BITS)}`;
  const expiresAt = new Date(tx.now.getTime() + BROWSER_KEY_SECONDS * 1_000);
  const loginSession = loginDigest(secret, sessionId);
  await insertBrowserKey(tx, { keyHash: hashOf(key), performerId, loginSession, expiresAt });
  return { key, expiresAt };
}

/** The publisher a request's key belongs to; null for an invalid key or a browser key of another session. */
export async function publisherOf(
  tx: Tx,
  secret: string,
  { bearer, caller }: Pick<CallContext, 'bearer' | 'caller'>,
): Promise<Publisher | null> {
  if (bearer === null) return null;
  const publisher = await findPublisher(tx, hashOf(bearer), 'whip');
  if (publisher?.kind !== 'browser_key') return publisher;
  const session = caller.sessionId === null ? null : loginDigest(secret, caller.sessionId);
  return publisher.loginSession === session ? publisher : null;
}
