import { call, type RateLimit } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { MAX_ROLE_REASON, STAFF_ROLES } from '../rules/staff/roles.ts';
import { lastAdmin } from './life/deletion.ts';
import { AdminPerson, personUnknown, Username } from './life/people.ts';

const slice = 'accounts';
export const roleRefused = refusal({
  slice,
  code: 'role_refused',
  kind: 'denied',
  description: 'The caller’s roles do not give this one, the account is their own, or it is being deleted.',
});
export const firstAdminOver = refusal({
  slice,
  code: 'first_admin_over',
  kind: 'denied',
  description: 'The link is not the one that stood in the log last, is older than a day, was used, or there '
    + 'is an admin by now.',
});

/** A person opens a link once. */
const LIMIT: RateLimit = { points: 20, seconds: 60, per: 'address' };

export const setRole = call({
  name: 'accounts.setRole',
  method: 'POST',
  path: '/accounts/people/:username/roles',
  access: 'admin',
  credential: 'cookie',
  input: z.object({
    username: Username,
    role: z.enum(STAFF_ROLES),
    on: z.boolean(),
    reason: z.string().trim().min(1).max(MAX_ROLE_REASON),
  }),
  output: AdminPerson,
  refusals: [personUnknown, roleRefused, lastAdmin],
  summary: 'Give somebody a role, or take it',
  description: 'Who may give what: `roles_to_give` of the account. Nobody changes their own, and somebody '
    + 'who may act as an admin is always left. Taking a role ends the person’s sessions. The reason goes to '
    + 'the audit log.',
});

export const becomeFirstAdmin = call({
  name: 'accounts.becomeFirstAdmin',
  method: 'POST',
  path: '/auth/first_admin',
  access: 'member',
  credential: 'cookie',
  input: z.object({ token: z.string().max(1024) }),
  output: z.object({ status: z.literal(1) }),
  refusals: [firstAdminOver],
  limit: LIMIT,
  summary: 'Become the first admin',
  description: 'With the token of the link that a site without an admin writes to its log when it starts: '
    + 'once, within a day, and only while there is no admin.',
});
