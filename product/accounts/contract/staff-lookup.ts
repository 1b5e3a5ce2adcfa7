import { call } from '#platform/contract/call.ts';
import { z } from 'zod';
import { ACCOUNT_TYPES } from '../rules.ts';
import { MAX_PEOPLE_QUERY, PEOPLE_QUERY } from '../rules/staff/people-search.ts';
import { Device } from './devices.ts';
import { personUnknown, Username } from './life/people.ts';

/** A search result: enough to distinguish people, and no whole address. */
const FoundPerson = z.object({
  id: z.int(),
  username: z.string(),
  display_name: z.string(),
  type: z.enum(ACCOUNT_TYPES),
  roles: z.array(z.string()),
  /** The first letters of the address, as emails show it. */
  email_hint: z.string(),
  email_confirmed: z.boolean(),
  /** ISO 8601, as the two below. */
  created_at: z.string(),
  suspended_at: z.string().nullable(),
  erased_at: z.string().nullable(),
});

export const searchPeople = call({
  name: 'accounts.searchPeople',
  method: 'GET',
  path: '/accounts/people',
  access: 'admin',
  credential: 'cookie',
  input: z.object({
    query: z.string().trim().max(MAX_PEOPLE_QUERY).regex(PEOPLE_QUERY),
    before: z.int().positive().optional(),
  }),
  output: z.object({ people: z.array(FoundPerson), next: z.int().nullable() }),
  refusals: [],
  limit: { points: 60, seconds: 60, per: 'caller' },
  summary: 'Find accounts',
  description: 'By a part of the username, the display name or the address, or by the id; the newest first. '
    + 'That somebody looked, and who was found, goes to the audit log.',
});

export const listPersonSessions = call({
  name: 'accounts.listPersonSessions',
  method: 'GET',
  path: '/accounts/people/:username/sessions',
  access: 'admin',
  credential: 'cookie',
  input: z.object({ username: Username }),
  output: z.object({ sessions: z.array(Device.omit({ is_current: true })) }),
  refusals: [personUnknown],
  summary: 'Where somebody is logged in',
  description: 'Their sessions, the newest first. That somebody looked goes to the audit log.',
});
