import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';

export const wayInUnchecked = refusal({
  slice: 'accounts',
  code: 'way_in_unchecked',
  kind: 'denied',
  description: 'It was added in the 30 days before the account was taken back, and its person has not said '
    + 'since that it is theirs (`accounts.confirmWaysIn`).',
});

/** A passkey, an account at a provider, or a replaced address: each can log the person in. */
const AddedWayIn = z.object({
  kind: z.enum(['passkey', 'provider', 'email']),
  /** Id of the passkey or address; 0 for a provider, because a person has one of each. */
  id: z.int(),
  /** The name of the passkey, the provider, or the former address. */
  name: z.string(),
  /** The address that the provider knows the person by. */
  email: z.string().nullable(),
  /** When it was added, or when the address was replaced; ISO 8601. */
  added_at: z.string(),
});
export type AddedWayInView = z.infer<typeof AddedWayIn>;

export const getWaysInCheck = call({
  name: 'accounts.getWaysInCheck',
  method: 'GET',
  path: '/auth/ways_in_check',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ ways_in: z.array(AddedWayIn) }),
  refusals: [],
  summary: 'Ways to log in that are to be looked at',
  description: 'After a new password, a log-out everywhere or another recovery: passkeys and providers that '
    + 'were added in the 30 days before it, until their person has said that they are theirs. Until then '
    + 'they log nobody in. Confirmed addresses that were replaced then stand among them.',
});

export const confirmWaysIn = call({
  name: 'accounts.confirmWaysIn',
  method: 'POST',
  path: '/auth/ways_in_check',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ status: z.literal(1) }),
  refusals: [],
  summary: 'Confirm that the ways to log in are yours',
  description: 'They log in again, and nobody is asked until the next recovery. What is not theirs is '
    + 'removed before, by '
    + '`accounts.removePasskey` and `accounts.removeProvider`.',
});
