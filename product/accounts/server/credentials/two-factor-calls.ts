import { handleCall, type CallHandler } from '../../../../platform/contract/bind.ts';
import type { CallContext } from '../../../../platform/contract/context.ts';
import { personChannel } from '../../../../platform/contract/event.ts';
import type { Tx } from '../../../../platform/data/data.ts';
import { accountChanged } from '../../contract/life/username.ts';
import { badCredentials, codeWrong, loginLocked } from '../../contract.ts';
import {
  beginTwoFactor, confirmTwoFactor, endTwoFactor, getTwoFactor, renewRecoveryCodes, twoFactorOff, twoFactorOn,
} from '../../contract/two-factor.ts';
import { findById, passwordHashOf } from '../../store.ts';
import { waiting, type SignInParts } from '../sign-in.ts';
import { idOf } from './ways-in.ts';

type Parts = Pick<SignInParts, 'data' | 'site' | 'attempts' | 'passwords' | 'emails' | 'twoFactor'>;

/** Turning two-step log-in on and off, and recovery codes. */
export const twoFactorHandlers = (parts: Parts): CallHandler[] =>
  [stateHandler(parts), beginHandler(parts), confirmHandler(parts), renewHandler(parts), endHandler(parts)];

/** Counts an attempt at a credential of the session; answers the seconds to wait, 0 where it may be tried. */
const countAttempt = ({ attempts }: Parts, { scope, caller }: CallContext): Promise<number> =>
  attempts.count(scope, [{ kind: 'session', name: caller.sessionId ?? '' }]);
const clearAttempts = ({ attempts }: Parts, { scope, caller }: CallContext): Promise<void> =>
  attempts.clear(scope, { kind: 'session', name: caller.sessionId ?? '' });

async function isPasswordRight(
  { data, passwords }: Parts, context: CallContext, password: string,
): Promise<boolean> {
  const known = await data.tx(context.scope, (tx) => passwordHashOf(tx, idOf(context)));
  return (await passwords.check(password, known)).isRight;
}

/** An email about it, a line in the audit log, and the person's tabs read their account again. */
async function report(
  { emails }: Parts, tx: Tx, context: CallContext, site: string, isOn: boolean,
): Promise<void> {
  const actorId = idOf(context);
  const action = isOn ? 'accounts.twoFactorOn' : 'accounts.twoFactorOff';
  await tx.audit({ action, actorId, subject: `person:${actorId}` });
  await tx.send(personChannel(actorId), accountChanged, {});
  const person = await findById(tx, actorId);
  if (person) await emails.twoFactor(tx, person, context, site, isOn);
}

const stateHandler = ({ data, twoFactor }: Parts): CallHandler =>
  handleCall(getTwoFactor)(async (_input, context) =>
    data.tx(context.scope, (tx) => twoFactor.state(tx, idOf(context))));

const beginHandler = (parts: Parts): CallHandler =>
  handleCall(beginTwoFactor)(async ({ password }, context) => {
    const { data, site, twoFactor } = parts;
    const { scope, caller, refuse } = context;
    const waitSeconds = await countAttempt(parts, context);
    if (waitSeconds > 0) return refuse(loginLocked, waiting(waitSeconds));
    if (!(await isPasswordRight(parts, context, password))) return refuse(badCredentials);
    await clearAttempts(parts, context);
    const { display_name: name } = await site.viewOf(scope);
    const begun = await data.tx(scope, (tx) =>
      twoFactor.begin(tx, idOf(context), { site: name, username: caller.username ?? '' }));
    return begun ?? refuse(twoFactorOn);
  });

const confirmHandler = (parts: Parts): CallHandler =>
  handleCall(confirmTwoFactor)(async ({ code }, context) => {
    const { data, site, twoFactor } = parts;
    const { scope, refuse } = context;
    const waitSeconds = await countAttempt(parts, context);
    if (waitSeconds > 0) return refuse(loginLocked, waiting(waitSeconds));
    const { display_name: name } = await site.viewOf(scope);
    const outcome = await data.tx(scope, async (tx) => {
      const confirmed = await twoFactor.confirm(tx, idOf(context), code);
      if (typeof confirmed === 'string') return confirmed;
      await report(parts, tx, context, name, true);
      return { ...await twoFactor.state(tx, idOf(context)), recovery_codes: [...confirmed] };
    });
    if (outcome === 'on') return refuse(twoFactorOn);
    if (outcome === 'off') return refuse(twoFactorOff);
    if (outcome === 'wrong') return refuse(codeWrong);
    await clearAttempts(parts, context);
    return outcome;
  });

const renewHandler = (parts: Parts): CallHandler =>
  handleCall(renewRecoveryCodes)(async ({ code }, context) => {
    const { data, twoFactor } = parts;
    const { scope, refuse } = context;
    const waitSeconds = await countAttempt(parts, context);
    if (waitSeconds > 0) return refuse(loginLocked, waiting(waitSeconds));
    const outcome = await data.tx(scope, async (tx) => {
      const personId = idOf(context);
      const spent = await twoFactor.spend(tx, personId, code);
      if (spent !== 'spent') return spent;
      const codes = await twoFactor.renew(tx, personId);
      return { ...await twoFactor.state(tx, personId), recovery_codes: [...codes] };
    });
    if (outcome === 'off') return refuse(twoFactorOff);
    if (outcome === 'wrong') return refuse(codeWrong);
    await clearAttempts(parts, context);
    return outcome;
  });

const endHandler = (parts: Parts): CallHandler =>
  handleCall(endTwoFactor)(async ({ password, code }, context) => {
    const { data, site, twoFactor } = parts;
    const { scope, refuse } = context;
    const waitSeconds = await countAttempt(parts, context);
    if (waitSeconds > 0) return refuse(loginLocked, waiting(waitSeconds));
    if (!(await isPasswordRight(parts, context, password))) return refuse(badCredentials);
    const { display_name: name } = await site.viewOf(scope);
    const outcome = await data.tx(scope, async (tx) => {
      const personId = idOf(context);
      const spent = await twoFactor.spend(tx, personId, code);
      if (spent !== 'spent') return spent;
      await twoFactor.end(tx, personId);
      await report(parts, tx, context, name, false);
      return twoFactor.state(tx, personId);
    });
    if (outcome === 'off') return refuse(twoFactorOff);
    if (outcome === 'wrong') return refuse(codeWrong);
    await clearAttempts(parts, context);
    return outcome;
  });
