import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { MAX_ENDPOINT_LENGTH } from '../rules/push.ts';

const slice = 'notices';

export const endpointInvalid = refusal({
  slice,
  code: 'endpoint_invalid',
  kind: 'invalid',
  description: 'The address is not that of a push service: https, a public host, no user in it.',
});
export const pushUnknown = refusal({
  slice,
  code: 'push_unknown',
  kind: 'absent',
  description: 'This person has no such registration: it ended, and the browser registers again.',
});

/** base64url (RFC 4648 §5) of bytes, as `PushSubscription.toJSON` writes them. */
const KEY = /^[A-Za-z0-9_-]+={0,2}$/u;
/** A browser registers once, and renews the registration now and then. */
const LIMIT = { points: 30, seconds: 3600, per: 'caller' } as const;

export const getPush = call({
  name: 'notices.getPush',
  method: 'GET',
  path: '/notifications/push',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    /** `applicationServerKey` of a registration: P-256, uncompressed, base64url (RFC 8292). */
    public_key: z.string(),
  }),
  refusals: [],
  summary: 'The key that browsers register for push with',
  description: 'The operator’s own.',
});

export const registerPush = call({
  name: 'notices.registerPush',
  method: 'POST',
  path: '/notifications/push',
  access: 'member',
  credential: 'cookie',
  limit: LIMIT,
  input: z.object({
    endpoint: z.string().max(MAX_ENDPOINT_LENGTH),
    /** RFC 8291: the browser’s key, 65 bytes, and its secret, 16 bytes. */
    p256dh: z.string().length(87).regex(KEY),
    auth: z.string().length(22).regex(KEY),
  }),
  output: z.object({ player_id: z.string() }),
  refusals: [endpointInvalid],
  summary: 'Registers a browser for push messages',
  description: 'A browser that was registered, for whomever, is this person’s from now on. At most 10 '
    + 'browsers; the oldest gives way.',
});

export const endPush = call({
  name: 'notices.endPush',
  method: 'POST',
  path: '/notifications/push/end',
  access: 'member',
  credential: 'cookie',
  input: z.object({ player_id: z.string().max(64) }),
  output: z.object({ success: z.literal(true) }),
  refusals: [],
  summary: 'Stop push messages to a browser',
  description: 'Only the caller’s own. Repeating it changes nothing.',
});

export const reportPush = call({
  name: 'notices.reportPush',
  method: 'POST',
  path: '/onesignal_subscribed',
  access: 'member',
  credential: 'cookie',
  limit: LIMIT,
  input: z.object({ player_id: z.string().min(1).max(64) }),
  output: z.object({ success: z.literal(true) }),
  refusals: [pushUnknown],
  summary: 'A browser reports that it is registered for push',
  description: '`player_id` is what the registration answered. Pages report at most once an hour. One that '
    + 'was not reported for two months is deleted: its browser is gone.',
  requirements: ['A-368'],
});
