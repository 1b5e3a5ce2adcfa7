import type { CallContext } from '#platform/contract/context.ts';
import type { RefusalDetail } from '#platform/contract/refusal.ts';
import { loginLocked } from '../../contract.ts';
import type { proofRefusals } from '../../contract/life/username.ts';
import { checkConfirmed } from '../credentials/confirmation.ts';
import { waiting, type SignInParts } from '../sign-in.ts';

type Parts = Pick<SignInParts, 'data' | 'attempts' | 'passwords' | 'twoFactor'>;
type Doubt = readonly [(typeof proofRefusals)[number], RefusalDetail?];

/** Checks that the caller is the person; returns the arguments for `refuse`, or null. */
export async function provesIt(
  parts: Parts,
  context: CallContext,
  { password, code }: { readonly password?: string | undefined; readonly code?: string | undefined },
  how: { readonly isAlways?: boolean } = {},
): Promise<Doubt | null> {
  const doubt = await checkConfirmed(parts, context, {
    ...(password === undefined ? {} : { password }),
    ...(code === undefined ? {} : { code }),
  }, how);
  if (doubt === null) return null;
  return 'waitSeconds' in doubt ? [loginLocked, waiting(doubt.waitSeconds)] : [doubt];
}
