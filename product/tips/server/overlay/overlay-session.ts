import { createHash } from 'node:crypto';

/** Distinguishes sessions of overlays from those of people, which are opaque. */
const PREFIX = 'overlay:';

/** Only digests of overlay tokens are stored: reading the table does not open an overlay. */
export const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** The session that all sockets of one overlay address share; they subscribe to its channel alone. */
export const overlaySession = (digest: string): string => PREFIX + digest;

/** The digest of an overlay's session; null for everybody else's. */
export const digestOfSession = (sessionId: string | null): string | null =>
  (sessionId?.startsWith(PREFIX) ? sessionId.slice(PREFIX.length) : null);
