import type { CallContext } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { badCredentials, loginLocked, type codeRequired, type codeWrong } from '../../contract.ts';
import { confirmationNeeded } from '../../contract/passkeys.ts';
import { confirmationOf, type Confirmation } from '../../rules/passkeys.ts';
import { passwordHashOf } from '../../store.ts';
import { findSession } from '../../store/sessions.ts';
import { isMissing, secondStep, type SignInParts } from '../sign-in.ts';
import { ofPerson } from './attempts.ts';

type Parts = Pick<SignInParts, 'data' | 'attempts' | 'passwords' | 'twoFactor'>;
type Doubt = typeof badCredentials | typeof codeRequired | typeof codeWrong | typeof confirmationNeeded;

/**
 * What a logged-in person has to do before they may add a way to log in.
 * @param isAlways a recent log-in is not enough where there is a password
 */
export async function confirmationIn(
  tx: Tx,
  { caller }: CallContext,
  { isAlways = false }: { readonly isAlways?: boolean } = {},
): Promise<Confirmation> {
  const session = await findSession(tx, { digest: caller.sessionId ?? '' });
  const hasPassword = await passwordHashOf(tx, caller.personId ?? 0) !== null;
  if (isAlways && hasPassword) return 'password';
  return confirmationOf({ startedAt: session?.startedAt ?? new Date(0), hasPassword }, tx.now);
}

/**
 * Whether it is really the person: the log-in is recent, or the password is right, with a code where two-step
 * log-in is on. Attempts are counted by person, as for a new password.
 */
export async function checkConfirmed(
  parts: Parts,
  context: CallContext,
  { password, code }: { password?: string; code?: string },
  how: { readonly isAlways?: boolean } = {},
): Promise<Doubt | { readonly code: typeof loginLocked.code; readonly waitSeconds: number } | null> {
  const { data, attempts, passwords } = parts;
  const { scope, caller } = context;
  const personId = caller.personId as number;
  const needed = await data.tx(scope, (tx) => confirmationIn(tx, context, how));
  if (needed === 'none') return null;
  if (needed === 'log_in' || password === undefined) return confirmationNeeded;
  const counted = ofPerson('password', personId);
  const waitSeconds = await attempts.count(scope, [counted]);
  if (waitSeconds > 0) return { code: loginLocked.code, waitSeconds };
  const known = await data.tx(scope, (tx) => passwordHashOf(tx, personId));
  if (!(await passwords.check(password, known)).isRight) return badCredentials;
  await attempts.clear(scope, counted);
  const typed = await attempts.countCode(scope, 'second_step', personId, code);
  if ('waitSeconds' in typed) return { code: loginLocked.code, waitSeconds: typed.waitSeconds };
  const step = await data.tx(scope, (tx) => secondStep(parts, tx, typed));
  if (isMissing(step)) return step;
  await attempts.clearCode(scope, step);
  return null;
}
