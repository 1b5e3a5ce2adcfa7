import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { PersonContext } from '#platform/contract/context.ts';
import { personChannel } from '#platform/contract/event.ts';
import { hostRefusals, type RefusalDetail } from '#platform/contract/refusal.ts';
import type { Tx } from '#platform/data/data.ts';
import { badCredentials, codeWrong, loginLocked } from '../../contract.ts';
import { accountChanged } from '../../contract/life/username.ts';
import {
  beginTwoFactor,
  confirmTwoFactor,
  endTwoFactor,
  getTwoFactor,
  renewRecoveryCodes,
  twoFactorOff,
  twoFactorOn,
} from '../../contract/two-factor.ts';
import { findById, passwordHashOf } from '../../store.ts';
import { saveStepped } from '../../store/sessions.ts';
import { waiting, type SignInParts } from '../sign-in.ts';
import { ofPerson } from './attempts.ts';
import { isPassedBy, lockCaller, publishStep } from './ways-in.ts';

const { twoFactorRequired: stepMissing } = hostRefusals;

type Parts = Pick<SignInParts, 'data' | 'site' | 'attempts' | 'passwords' | 'emails' | 'twoFactor' | 'step'>;

/** Calls that turn two-step log-in on and off, and renew recovery codes. */
export const twoFactorHandlers = (
  parts: Parts,
): CallHandler[] => [
  stateHandler(parts),
  beginHandler(parts),
  confirmHandler(parts),
  renewHandler(parts),
  endHandler(parts),
];

/** Checks the caller's password, counted by person; returns the arguments for `refuse`, or null. */
async function passwordDoubt(
  { data, attempts, passwords }: Parts,
  context: PersonContext,
  password: string,
): Promise<readonly [typeof badCredentials | typeof loginLocked, RefusalDetail?] | null> {
  const counted = ofPerson('password', context.personId);
  const waitSeconds = await attempts.count(context.scope, [counted]);
  if (waitSeconds > 0) return [loginLocked, waiting(waitSeconds)];
  const known = await data.tx(context.scope, (tx) => passwordHashOf(tx, context.personId));
  if (!(await passwords.check(password, known)).isRight) return [badCredentials];
  await attempts.clear(context.scope, counted);
  return null;
}

/** Sends an email about it, writes to the audit log, and makes the person's tabs read their account again. */
async function report(
  { emails }: Parts,
  tx: Tx,
  context: PersonContext,
  site: string,
  isOn: boolean,
): Promise<void> {
  const actorId = context.personId;
  const action = isOn ? 'accounts.twoFactorOn' : 'accounts.twoFactorOff';
  await tx.audit({ action, actorId, subject: `person:${actorId}` });
  await tx.send(personChannel(actorId), accountChanged, {});
  const person = await findById(tx, actorId);
  if (!person) return;
  await publishStep(tx, person);
  await emails.twoFactor(tx, person, context, site, isOn);
}

const stateHandler = ({ data, twoFactor }: Parts): CallHandler =>
  handleCall(getTwoFactor)(async (_input, context) =>
    data.tx(context.scope, (tx) => twoFactor.state(tx, context.personId))
  );

const beginHandler = (parts: Parts): CallHandler =>
  handleCall(beginTwoFactor)(async ({ password }, context) => {
    const { data, site, twoFactor } = parts;
    const { scope, caller, refuse } = context;
    const doubt = await passwordDoubt(parts, context, password);
    if (doubt) return refuse(...doubt);
    const { display_name: name } = await site.viewOf(scope);
    const begun = await data.tx(scope, async (tx) => {
      if (await isPassedBy(parts, tx, await lockCaller(tx, context), context)) return 'passed';
      return twoFactor.begin(tx, context.personId, { site: name, username: caller.username ?? '' });
    });
    return begun === 'passed' ? refuse(stepMissing) : begun ?? refuse(twoFactorOn);
  });

const confirmHandler = (parts: Parts): CallHandler =>
  handleCall(confirmTwoFactor)(async ({ code }, context) => {
    const { data, site, attempts, twoFactor } = parts;
    const { scope, refuse } = context;
    const typed = await attempts.countCode(scope, 'second_step', context.personId, code);
    if ('waitSeconds' in typed) return refuse(loginLocked, waiting(typed.waitSeconds));
    const { display_name: name } = await site.viewOf(scope);
    const outcome = await data.tx(scope, async (tx) => {
      if (await isPassedBy(parts, tx, await lockCaller(tx, context), context)) return 'passed';
      const confirmed = await twoFactor.confirm(tx, typed);
      if (typeof confirmed === 'string') return confirmed;
      await saveStepped(tx, context.caller.sessionId);
      await report(parts, tx, context, name, true);
      const state = await twoFactor.state(tx, context.personId);
      return { right: confirmed.right, done: { ...state, recovery_codes: [...confirmed.recoveryCodes] } };
    });
    if (outcome === 'passed') return refuse(stepMissing);
    if (outcome === 'on') return refuse(twoFactorOn);
    if (outcome === 'off') return refuse(twoFactorOff);
    if (outcome === 'wrong') return refuse(codeWrong);
    await attempts.clearCode(scope, outcome.right);
    return outcome.done;
  });

const renewHandler = (parts: Parts): CallHandler =>
  handleCall(renewRecoveryCodes)(async ({ code }, context) => {
    const { data, attempts, twoFactor } = parts;
    const { scope, refuse } = context;
    const typed = await attempts.countCode(scope, 'second_step', context.personId, code);
    if ('waitSeconds' in typed) return refuse(loginLocked, waiting(typed.waitSeconds));
    const outcome = await data.tx(scope, async (tx) => {
      const { id: personId } = await lockCaller(tx, context);
      const spent = await twoFactor.spend(tx, typed);
      if (typeof spent === 'string') return spent;
      const codes = await twoFactor.renew(tx, personId);
      const state = await twoFactor.state(tx, personId);
      return { right: spent, done: { ...state, recovery_codes: [...codes] } };
    });
    if (outcome === 'off') return refuse(twoFactorOff);
    if (outcome === 'wrong') return refuse(codeWrong);
    await attempts.clearCode(scope, outcome.right);
    return outcome.done;
  });

const endHandler = (parts: Parts): CallHandler =>
  handleCall(endTwoFactor)(async ({ password, code }, context) => {
    const { data, site, attempts, twoFactor } = parts;
    const { scope, refuse } = context;
    const doubt = await passwordDoubt(parts, context, password);
    if (doubt) return refuse(...doubt);
    const typed = await attempts.countCode(scope, 'second_step', context.personId, code);
    if ('waitSeconds' in typed) return refuse(loginLocked, waiting(typed.waitSeconds));
    const { display_name: name } = await site.viewOf(scope);
    const outcome = await data.tx(scope, async (tx) => {
      const { id: personId } = await lockCaller(tx, context);
      const spent = await twoFactor.spend(tx, typed);
      if (typeof spent === 'string') return spent;
      await twoFactor.end(tx, personId);
      await report(parts, tx, context, name, false);
      return { right: spent, done: await twoFactor.state(tx, personId) };
    });
    if (outcome === 'off') return refuse(twoFactorOff);
    if (outcome === 'wrong') return refuse(codeWrong);
    await attempts.clearCode(scope, outcome.right);
    return outcome.done;
  });
