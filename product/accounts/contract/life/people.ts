import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { ACCOUNT_TYPES, MAX_SUSPENSION_REASON, PLAIN_TEXT } from '../../rules.ts';
import { STAFF_ROLES } from '../../rules/staff/roles.ts';
import { MAX_SUSPENSION_MESSAGE, SUSPENSION_CAUSES } from '../../rules/staff/suspensions.ts';

const slice = 'accounts';
export const personUnknown = refusal({
  slice,
  code: 'person_unknown',
  kind: 'absent',
  description: 'Nobody has this username.',
});
export const staffProtected = refusal({
  slice,
  code: 'staff_protected',
  kind: 'denied',
  description: 'An admin’s account cannot be suspended here, nor can the caller’s own.',
});
export const notSuspended = refusal({
  slice,
  code: 'not_suspended',
  kind: 'conflict',
  description: 'The suspension was lifted meanwhile, so there is nothing of it to change.',
});

export const Username = z.string().min(1).max(64);
/** An account as admins look it up, without anything that identifies the person elsewhere. */
export const AdminPerson = z.object({
  username: z.string(),
  display_name: z.string(),
  type: z.enum(ACCOUNT_TYPES),
  roles: z.array(z.string()),
  /** The roles that this admin may give to the person and take from them. */
  roles_to_give: z.array(z.enum(STAFF_ROLES)),
  /** When they set up the second step that this admin may reset; null where there is none. */
  step_to_reset: z.string().nullable(),
  email_confirmed: z.boolean(),
  /** ISO 8601, as the two below. */
  created_at: z.string(),
  last_login_at: z.string().nullable(),
  suspended_at: z.string().nullable(),
  /** The cause that the person reads. */
  suspension_cause: z.enum(SUSPENSION_CAUSES).nullable(),
  suspension_message: z.string().nullable(),
  /** When the deletion that the person asked for becomes final; null where there is none. */
  deletion_at: z.string().nullable(),
  /** When the account was erased; only an id and a pseudonym are left. */
  erased_at: z.string().nullable(),
});

export const getPerson = call({
  name: 'accounts.getPerson',
  method: 'GET',
  path: '/accounts/people/:username',
  access: 'admin',
  credential: 'cookie',
  input: z.object({ username: Username }),
  output: AdminPerson,
  refusals: [personUnknown],
  summary: 'Look up an account',
  description: 'By its exact username. That somebody looked goes to the audit log.',
});

export const suspendPerson = call({
  name: 'accounts.suspendPerson',
  method: 'POST',
  path: '/accounts/people/:username/suspension',
  access: 'admin',
  credential: 'cookie',
  input: z.object({
    username: Username,
    suspended: z.boolean(),
    reason: z.string().trim().min(1).max(MAX_SUSPENSION_REASON),
    /** The cause, which the person reads in their language, and what else they read. */
    cause: z.enum(SUSPENSION_CAUSES).optional(),
    message: z.string().max(MAX_SUSPENSION_MESSAGE).regex(PLAIN_TEXT).optional(),
    /** Changes what a suspended person reads, and suspends nobody. */
    only_change: z.literal(true).optional(),
  }),
  output: AdminPerson,
  refusals: [personUnknown, staffProtected, notSuspended],
  summary: 'Suspend an account, or lift its suspension',
  description: 'Ends every session and broadcast of the person at once, and takes their room out of '
    + 'listings. Whoever logs in with the right password reads the day, the cause and the message, and where '
    + 'to turn. The reason goes to the audit log. Suspended again, the day stays, and a cause or a message '
    + 'that is given replaces the earlier one.',
  requirements: ['A-444', 'B-137'],
});
