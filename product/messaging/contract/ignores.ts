import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { MAX_IGNORES } from '../rules/ignores.ts';

const slice = 'messaging';
export const ignoreUnknown = refusal({
  slice,
  code: 'ignore_unknown',
  kind: 'absent',
  description: 'Nobody of this name is there to ignore.',
});
export const ownIgnore = refusal({
  slice,
  code: 'own_ignore',
  kind: 'denied',
  description: 'Nobody ignores themselves.',
});
export const tooManyIgnored = refusal({
  slice,
  code: 'too_many_ignored',
  kind: 'conflict',
  description: `This person ignores ${MAX_IGNORES}, as many as one can.`,
});

const Ignore = z.object({
  /** As spelled in the account. */
  username: z.string(),
  is_ignored: z.boolean(),
});
export type IgnoreView = z.infer<typeof Ignore>;
const upon = {
  access: 'member',
  credential: 'cookie',
  path: '/user/ignore/:username',
  output: Ignore,
  input: z.object({ username: z.string().max(40) }),
  limit: { points: 60, seconds: 60, per: 'caller' },
} as const;

export const ignorePerson = call({
  ...upon,
  name: 'messaging.ignorePerson',
  method: 'POST',
  refusals: [ignoreUnknown, ownIgnore, tooManyIgnored],
  summary: 'Ignore somebody in chats',
  description: 'Pages collapse what they say, for this person alone. Nobody else learns of it. Repeating it '
    + 'changes nothing.',
});
export const unignorePerson = call({
  ...upon,
  name: 'messaging.unignorePerson',
  method: 'DELETE',
  refusals: [ignoreUnknown],
  summary: 'No longer ignore somebody',
  description: 'Repeating it changes nothing.',
});

export const getIgnoredNames = call({
  name: 'messaging.getIgnoredNames',
  method: 'GET',
  path: '/user/ignored/names',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ usernames: z.array(z.string()).max(MAX_IGNORES) }),
  refusals: [],
  summary: 'Usernames of everybody one ignores',
  description: 'For the lines of a chat. In no order.',
});

export const IgnoredPerson = z.object({
  username: z.string(),
  displayName: z.string(),
  avatarUrl: z.string().nullable(),
  /** Whether the person is staff; absent means no. */
  isStaff: z.boolean().optional(),
  /** ISO 8601. */
  since: z.string(),
});
export type IgnoredPersonView = z.infer<typeof IgnoredPerson>;
export const listIgnored = call({
  name: 'messaging.listIgnored',
  method: 'GET',
  path: '/user/ignored',
  access: 'member',
  credential: 'cookie',
  input: z.object({ before: z.int().positive().optional() }),
  output: z.object({ people: z.array(IgnoredPerson), next: z.int().nullable() }),
  refusals: [],
  summary: 'People the caller ignores',
  description: 'The caller’s list, newest first, 50 a page; `next` goes into `before`. Pictures of '
    + 'performers this viewer may not see are left out.',
});

export const ignoreChanged = event({
  name: 'v3.user_ignore.changed',
  socket: 'both',
  from: 'server',
  shape: Ignore,
  description: 'To the tabs of a person who began or ceased to ignore somebody.',
});
