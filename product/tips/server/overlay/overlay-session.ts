import { createHash } from 'node:crypto';

/** Distinguishes sessions of overlays from those of people, whose ids are opaque. */
const PREFIX = 'overlay:';

/** Only digests of overlay tokens are stored: reading the table does not open an overlay. */
export const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** The session shared by all sockets of one overlay address; they subscribe only to its channel. */
export const overlaySession = (digest: string): string => PREFIX + digest;

/** The digest of an overlay's session; null for any other session. */
export const digestOfSession = (
  sessionId: string | null,
): string | null => (sessionId?.startsWith(PREFIX) ? sessionId.slice(PREFIX.length) : null);
