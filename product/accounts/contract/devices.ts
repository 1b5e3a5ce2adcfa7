import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';

export const sessionUnknown = refusal({
  slice: 'accounts',
  code: 'session_unknown',
  kind: 'absent',
  description: 'No session of this person has the id: it has ended, or is somebody else\'s.',
});

export const Device = z.object({
  id: z.int(),
  /** Whether this is the session that makes the call. */
  is_current: z.boolean(),
  /** As the browser names itself, such as `Firefox` and `Windows`; empty where unknown. */
  browser: z.string(),
  platform: z.string(),
  /** Where it logged in: ISO 3166-1 alpha-2, and a state; null where unknown. */
  isoCode: z.string().nullable(),
  state: z.string().nullable(),
  /** ISO 8601. `used_at` is exact to a day. */
  started_at: z.string(),
  used_at: z.string(),
});
export type DeviceView = z.infer<typeof Device>;

export const listDevices = call({
  name: 'accounts.listDevices',
  method: 'GET',
  path: '/auth/sessions',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ sessions: z.array(Device) }),
  refusals: [],
  summary: 'Where one is logged in',
  description: 'The caller’s sessions, newest first; at most 20.',
});

export const endDevice = call({
  name: 'accounts.endDevice',
  method: 'POST',
  path: '/auth/sessions/end',
  access: 'member',
  credential: 'cookie',
  input: z.object({ id: z.int().positive() }),
  output: z.object({ status: z.literal(1), sessions: z.array(Device) }),
  refusals: [sessionUnknown],
  summary: 'Log out one device',
  description: 'Ends one of the caller’s sessions and closes its sockets at once. Answers the others.',
});
