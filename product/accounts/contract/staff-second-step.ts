import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { MAX_ROLE_REASON } from '../rules/staff/roles.ts';
import { AdminPerson, personUnknown, Username } from './life/people.ts';

const slice = 'accounts';
export const stepResetRefused = refusal({
  slice,
  code: 'step_reset_refused',
  kind: 'denied',
  description: 'The caller could not take every role of staff that the person has, the account is their own, '
    + 'or it has no such role.',
});
export const ownStepNeeded = refusal({
  slice,
  code: 'own_step_needed',
  kind: 'denied',
  description: 'The caller’s own session has proved no second step.',
});
export const stepChanged = refusal({
  slice,
  code: 'step_changed',
  kind: 'conflict',
  description: 'The second step is not the one that was looked at: it is gone, or another was set up since.',
});

export const resetSecondStep = call({
  name: 'accounts.resetSecondStep',
  method: 'POST',
  path: '/accounts/people/:username/second_step',
  access: 'admin',
  credential: 'cookie',
  input: z.object({
    username: Username,
    /** `step_to_reset` of the account, so that a repeated request resets no later step. */
    step: z.iso.datetime(),
    reason: z.string().trim().min(1).max(MAX_ROLE_REASON),
  }),
  output: AdminPerson,
  refusals: [personUnknown, stepResetRefused, ownStepNeeded, stepChanged],
  limit: { points: 10, seconds: 600, per: 'caller' },
  summary: 'Reset the second step of staff who have lost it',
  description: 'Removes the authenticator, its recovery codes and all passkeys of another member of staff, '
    + 'and ends their sessions and whatever else lets somebody in. Their role counts again once they have '
    + 'set up another in a later session. They get an email, and the reason goes to the audit log.',
});
