import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { InputOf, RefusalOf } from '#platform/contract/call.ts';
import type { CallContext, Scope } from '#platform/contract/context.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { RefusalDetail } from '#platform/contract/refusal.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { dayOf } from '#platform/time/days.ts';
import { LOCALE_COOKIE } from '#product/site/rules.ts';
import type { SiteService } from '#product/site/server.ts';
import {
  badCredentials,
  changePassword,
  codeRequired,
  codeWrong,
  emailCodeRequired,
  emailCodeWrong,
  emailDisposable,
  inDeletion,
  login,
  loginLocked,
  logout,
  logoutEverywhere,
  mailboxFull,
  register,
  suspended,
  usernameTaken,
} from '../contract.ts';
import { loggedIn, personConsent } from '../extension-points.ts';
import { normalizeEmail, placeOf } from '../rules.ts';
import { posesAsStaff } from '../rules/life/posing.ts';
import {
  findById,
  findLogins,
  lockPeople,
  lockPerson,
  passwordHashOf,
  saveLastLogin,
  savePassword,
  type Account,
  type Login,
} from '../store.ts';
import { saveAddressProven } from '../store/recovery.ts';
import {
  ofPerson,
  type Attempts,
  type AttemptSubject,
  type CountedCode,
  type RightCode,
} from './credentials/attempts.ts';
import { checkNewPassword, type PasswordCheck, type Passwords } from './credentials/passwords.ts';
import type { RequiredStep } from './credentials/required-step.ts';
import type { TwoFactor } from './credentials/two-factor.ts';
import { lockCaller } from './credentials/ways-in.ts';
import type { CurrentUsers } from './current-user.ts';
import type { KeepTickets } from './deletion/keep-tickets.ts';
import type { RetiredNames } from './deletion/retired-names.ts';
import type { AccountEmails } from './emails.ts';
import { emailRulesOf, isMailboxFull } from './life/mailboxes.ts';
import type { LoginCodes } from './login-codes.ts';
import type { Recovery } from './recovery/recovery.ts';
import type { Sessions } from './sessions.ts';
import { checkSignUp, createAccount, REFUSALS, settingsOfGuest, type SignUp } from './sign-up.ts';

export interface SignInParts {
  readonly data: Data;
  readonly site: SiteService;
  readonly extensions: Extensions;
  readonly sessions: Sessions;
  readonly attempts: Attempts;
  readonly passwords: Passwords;
  readonly emails: AccountEmails;
  readonly users: CurrentUsers;
  readonly twoFactor: TwoFactor;
  readonly step: RequiredStep;
  readonly loginCodes: LoginCodes;
  readonly keepTickets: KeepTickets;
  readonly retiredNames: RetiredNames;
  readonly recovery: Recovery;
}

/** Calls for signing up, logging in and out, and changing the password. */
export function signInHandlers(parts: SignInParts): CallHandler[] {
  return [
    registerHandler(parts),
    loginHandler(parts),
    ...logoutHandlers(parts),
    changePasswordHandler(parts),
  ];
}

/** Sets the cookies of a log-in: the session, the known device and the person's language. */
function setLoginCookies(
  { sessions, attempts }: SignInParts,
  context: CallContext,
  token: string,
  person: Account,
): void {
  sessions.setCookie(context, token);
  attempts.rememberDevice(context.scope, person, context);
  if (person.settings.locale) context.setCookie(LOCALE_COOKIE, person.settings.locale, { httpOnly: false });
}

const registerHandler = (parts: SignInParts): CallHandler =>
  handleCall(register)(async (input, context) => {
    const { data, sessions, emails, users } = parts;
    const { scope, refuse } = context;
    const signUp: SignUp = {
      username: input.username,
      email: input.email,
      password: input.password,
      birthDate: input.birth_date,
      type: input.type,
      gender: input.gender ?? null,
      settings: settingsOfGuest(context),
    };
    const fault = checkSignUp(signUp, dayOf(data.clock.now()));
    if (fault) return refuse(REFUSALS[fault]);
    const { isDisposable, limit } = await emailRulesOf(parts, scope, input.email);
    if (isDisposable) return refuse(emailDisposable);
    const passwordHash = await parts.passwords.hash(input.password);
    const { own: siteName, all: siteNames } = await parts.site.namesOf(scope);
    if (posesAsStaff(input.username, siteNames)) return refuse(usernameTaken);
    const mayWrite = await emails.mayWrite(scope, normalizeEmail(input.email));
    const outcome = await data.tx(scope, async (tx) => {
      if (await isMailboxFull(tx, limit, { email: input.email, isConfirmed: false })) return mailboxFull;
      const person = await createAccount(tx, scope, signUp, {
        passwordHash,
        isEmailConfirmed: false,
        retiredNames: parts.retiredNames,
      });
      if (!person) return usernameTaken;
      await saveLastLogin(tx, person.id, placeOf(context.region).isoCode);
      await parts.loginCodes.remember(tx, person.id, context);
      await parts.extensions.one(personConsent).loggedIn(tx, person.id, context);
      for (const follow of parts.extensions.all(loggedIn)) await follow(tx, person.id, context);
      if (mayWrite) await emails.welcome(tx, person, context, siteName);
      return { person, token: await sessions.start(tx, person.id, context) };
    });
    if ('code' in outcome) return refuse(outcome);
    setLoginCookies(parts, context, outcome.token, outcome.person);
    return { status: 1 as const, user: await users.view(outcome.person, context) };
  });

const loginHandler = (parts: SignInParts): CallHandler =>
  handleCall(login)(async (input, context) => {
    const outcome = await provenLogin(parts, input, context, (tx, person, how) =>
      enter(parts, tx, person, context, how));
    if ('refusal' in outcome) {
      return context.refuse(...outcome.refusal);
    }
    const { done } = outcome;
    return 'refused' in done ? context.refuse(done.refused, done.detail) : entered(parts, context, done);
  });

type LoginDoubt = RefusalOf<typeof login>;
/** The counter of a log-in, the site's name, and whether it took a second step. */
interface LoggedIn {
  readonly account: AttemptSubject;
  readonly siteName: string;
  readonly isStepped: boolean;
}

/**
 * Checks name, password and codes of a log-in, counted by account and address, then runs `done` in the same
 * unit of work.
 * @param others ids of people to lock beside the one who logs in
 */
export async function provenLogin<Done>(
  parts: SignInParts,
  input: InputOf<typeof login>,
  context: CallContext,
  done: (tx: Tx, person: Account, how: LoggedIn) => Promise<Done>,
  others: readonly number[] = [],
): Promise<{ readonly refusal: readonly [LoginDoubt, RefusalDetail?] } | { readonly done: Done }> {
  const { data, site, attempts } = parts;
  const { scope } = context;
  const name = normalizeUsername(input.login);
  const found = await data.tx(scope, (tx) => findLogins(tx, name));
  const { tried, isKnown } = triedBy(parts, name, found, context);
  const accounts = tried.map(({ account }) => account);
  // A known browser has only its own counter, so that others at its address do not lock it out.
  const counted = isKnown ? accounts : [...accounts, ...attempts.ofAddress(context.address)];
  const waitSeconds = await attempts.count(scope, counted);
  if (waitSeconds > 0) return { refusal: [loginLocked, waiting(waitSeconds)] };
  const right = await rightOne(parts, name, input.password, tried);
  if (!right) return { refusal: [badCredentials] };
  const { renewed, person: { id, recoveries }, account } = right;
  const code = await countedCode(parts, scope, id, input.code);
  if ('waitSeconds' in code) return { refusal: [loginLocked, waiting(code.waitSeconds)] };
  const { display_name: siteName } = await site.viewOf(scope);
  const outcome = await data.tx(scope, async (tx) => {
    const found = await findById(tx, id);
    if (!mayEnter(found)) {
      const { refused, detail } = suspensionOf(found);
      return { refusal: [refused, detail] as const };
    }
    const [person] = await lockPeople(tx, [id, ...others]);
    // The account was recovered since the password was checked: the password may be another now.
    if (person?.recoveries !== recoveries) return { refusal: [badCredentials] as const };
    const second = await secondStep(parts, tx, code);
    // A code by email is no second step: the reader of the mail can set the password too.
    const step = second ?? await emailCode(parts, tx, person, context, { isKnown, code, siteName });
    if (isMissing(step)) return { refusal: [step] as const };
    if (person.deletionRequestedAt !== null) {
      const { refused, detail } = leavingOf(parts, tx, person, context);
      return { refusal: [refused, detail] as const };
    }
    if (renewed !== null) await savePassword(tx, id, renewed);
    return { done: await done(tx, person, { account, siteName, isStepped: second !== null }), step };
  });
  // Resets only this account's counter: another account of the address may belong to somebody who is still
  // being guessed at.
  if ('done' in outcome) {
    await Promise.all([attempts.clear(scope, account), attempts.clearCode(scope, outcome.step ?? null)]);
  }
  return outcome;
}

/** The counted code of a log-in: of the second step, or of the email in its place. */
async function countedCode(
  { data, attempts, twoFactor }: SignInParts,
  scope: Scope,
  personId: number,
  typed: string | undefined,
): ReturnType<Attempts['countCode']> {
  const isUsed = await data.tx(scope, (tx) => twoFactor.isUsed(tx, personId));
  return attempts.countCode(scope, isUsed ? 'second_step' : 'email_code', personId, typed);
}

/** Whether a person who proved who they are may log in. */
export const mayEnter = (person: Account | null): person is Account =>
  person !== null && person.suspendedAt === null && person.erasingSince === null;

/** The refusal of a person who may not log in, with its date, however they log in. */
export const suspensionOf = (person: Account | null) => (person !== null && person.suspendedAt === null
  ? { refused: inDeletion, detail: extra({ deletion_at: isoOf(person.deletionAt), ticket: null }) }
  : {
    refused: suspended,
    detail: extra({
      suspension_date: isoOf(person?.suspendedAt),
      suspension_cause: person?.suspensionCause ?? null,
      suspension_message: person?.suspensionMessage || null,
    }),
  });

const extra = (fields: Readonly<Record<string, unknown>>): RefusalDetail => ({ extra: fields });
const isoOf = (at: Date | null | undefined): string | null => at?.toISOString() ?? null;

/**
 * The refusal of a person who proved who they are and is deleting the account: when the deletion becomes
 * final, and a ticket to keep the account. Without a session they can do nothing else.
 */
const leavingOf = (
  { keepTickets }: Pick<SignInParts, 'keepTickets'>,
  tx: Tx,
  person: Account,
  context: CallContext,
) => ({
  refused: inDeletion,
  detail: extra({
    deletion_at: isoOf(person.deletionAt),
    ticket: keepTickets.seal(context, person, tx.now),
  }),
});

/** A person whose session has started. */
interface Entered {
  readonly person: Account;
  readonly token: string;
  readonly isStepped: boolean;
}

/**
 * Logs in a person who proved who they are, within a unit of work: starts their session, and sends an email
 * where the browser is new to them.
 */
export async function enter(
  parts: SignInParts,
  tx: Tx,
  person: Account,
  context: CallContext,
  { account, siteName, isStepped }: LoggedIn,
): Promise<Entered | ReturnType<typeof leavingOf>> {
  const { emails, extensions, sessions, loginCodes } = parts;
  if (person.deletionRequestedAt !== null) return leavingOf(parts, tx, person, context);
  await saveLastLogin(tx, person.id, placeOf(context.region).isoCode);
  await loginCodes.remember(tx, person.id, context);
  await extensions.one(personConsent).loggedIn(tx, person.id, context);
  for (const follow of extensions.all(loggedIn)) await follow(tx, person.id, context);
  const isNewDevice = account.kind !== 'device' && person.lastLoginAt !== null;
  if (isNewDevice) await emails.newDevice(tx, person, context, siteName);
  const token = await sessions.start(tx, person.id, context, isStepped ? tx.now : null);
  return { person, token, isStepped };
}

/** Sets the cookies of a log-in once it is committed, and returns its answer. */
export async function entered(
  parts: SignInParts,
  context: CallContext,
  { person, token, isStepped }: Entered,
) {
  setLoginCookies(parts, context, token, person);
  return { status: 1 as const, user: await parts.users.view(person, context, isStepped) };
}

type MissingCode = typeof codeRequired | typeof codeWrong | typeof emailCodeRequired | typeof emailCodeWrong;

/** Whether a code is missing or wrong, rather than right or not needed. */
export const isMissing = <Missing extends MissingCode>(
  step: Missing | RightCode | null,
): step is Missing => step !== null && 'code' in step;

/** The second step of a log-in: the right code, or why it is missing; null where none is needed. */
export async function secondStep(
  { twoFactor }: Pick<SignInParts, 'twoFactor'>,
  tx: Tx,
  code: CountedCode,
): Promise<typeof codeRequired | typeof codeWrong | RightCode | null> {
  const isTyped = code.kind === 'second_step' && code.typed.trim() !== '';
  if (!isTyped) return (await twoFactor.isOn(tx, code.personId)) ? codeRequired : null;
  const spent = await twoFactor.spend(tx, code);
  if (spent === 'off') return null;
  return spent === 'wrong' ? codeWrong : spent;
}

/**
 * The code by email: the right code, or why it is missing. Null where none is needed: two-step log-in
 * replaces it.
 */
async function emailCode(
  { twoFactor, loginCodes }: SignInParts,
  tx: Tx,
  person: Account,
  context: CallContext,
  { isKnown, code, siteName }: {
    readonly isKnown: boolean;
    readonly code: CountedCode;
    readonly siteName: string;
  },
): Promise<typeof emailCodeRequired | typeof emailCodeWrong | RightCode | null> {
  const { address } = context;
  if (await twoFactor.isOn(tx, person.id)) return null;
  if (!(await loginCodes.isNeeded(tx, person, { address, isKnownBrowser: isKnown }))) return null;
  if (code.typed.trim() !== '') {
    const right = await loginCodes.spend(tx, code);
    if (right === null) return emailCodeWrong;
    // The person has the password and reads the mail too, so the address is theirs.
    if (person.emailConfirmedAt !== null) await saveAddressProven(tx, person.id, true);
    return right;
  }
  await loginCodes.send(tx, person, context, siteName);
  return emailCodeRequired;
}

/** An account that a log-in tries, or none, and the counter of the attempt. */
interface Try {
  readonly login: Login | null;
  readonly account: AttemptSubject;
}

/** The accounts a log-in tries: a known browser tries its own only. */
function triedBy(
  { attempts }: SignInParts,
  name: string,
  found: readonly Login[],
  context: CallContext,
): { readonly tried: readonly Try[]; readonly isKnown: boolean } {
  const tryOf = (login: Login | null): Try => ({
    login,
    account: attempts.ofAccount(context, 'password', name, login?.person ?? null),
  });
  const tries = found.map(tryOf);
  const known = tries.filter(({ account }) => account.kind === 'device');
  if (known.length > 0) return { tried: known, isKnown: true };
  return { tried: tries.length > 0 ? tries : [tryOf(null)], isKnown: false };
}

/**
 * The account whose password is right, with the hash to store instead. Every username takes the same number
 * of checks, and so does every email address: the time does not reveal how many accounts there are.
 */
async function rightOne(
  { passwords }: SignInParts,
  name: string,
  password: string,
  tried: readonly Try[],
): Promise<(Login & Pick<PasswordCheck, 'renewed'> & Pick<Try, 'account'>) | null> {
  const pair = name.includes('@') ? [tried[0], tried[1]] : [tried[0]];
  const checked = await Promise.all(pair.map((item) => passwords.check(password, item?.login?.hash ?? null)));
  const at = checked.findIndex(({ isRight }) => isRight);
  const [right, check] = [pair[at], checked[at]];
  return right?.login && check ? { ...right.login, account: right.account, renewed: check.renewed } : null;
}

export const waiting = (seconds: number): RefusalDetail => ({
  retryAfterSeconds: seconds,
  values: { minutes: Math.ceil(seconds / 60) },
});

const logoutHandlers = ({ data, site, sessions, recovery }: SignInParts): CallHandler[] => [
  handleCall(logout)(async (_input, context) => {
    const { personId, sessionId } = context.caller;
    if (personId !== null && sessionId !== null) {
      await data.tx(context.scope, (tx) => sessions.end(tx, personId, { only: sessionId }));
    }
    sessions.clearCookie(context);
    return { status: 1 as const, redirect: await site.coRegistrationUrlOf(context.scope) };
  }),
  handleCall(logoutEverywhere)(async (_input, context) => {
    const { personId } = context;
    const { sessionsEnded } = await data.tx(context.scope, (tx) => recovery.end(tx, personId));
    sessions.clearCookie(context);
    return { status: 1 as const, sessions: sessionsEnded };
  }),
];

const changePasswordHandler = (parts: SignInParts): CallHandler =>
  handleCall(changePassword)(async ({ current, next }, context) => {
    const { data, recovery, attempts, emails } = parts;
    const { scope, caller, personId, refuse } = context;
    const counted = ofPerson('password', personId);
    const waitSeconds = await attempts.count(scope, [counted]);
    if (waitSeconds > 0) return refuse(loginLocked, waiting(waitSeconds));
    const known = await data.tx(scope, (tx) => passwordHashOf(tx, personId));
    const { isRight } = await parts.passwords.check(current, known);
    if (!isRight) return refuse(badCredentials);
    const fault = checkNewPassword(next, caller.username ?? '');
    if (fault) return refuse(REFUSALS[fault]);
    const passwordHash = await parts.passwords.hash(next);
    const site = await parts.site.viewOf(scope);
    const outcome = await data.tx(scope, async (tx) => {
      await lockCaller(tx, context);
      await savePassword(tx, personId, passwordHash);
      const recovered = await recovery.end(tx, personId, { stays: context });
      await tx.audit({ action: 'accounts.changePassword', actorId: personId, subject: `person:${personId}` });
      const person = await lockPerson(tx, personId);
      await emails.passwordChanged(tx, person, context, site.display_name);
      return { person, recovered };
    });
    recovery.goOn(context, outcome.person, outcome.recovered);
    await attempts.clear(scope, counted);
    return { status: 1 as const };
  });
