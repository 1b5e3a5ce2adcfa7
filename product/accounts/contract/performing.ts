import { call } from '#platform/contract/call.ts';
import { fact } from '#platform/contract/fact.ts';
import { z } from 'zod';
import { usernameTaken } from '../contract.ts';
import { CurrentUser, Gender } from './current-user.ts';

export const becomePerformer = call({
  name: 'accounts.becomePerformer',
  method: 'POST',
  path: '/user/become_performer',
  access: 'member',
  credential: 'cookie',
  input: z.object({ gender: Gender, accept_terms: z.literal(true) }),
  output: z.object({ status: z.literal(1), user: CurrentUser }),
  refusals: [usernameTaken],
  limit: { points: 10, seconds: 60, per: 'caller' },
  summary: 'Become a performer with the account one has',
  description: 'Username, tokens, follows and purchases stay. Going live needs a clearance, as after a '
    + 'sign-up with type model. `username_taken` where another performer’s name looks the same: the username '
    + 'is changed first. Repeating it changes nothing. Open pages reload.',
});

export const becamePerformer = fact({
  name: 'accounts.becamePerformer',
  shape: z.object({ personId: z.int(), username: z.string() }),
  description: 'Somebody who had an account became a performer.',
});
