import { createHash } from 'node:crypto';

/** Sessions of overlays are told from those of people, which are opaque, by this. */
const PREFIX = 'overlay:';

/** Only digests of overlay tokens are kept: whoever reads the table cannot watch. */
export const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** The session all sockets of one overlay address share: its channel is what they hear. */
export const overlaySession = (digest: string): string => PREFIX + digest;

/** The digest of an overlay's session; null for everybody else's. */
export const digestOfSession = (sessionId: string | null): string | null =>
  (sessionId?.startsWith(PREFIX) ? sessionId.slice(PREFIX.length) : null);
