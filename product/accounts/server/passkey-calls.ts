import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { PersonContext } from '#platform/contract/context.ts';
import { hostRefusals } from '#platform/contract/refusal.ts';
import type { Tx } from '#platform/data/data.ts';
import { cleanText } from '#platform/text/clean-text.ts';
import { loginLocked } from '../contract.ts';
import { wayInUnchecked } from '../contract/life/ways-in.ts';
import {
  addPasskey,
  beginPasskey,
  beginPasskeyLogin,
  challengeOver,
  listPasskeys,
  loginByPasskey,
  passkeyNameRefused,
  passkeyRefused,
  passkeyTaken,
  passkeyUnknown,
  removePasskey,
  renamePasskey,
  tooManyPasskeys,
  type PasskeyView,
} from '../contract/passkeys.ts';
import { CHALLENGE_SECONDS, MAX_PASSKEYS, type Confirmation } from '../rules/passkeys.ts';
import { findById, lockPerson } from '../store.ts';
import {
  deletePasskey,
  findPasskey,
  insertPasskey,
  listPasskeysOf,
  savePasskeyName,
  usePasskey,
} from '../store/passkeys.ts';
import { saveStepped } from '../store/sessions.ts';
import { ofPerson } from './credentials/attempts.ts';
import { checkConfirmed, confirmationIn } from './credentials/confirmation.ts';
import { isPassedBy, lockCaller, mayLoseWayIn, reportWayIn } from './credentials/ways-in.ts';
import { ALGORITHMS, type Passkeys } from './passkeys.ts';
import { isUnchecked } from './recovery/ways-in-check.ts';
import {
  enter,
  entered,
  isMissing,
  mayEnter,
  secondStep,
  suspensionOf,
  waiting,
  type SignInParts,
} from './sign-in.ts';

const { twoFactorRequired: stepMissing } = hostRefusals;

export type PasskeyParts = SignInParts & { readonly passkeys: Passkeys };

/** Calls for the caller's passkeys, and for logging in with one. */
export const passkeyHandlers = (parts: PasskeyParts): CallHandler[] => [
  ...ownHandlers(parts),
  beginHandler(parts),
  addHandler(parts),
  ...loginHandlers(parts),
];

interface View {
  readonly passkeys: PasskeyView[];
  readonly confirmation: Confirmation;
}

async function viewIn(tx: Tx, context: PersonContext): Promise<View> {
  const rows = await listPasskeysOf(tx, context.personId);
  return {
    passkeys: rows.map(({ id, name, host, createdAt, usedAt }) => ({
      id,
      name,
      host,
      created_at: createdAt.toISOString(),
      used_at: usedAt?.toISOString() ?? null,
    })),
    confirmation: await confirmationIn(tx, context),
  };
}

const ownHandlers = (parts: PasskeyParts): CallHandler[] => [
  handleCall(listPasskeys)(async (_input, context) =>
    parts.data.tx(context.scope, (tx) => viewIn(tx, context))
  ),
  handleCall(renamePasskey)(async ({ id, name: typed }, context) => {
    const name = cleanText(typed);
    if (name === '') return context.refuse(passkeyNameRefused);
    const view = await parts.data.tx(context.scope, async (tx) => {
      await lockCaller(tx, context);
      return await savePasskeyName(tx, context.personId, id, name) ? viewIn(tx, context) : null;
    });
    return view ?? context.refuse(passkeyUnknown);
  }),
  handleCall(removePasskey)(async ({ id }, context) => {
    const { display_name: site } = await parts.site.viewOf(context.scope);
    const outcome = await parts.data.tx(context.scope, async (tx) => {
      if (await isPassedBy(parts, tx, await lockCaller(tx, context), context)) return stepMissing;
      const last = await mayLoseWayIn(tx, context);
      const own = await listPasskeysOf(tx, context.personId);
      if (!own.some((item) => item.id === id)) return passkeyUnknown;
      if (last) return last;
      const passkey = await deletePasskey(tx, context.personId, id);
      await reportWayIn(parts, tx, context, context.personId, {
        kind: 'passkeyRemoved',
        values: { site, typed: { passkey: passkey ?? '' } },
      });
      return viewIn(tx, context);
    });
    return 'code' in outcome ? context.refuse(outcome) : outcome;
  }),
];

const beginHandler = (parts: PasskeyParts): CallHandler =>
  handleCall(beginPasskey)(async (input, context) => {
    const { data, site, passkeys } = parts;
    const { scope, refuse, caller } = context;
    const doubt = await checkConfirmed(parts, context, input);
    if (doubt && 'waitSeconds' in doubt) return refuse(loginLocked, waiting(doubt.waitSeconds));
    if (doubt) return refuse(doubt);
    const { display_name: name } = await site.viewOf(scope);
    const [person, own, isPassed] = await data.tx(scope, async (tx) => {
      const me = await lockCaller(tx, context);
      return [me, await listPasskeysOf(tx, me.id), await isPassedBy(parts, tx, me, context)] as const;
    });
    if (isPassed) return refuse(stepMissing);
    if (own.length >= MAX_PASSKEYS) return refuse(tooManyPasskeys);
    const now = data.clock.now();
    const { challenge, host, ticket } = passkeys.ask('add', site.linkOrigin(context.origin), now, context);
    return {
      ticket,
      options: {
        rp: { id: host, name },
        challenge,
        timeout: CHALLENGE_SECONDS * 1000,
        attestation: 'none' as const,
        user: {
          id: passkeys.handleOf(scope, context.personId),
          name: caller.username ?? '',
          displayName: person.displayName,
        },
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
        excludeCredentials: own.filter((item) => item.host === host).map((
          { credentialId: id, transports },
        ) => ({ type: 'public-key' as const, id, transports: [...transports] })),
        authenticatorSelection: {
          residentKey: 'required' as const,
          requireResidentKey: true as const,
          userVerification: 'preferred' as const,
        },
      },
    };
  });

const addHandler = (parts: PasskeyParts): CallHandler =>
  handleCall(addPasskey)(async ({ ticket, name: typed, credential }, context) => {
    const { data, site, attempts, passkeys } = parts;
    const { scope, refuse } = context;
    // Cleaned like every name, because it is shown in an email and on the page of ways to log in.
    const name = cleanText(typed);
    if (name === '') return refuse(passkeyNameRefused);
    const counted = ofPerson('passkey', context.personId);
    const waitSeconds = await attempts.count(scope, [counted]);
    if (waitSeconds > 0) return refuse(loginLocked, waiting(waitSeconds));
    const origin = site.linkOrigin(context.origin);
    const asked = passkeys.open('add', origin, data.clock.now(), ticket, context);
    if (!asked) return refuse(challengeOver);
    const made = await passkeys.made(asked, credential);
    if (!made) return refuse(passkeyRefused);
    const { display_name: siteName } = await site.viewOf(scope);
    const outcome = await data.tx(scope, async (tx) => {
      // The lock keeps two concurrent requests from both adding the tenth.
      const me = await lockCaller(tx, context);
      if (await isPassedBy(parts, tx, me, context)) return stepMissing;
      // A member of staff could not log in with this passkey alone.
      if (!made.isUserVerified && await parts.step.isAskedOfStaff(tx, me)) return passkeyRefused;
      if (!(await passkeys.spend(tx, asked))) return challengeOver;
      if ((await listPasskeysOf(tx, context.personId)).length >= MAX_PASSKEYS) return tooManyPasskeys;
      if (!(await insertPasskey(tx, { ...made, personId: context.personId, name }))) return passkeyTaken;
      if (made.isUserVerified) await saveStepped(tx, context.caller.sessionId);
      await reportWayIn(parts, tx, context, context.personId, {
        kind: 'passkeyAdded',
        values: { site: siteName, typed: { passkey: name } },
      });
      return viewIn(tx, context);
    });
    if ('code' in outcome) return refuse(outcome);
    await attempts.clear(scope, counted);
    return outcome;
  });

const loginHandlers = (parts: PasskeyParts): CallHandler[] => [
  handleCall(beginPasskeyLogin)(async (_input, context) => {
    const { data, site, passkeys } = parts;
    const origin = site.linkOrigin(context.origin);
    const { challenge, host, ticket } = passkeys.ask('log in', origin, data.clock.now(), context);
    const timeout = CHALLENGE_SECONDS * 1000;
    return { ticket, options: { challenge, rpId: host, timeout, userVerification: 'preferred' as const } };
  }),
  handleCall(loginByPasskey)(async ({ ticket, credential, code }, context) => {
    const { data, site, attempts, passkeys } = parts;
    const { scope, refuse } = context;
    const origin = site.linkOrigin(context.origin);
    const asked = passkeys.open('log in', origin, data.clock.now(), ticket, context);
    if (!asked) return refuse(challengeOver);
    const [passkey, owner] = await data.tx(scope, async (tx) => {
      const known = await findPasskey(tx, credential.id);
      return [known, known && await findById(tx, known.personId)] as const;
    });
    const account = attempts.ofAccount(context, 'passkey', credential.id, owner);
    const counted = account.kind === 'device'
      ? [account]
      : [account, ...attempts.ofAddress(context.address)];
    const waitSeconds = await attempts.count(scope, counted);
    if (waitSeconds > 0) return refuse(loginLocked, waiting(waitSeconds));
    const checked = passkey && await passkeys.checked(asked, passkey, scope, credential);
    if (!checked) return refuse(passkeyRefused);
    const typed = await attempts.countCode(scope, 'second_step', passkey.personId, code);
    if ('waitSeconds' in typed) return refuse(loginLocked, waiting(typed.waitSeconds));
    const { display_name: siteName } = await site.viewOf(scope);
    const outcome = await data.tx(scope, async (tx) => {
      const person = await lockPerson(tx, passkey.personId);
      if (!mayEnter(person)) return suspensionOf(person);
      // The account was recovered since the passkey was read.
      if (person.recoveries !== owner?.recoveries) return passkeyRefused;
      if (await isUnchecked(tx, person, { passkey: passkey.id })) return wayInUnchecked;
      // Used up only after the second step, because the same answer may be sent again with a code.
      const step = checked.isUserVerified ? null : await secondStep(parts, tx, typed);
      if (isMissing(step)) return step;
      if (!(await passkeys.spend(tx, asked))) return challengeOver;
      if (!(await usePasskey(tx, passkey.id, checked))) return passkeyRefused;
      const isStepped = checked.isUserVerified || step !== null;
      const done = await enter(parts, tx, person, context, { account, siteName, isStepped });
      return 'refused' in done ? done : { done, step };
    });
    if ('refused' in outcome) return refuse(outcome.refused, outcome.detail);
    if ('code' in outcome) return refuse(outcome);
    await Promise.all([attempts.clear(scope, account), attempts.clearCode(scope, outcome.step)]);
    return entered(parts, context, outcome.done);
  }),
];
