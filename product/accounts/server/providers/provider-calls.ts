import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { hasPerson, type CallContext, type PersonContext } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import type { IdentityProvider } from '#platform/identities/identity-provider.ts';
import { loginLocked } from '../../contract.ts';
import { wayInUnchecked } from '../../contract/life/ways-in.ts';
import { confirmationNeeded } from '../../contract/passkeys.ts';
import {
  enterByProvider,
  finishProvider,
  linkProvider,
  listProviders,
  providerCancelled,
  providerLinked,
  providerOver,
  providerRefused,
  providerTaken,
  providerUnavailable,
  providerUnlinked,
  removeProvider,
  startProvider,
} from '../../contract/providers.ts';
import type { ProviderName } from '../../rules/providers.ts';
import { findById, findOwner, lockPerson, passwordHashOf, type Account } from '../../store.ts';
import {
  deleteIdentity,
  findIdentity,
  insertIdentity,
  listIdentities,
  saveIdentityUse,
} from '../../store/identities.ts';
import { checkConfirmed, confirmationIn } from '../credentials/confirmation.ts';
import { lockCaller, mayLoseWayIn, reportWayIn, type WayInReport } from '../credentials/ways-in.ts';
import { isUnchecked } from '../recovery/ways-in-check.ts';
import {
  enter,
  entered,
  isMissing,
  mayEnter,
  secondStep,
  suspensionOf,
  waiting,
  type SignInParts,
} from '../sign-in.ts';
import type { Journeys, Proof } from './journeys.ts';

export type ProviderParts = SignInParts & {
  readonly journeys: Journeys;
  readonly identityProvidersAt: (host: string) => readonly IdentityProvider[];
};

/** The path that providers send browsers back to; registered there. */
const RETURN_PATH = '/free-register/connect';
const NAMES: Readonly<Record<ProviderName, string>> = { google: 'Google', facebook: 'Facebook' };

/** Calls for logging in with accounts at providers, and for connecting them. */
export const providerHandlers = (parts: ProviderParts): CallHandler[] => [
  startHandler(parts),
  finishHandler(parts),
  enterHandler(parts),
  ...ownHandlers(parts),
];

const providersOf = ({ identityProvidersAt }: ProviderParts, { origin }: CallContext) =>
  identityProvidersAt(new URL(origin).hostname);
const returnTo = ({ site }: ProviderParts, { origin }: CallContext): string =>
  site.linkOrigin(origin) + RETURN_PATH;

async function viewIn(parts: ProviderParts, tx: Tx, context: PersonContext) {
  const linked = await listIdentities(tx, context.personId);
  return {
    linked: linked.map(({ provider, email, createdAt, usedAt }) => ({
      provider,
      email,
      created_at: createdAt.toISOString(),
      used_at: usedAt?.toISOString() ?? null,
    })),
    available: providersOf(parts, context).map(({ name }) => name),
    has_password: (await passwordHashOf(tx, context.personId)) !== null,
    confirmation: await confirmationIn(tx, context),
  };
}

/** The report of a connected or disconnected provider. */
const changeOf = (
  kind: 'providerAdded' | 'providerRemoved',
  provider: ProviderName,
  site: string,
): WayInReport => ({ kind, values: { site, provider: NAMES[provider] }, detail: { provider } });

const startHandler = (parts: ProviderParts): CallHandler =>
  handleCall(startProvider)(async ({ provider: name, purpose, next, ...proof }, context) => {
    const { data, journeys } = parts;
    const { caller, refuse } = context;
    const provider = providersOf(parts, context).find((item) => item.name === name);
    if (!provider) return refuse(providerUnavailable);
    if (purpose === 'link') {
      if (caller.personId === null) return refuse(confirmationNeeded);
      const doubt = await checkConfirmed(parts, context, proof);
      if (doubt && 'waitSeconds' in doubt) return refuse(loginLocked, waiting(doubt.waitSeconds));
      if (doubt) return refuse(doubt);
    }
    const to = { provider: name, purpose, next: next ?? null };
    const journey = journeys.begin(context, data.clock.now(), to);
    const url = await provider.begin(returnTo(parts, context), journey);
    return url === null ? refuse(providerUnavailable) : { url };
  });

const finishHandler = (parts: ProviderParts): CallHandler =>
  handleCall(finishProvider)(async ({ query }, context) => {
    const { data, journeys } = parts;
    const { scope, refuse } = context;
    const journey = journeys.back(context, data.clock.now());
    if (!journey) return refuse(providerOver);
    const provider = providersOf(parts, context).find(({ name }) => name === journey.provider);
    if (!provider) return refuse(providerUnavailable);
    if (!(await data.tx(scope, (tx) => journeys.spend(tx, journey)))) return refuse(providerOver);
    const ending = await provider.finish(returnTo(parts, context), query, journey);
    if (ending === 'cancelled') return refuse(providerCancelled);
    if (ending === 'away') return refuse(providerUnavailable);
    const proof = ending === 'wrong' ? null : journeys.proofOf(journey.provider, ending, data.clock.now());
    if (!proof) return refuse(providerRefused);
    const settled = journey.purpose === 'link'
      ? await linked(parts, context, proof)
      : await named(parts, context, proof);
    if (typeof settled !== 'string') {
      return 'refused' in settled ? refuse(settled.refused, settled.detail) : refuse(settled);
    }
    return {
      outcome: settled,
      provider: proof.provider,
      email: proof.email,
      email_verified: proof.isEmailVerified,
      next: journey.next,
    };
  });

/** Whether the proof is older than the account's last recovery, and so may be an intruder's. */
const isOverFor = ({ at }: Proof, { recoveredAt }: Pick<Account, 'recoveredAt'>): boolean =>
  at <= (recoveredAt?.getTime() ?? -1);

/** Connects an account at a provider to the caller's, within a unit of work; answers why not. */
async function linkIn(
  parts: ProviderParts,
  tx: Tx,
  context: PersonContext,
  proof: Proof,
  site: string,
): Promise<typeof providerTaken | typeof providerLinked | typeof providerOver | null> {
  const me = await lockCaller(tx, context);
  const found = await findIdentity(tx, proof);
  if (found) return found.personId === me.id ? null : providerTaken;
  if (isOverFor(proof, me)) return providerOver;
  if (!(await insertIdentity(tx, context.personId, proof))) return providerLinked;
  await reportWayIn(parts, tx, context, context.personId, changeOf('providerAdded', proof.provider, site));
  return null;
}

/** Connects the account of a logged-in person who comes back; only in the session that was confirmed. */
async function linked(
  parts: ProviderParts,
  context: Parameters<typeof hasPerson>[0],
  proof: Proof,
) {
  if (!hasPerson(context)) return providerOver;
  const { display_name: site } = await parts.site.viewOf(context.scope);
  const doubt = await parts.data.tx(context.scope, (tx) => linkIn(parts, tx, context, proof, site));
  return doubt ?? 'linked' as const;
}

/** A provider named somebody: a person who logs in, or one whom the site does not know yet. */
async function named(parts: ProviderParts, context: CallContext, proof: Proof) {
  const { data, site, attempts, journeys } = parts;
  const { scope } = context;
  const { display_name: siteName } = await site.viewOf(scope);
  const outcome = await data.tx(scope, async (tx) => {
    const found = await findIdentity(tx, proof);
    if (!found) {
      const owner = proof.isEmailVerified ? await findOwner(tx, proof.email ?? '') : null;
      return owner ? 'known_email' as const : 'sign_up' as const;
    }
    const person = await lockPerson(tx, found.personId);
    if (!mayEnter(person)) return suspensionOf(person);
    if (isOverFor(proof, person)) return providerOver;
    if (await isUnchecked(tx, person, proof)) return wayInUnchecked;
    if (await parts.twoFactor.isOn(tx, person.id)) return 'code' as const;
    const account = attempts.ofAccount(context, 'provider', proof.subject, person);
    // A recovery during the wait for the lock may have ended it.
    if (!(await saveIdentityUse(tx, person.id, proof))) return providerOver;
    return enter(parts, tx, person, context, { account, siteName, isStepped: false });
  });
  if (typeof outcome === 'string') {
    journeys.remember(context, proof);
    return outcome;
  }
  if ('refused' in outcome || 'code' in outcome) return outcome;
  await entered(parts, context, outcome);
  return 'logged_in' as const;
}

const enterHandler = (parts: ProviderParts): CallHandler =>
  handleCall(enterByProvider)(async ({ code }, context) => {
    const { data, site, attempts, journeys } = parts;
    const { scope, refuse } = context;
    const proof = journeys.proofIn(context, data.clock.now());
    const found = proof && await data.tx(scope, async (tx) => {
      const identity = await findIdentity(tx, proof);
      return identity && findById(tx, identity.personId);
    });
    if (!proof || !found) return refuse(providerOver);
    const account = attempts.ofAccount(context, 'provider', proof.subject, found);
    const waitSeconds = await attempts.count(scope, [account]);
    if (waitSeconds > 0) return refuse(loginLocked, waiting(waitSeconds));
    const typed = await attempts.countCode(scope, 'second_step', found.id, code);
    if ('waitSeconds' in typed) return refuse(loginLocked, waiting(typed.waitSeconds));
    const { display_name: siteName } = await site.viewOf(scope);
    const outcome = await data.tx(scope, async (tx) => {
      const person = await lockPerson(tx, found.id);
      if (!mayEnter(person)) return suspensionOf(person);
      if (person.recoveries !== found.recoveries || isOverFor(proof, person)) return providerOver;
      const step = await secondStep(parts, tx, typed);
      if (isMissing(step)) return step;
      if (!(await journeys.spend(tx, proof))) return providerOver;
      if (!(await saveIdentityUse(tx, person.id, proof))) return providerOver;
      const done = await enter(parts, tx, person, context, {
        account,
        siteName,
        isStepped: step !== null,
      });
      return 'refused' in done ? done : { done, step };
    });
    if ('refused' in outcome) return refuse(outcome.refused, outcome.detail);
    if ('code' in outcome) return refuse(outcome);
    await Promise.all([attempts.clear(scope, account), attempts.clearCode(scope, outcome.step)]);
    journeys.forget(context);
    return entered(parts, context, outcome.done);
  });

const ownHandlers = (parts: ProviderParts): CallHandler[] => [
  handleCall(listProviders)(async (_input, context) =>
    parts.data.tx(context.scope, (tx) => viewIn(parts, tx, context))
  ),
  handleCall(linkProvider)(async (_input, context) => {
    const { data, site, journeys } = parts;
    const { scope, refuse } = context;
    const proof = journeys.proofIn(context, data.clock.now());
    if (!proof) return refuse(providerOver);
    const { display_name: name } = await site.viewOf(scope);
    const outcome = await data.tx(scope, async (tx) => {
      await lockCaller(tx, context);
      if (await confirmationIn(tx, context) !== 'none') return confirmationNeeded;
      if (!(await journeys.spend(tx, proof))) return providerOver;
      return await linkIn(parts, tx, context, proof, name) ?? viewIn(parts, tx, context);
    });
    if ('code' in outcome) return refuse(outcome);
    journeys.forget(context);
    return outcome;
  }),
  handleCall(removeProvider)(async ({ provider }, context) => {
    const { display_name: site } = await parts.site.viewOf(context.scope);
    const outcome = await parts.data.tx(context.scope, async (tx) => {
      await lockCaller(tx, context);
      const last = await mayLoseWayIn(tx, context);
      const own = await listIdentities(tx, context.personId);
      if (!own.some((identity) => identity.provider === provider)) return providerUnlinked;
      if (last) return last;
      await deleteIdentity(tx, context.personId, provider);
      await reportWayIn(parts, tx, context, context.personId, changeOf('providerRemoved', provider, site));
      return viewIn(parts, tx, context);
    });
    return 'code' in outcome ? context.refuse(outcome) : outcome;
  }),
];
