import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { dayOf } from '#platform/time/days.ts';
import {
  birthDateInvalid,
  emailDisposable,
  mailboxFull,
  underage,
  usernameInvalid,
  usernameTaken,
} from '../../contract.ts';
import { emailNeeded, providerOver, signUpByProvider } from '../../contract/providers.ts';
import { loggedIn, personConsent } from '../../extension-points.ts';
import { checkBirthDate, checkUsername, normalizeEmail, placeOf } from '../../rules.ts';
import { posesAsStaff } from '../../rules/life/posing.ts';
import { findOwner, saveLastLogin } from '../../store.ts';
import { findIdentity, insertIdentity, saveIdentityUse } from '../../store/identities.ts';
import { emailRulesOf, isMailboxFull } from '../life/mailboxes.ts';
import { entered } from '../sign-in.ts';
import { createAccount, settingsOfGuest } from '../sign-up.ts';
import type { ProviderParts } from './provider-calls.ts';

const REFUSALS = {
  username_invalid: usernameInvalid,
  username_taken: usernameTaken,
  underage,
  birth_date_invalid: birthDateInvalid,
};

/** Opens an account without a password, for somebody whom a provider named. */
export const providerSignUpHandler = (parts: ProviderParts): CallHandler =>
  handleCall(signUpByProvider)(async (input, context) => {
    const { data, site, sessions, emails, journeys } = parts;
    const { scope, refuse } = context;
    const proof = journeys.proofIn(context, data.clock.now());
    if (!proof) return refuse(providerOver);
    const email = proof.isEmailVerified ? proof.email : input.email ?? null;
    if (email === null) return refuse(emailNeeded);
    const fault = checkUsername(input.username)
      ?? checkBirthDate(input.birth_date, dayOf(data.clock.now()));
    if (fault) return refuse(REFUSALS[fault]);
    const { isDisposable, limit } = await emailRulesOf(parts, scope, email);
    if (isDisposable) return refuse(emailDisposable);
    const { own: siteName, all: siteNames } = await site.namesOf(scope);
    if (posesAsStaff(input.username, siteNames)) return refuse(usernameTaken);
    const mayWrite = !proof.isEmailVerified && await emails.mayWrite(scope, normalizeEmail(email));
    const outcome = await data.tx(scope, async (tx) => {
      // The address may have got an owner, and the account a person, since the provider was asked.
      const owner = proof.isEmailVerified ? await findOwner(tx, email) : null;
      if (owner || await findIdentity(tx, proof)) return providerOver;
      const isConfirmed = proof.isEmailVerified;
      if (await isMailboxFull(tx, limit, { email, isConfirmed })) return mailboxFull;
      const person = await createAccount(tx, scope, {
        username: input.username,
        email,
        birthDate: input.birth_date,
        type: 'user',
        gender: input.gender ?? null,
        settings: settingsOfGuest(context),
      }, { passwordHash: null, isEmailConfirmed: isConfirmed, retiredNames: parts.retiredNames });
      if (!person) return usernameTaken;
      const isFirst = await journeys.spend(tx, proof) && await insertIdentity(tx, person.id, proof);
      if (!isFirst) throw new SpentTwice();
      await saveIdentityUse(tx, person.id, proof);
      await saveLastLogin(tx, person.id, placeOf(context.region).isoCode);
      await parts.extensions.one(personConsent).loggedIn(tx, person.id, context);
      for (const follow of parts.extensions.all(loggedIn)) await follow(tx, person.id, context);
      if (mayWrite) await emails.welcome(tx, person, context, siteName);
      return { person, token: await sessions.start(tx, person.id, context) };
    }).catch((error: unknown) => {
      if (error instanceof SpentTwice) return providerOver;
      throw error;
    });
    if ('code' in outcome) return refuse(outcome);
    journeys.forget(context);
    return entered(parts, context, { ...outcome, isStepped: false });
  });

/** Two requests used one proof: thrown so that the second is rolled back. */
class SpentTwice extends Error {}
