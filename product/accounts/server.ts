import type { CallHandler, DeadlineHandler, Slice } from '#platform/contract/bind.ts';
import type { Caller, Consent, PersonContext, Scope } from '#platform/contract/context.ts';
import { implement, type Extensions } from '#platform/contract/extension-point.ts';
import type { Blobs } from '#platform/data/blobs.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import type { RateLimitStore } from '#platform/data/limits/rate-limits.ts';
import type { HostPort, RequestFacts } from '#platform/http/host-port.ts';
import type { IdentityProvider } from '#platform/identities/identity-provider.ts';
import type { Pictures } from '#platform/images/pictures.ts';
import { dayOf } from '#platform/time/days.ts';
import { callers, kinds, recipient } from '#product/notices/extension-points.ts';
import type { NoticesService } from '#product/notices/server.ts';
import { blobNames } from '#product/site/extension-points.ts';
import type { SiteService } from '#product/site/server.ts';
import * as extensionPoints from './extension-points.ts';
import { ARGON2, type PasswordCost } from './rules.ts';
import type { SuspensionNotice } from './rules/staff/suspensions.ts';
import { avatarDeadlines, avatarHandlers } from './server/avatars.ts';
import { becomePerformerHandlers } from './server/become-performer.ts';
import { Attempts } from './server/credentials/attempts.ts';
import { Passwords } from './server/credentials/passwords.ts';
import { RequiredStep } from './server/credentials/required-step.ts';
import { twoFactorHandlers } from './server/credentials/two-factor-calls.ts';
import { TwoFactor } from './server/credentials/two-factor.ts';
import { lockCaller } from './server/credentials/ways-in.ts';
import {
  currentUserHandlers,
  CurrentUsers,
  describe,
  profileView,
  type Profile,
} from './server/current-user.ts';
import { deletionHandlers } from './server/deletion/deletion.ts';
import { erasureDeadlines, type ErasureParts } from './server/deletion/erasure.ts';
import { KeepTickets } from './server/deletion/keep-tickets.ts';
import { RetiredNames } from './server/deletion/retired-names.ts';
import { deviceHandlers } from './server/devices.ts';
import { AccountEmails, NEW_DEVICE } from './server/emails.ts';
import { emailHandlers } from './server/life/email.ts';
import { linkedHandlers } from './server/life/linked.ts';
import { ownDataHandlers, type OwnDataParts } from './server/life/own-data.ts';
import { peopleHandlers } from './server/life/people.ts';
import { usernameHandlers } from './server/life/username.ts';
import { LoginCodes } from './server/login-codes.ts';
import { passkeyHandlers } from './server/passkey-calls.ts';
import { Passkeys } from './server/passkeys.ts';
import { publishChange } from './server/person-changes.ts';
import { phoneHandlers } from './server/phones.ts';
import { Journeys } from './server/providers/journeys.ts';
import { providerHandlers, type ProviderParts } from './server/providers/provider-calls.ts';
import { providerSignUpHandler } from './server/providers/provider-sign-up.ts';
import { recipientsOf } from './server/recipients.ts';
import { passwordResetHandlers, resetDeadlines } from './server/recovery/password-reset.ts';
import { Recovery } from './server/recovery/recovery.ts';
import { restoreEmailDeadlines, restoreEmailHandlers } from './server/recovery/restore-email.ts';
import { waysInCheckHandlers } from './server/recovery/ways-in-check.ts';
import { Sessions } from './server/sessions.ts';
import { SettingsOfPeople } from './server/settings.ts';
import { signInHandlers } from './server/sign-in.ts';
import { checkSignUp, createAccount, type SignUp } from './server/sign-up.ts';
import { appoint, type Appointed, type Appointment, type AppointParts } from './server/staff/appoint.ts';
import { firstAdminHandlers, firstAdminToken } from './server/staff/first-admin.ts';
import { lookupHandlers } from './server/staff/lookup.ts';
import { roleHandlers, type RoleParts } from './server/staff/roles.ts';
import { stepResetHandlers, type StepResetParts } from './server/staff/second-step.ts';
import { ShownNames } from './server/staff/shown-names.ts';
import { withheldNameDeadlines, withheldNameSubscriptions } from './server/staff/withheld-names.ts';
import {
  findById,
  findMany,
  listPerformers,
  saveRole,
  saveSuspension,
  selectAdminIds,
  type Person,
} from './store.ts';
import { avatarBlob, avatarBlobs } from './store/avatars.ts';
import { findByName } from './store/life/usernames.ts';

export { firstLogins } from './server/life/first-login.ts';
export type { Appointed } from './server/staff/appoint.ts';
export type { Person } from './store.ts';

export interface AccountsService {
  /**
   * By lower-case username, current or given up within 90 days. Null for none, and for people who are
   * deleting their account: to everybody else they are gone.
   */
  readonly findByUsername: (tx: Tx, username: string) => Promise<Person | null>;
  /** The same, including people who are deleting their account, for staff who look into payments. */
  readonly findForStaff: (tx: Tx, username: string) => Promise<Person | null>;
  /** Whether a lower-case username that nobody has now was that of a performer who was erased. */
  readonly wasErased: (tx: Tx, username: string) => Promise<boolean>;
  readonly findById: (tx: Tx, id: number) => Promise<Person | null>;
  /** Whether somebody's email address is confirmed; false for an unknown id. */
  readonly isEmailConfirmed: (tx: Tx, id: number) => Promise<boolean>;
  /** Filters people to those whose email address is confirmed. */
  readonly confirmedAmong: (tx: Tx, ids: readonly number[]) => Promise<ReadonlySet<number>>;
  readonly findMany: (tx: Tx, ids: readonly number[]) => Promise<ReadonlyMap<number, Person>>;
  /**
   * Filters people to the site's staff. The badge beside a name follows from roles that count now, never from
   * anything a person can type.
   */
  readonly staffAmong: (tx: Tx, people: Iterable<Person>) => Promise<ReadonlySet<number>>;
  /** Ids of admins who may act, at most 50: they are notified of what needs an admin. */
  readonly adminIds: (tx: Tx) => Promise<readonly number[]>;
  /** Performers (type model), oldest first, at most `limit`, for admin pages and read models. */
  readonly listPerformers: (tx: Tx, after: number, limit: number) => Promise<readonly Person[]>;
  /**
   * Creates an account without HTTP, for seeds and tests. Same rules as register; throws where that refuses.
   * The address counts as confirmed, and no email is sent. `passwordHash` (of the same password, from
   * `hashPassword`) avoids hashing it again where many accounts share one; `createdAt` makes an old account.
   */
  readonly create: (
    scope: Scope,
    account: SignUp & { passwordHash?: string; createdAt?: Date },
  ) => Promise<Person>;
  readonly hashPassword: (password: string) => Promise<string>;
  /**
   * Suspends (ending all sessions) or reinstates somebody, with an entry in the audit log; `notice` is what
   * they read about it.
   */
  readonly suspend: (tx: Tx, personId: number, order: {
    suspended: boolean;
    actorId: number | null;
    reason: string;
    notice?: SuspensionNotice;
  }) => Promise<void>;
  /** Turns somebody's role `remote_logging` on or off: whether their pages send their console output. */
  readonly setRemoteLogging: (tx: Tx, personId: number, isOn: boolean) => Promise<void>;
  /** Whether somebody is not a performer for now, because the required second step is missing. */
  readonly lacksSecondStep: (tx: Tx, person: Person) => Promise<boolean>;
  /** Whether going live is closed for now: the site needs an admin, and nobody could act as one. */
  readonly lacksAdmin: (tx: Tx) => Promise<boolean>;
  /**
   * The token that makes the logged-in person who uses it the first admin, once and within a day; null where
   * there is an admin. A new token ends the one before.
   */
  readonly firstAdminToken: (tx: Tx) => Promise<string | null>;
  /** Id of the blob of somebody's avatar (WebP); null without one. */
  readonly avatarBlob: (tx: Tx, personId: number) => Promise<string | null>;
  /** Makes an account an admin's, for the operator of the machine. */
  readonly appoint: (scope: Scope, appointment: Appointment) => Promise<Appointed>;
  /** What somebody's profile says beside their own words; empty for an unknown id. */
  readonly profileOf: (tx: Tx, personId: number) => Promise<Profile>;
  /** Sends somebody's settings to all their tabs, after a slice changed one that it owns. */
  readonly sendSettings: (tx: Tx, personId: number) => Promise<void>;
  /**
   * Locks the caller while a grant is issued (`extension-points.ts`), against a concurrent recovery.
   * @throws CallerGone when they were logged out meanwhile
   */
  readonly lockCaller: (tx: Tx, context: Pick<PersonContext, 'caller' | 'personId'>) => Promise<Person>;
  /** For the HTTP host and the gateway. */
  readonly resolveCaller: (
    scope: Scope,
    request: RequestFacts,
  ) => Promise<{ readonly caller: Caller; readonly csrf: string | null; readonly allowed: Consent | null }>;
  readonly startGuest: HostPort['startGuest'];
  /** `from` is the caller of the request with the token: only the token's own session can use it. */
  readonly redeemNodeToken: (
    scope: Scope,
    token: string,
    from: Pick<Caller, 'sessionId'>,
  ) => Promise<Caller | null>;
  /** `user` of v3.authorize.success. */
  readonly describeCaller: (scope: Scope, caller: Caller) => Promise<unknown>;
}

export type AccountsSlice = Slice<AccountsService>;

export interface AccountsDependencies {
  readonly data: Data;
  readonly extensions: Extensions;
  readonly limits: RateLimitStore;
  readonly blobs: Blobs;
  /** Processes the pictures of all slices. */
  readonly pictures: Pictures;
  readonly text: HostPort['text'];
  readonly site: SiteService;
  readonly notices: NoticesService;
  /** The providers for log-in at the site with this host name. */
  readonly identityProvidersAt: (host: string) => readonly IdentityProvider[];
  /**
   * Keys of cookies, tokens and digests are derived from it: at least 32 characters, the same in every
   * process and after every restart. Changing it logs everybody out.
   */
  readonly secret: string;
  /** Whether emails reach people: then log-ins from new browsers and networks need a code by email. */
  readonly asksLoginCodes: boolean;
  /** Whether staff log in with two steps or by a passkey: everywhere but in a demo. */
  readonly staffNeedsSecondStep?: boolean | undefined;
  /** Whether nobody may go live before somebody could act as an admin. */
  readonly needsAdmin?: boolean | undefined;
  /** The cost of hashing a password: OWASP's choice, except in tests. */
  readonly passwordCost?: PasswordCost | undefined;
}

/** With a guessable secret anybody could forge guest sessions and CSRF tokens. */
const MIN_SECRET_LENGTH = 32;

function assertSecret({ length }: string): void {
  if (length < MIN_SECRET_LENGTH) throw new Error(`the secret needs ${MIN_SECRET_LENGTH} characters`);
}

const EXTENSIONS = [
  implement(kinds, () => [NEW_DEVICE]),
  implement(blobNames, () => avatarBlobs),
  implement(callers, async (tx, context) => void (await lockCaller(tx, context))),
];

/** Who people are, and what they may do. */
export function accountsSlice(
  {
    data,
    extensions,
    limits,
    blobs,
    pictures,
    text,
    site,
    notices,
    identityProvidersAt,
    secret,
    asksLoginCodes,
    staffNeedsSecondStep = false,
    needsAdmin = false,
    passwordCost = ARGON2,
  }: AccountsDependencies,
): AccountsSlice {
  assertSecret(secret);
  const step = new RequiredStep(site, staffNeedsSecondStep);
  const sessions = new Sessions({ data, secret, notices, step, extensions });
  const attempts = new Attempts(secret, limits);
  const passwords = new Passwords(passwordCost);
  const emails = new AccountEmails(notices, site, limits, secret);
  const twoFactor = new TwoFactor(secret);
  const loginCodes = new LoginCodes(secret, emails, asksLoginCodes);
  const retiredNames = new RetiredNames(secret);
  const keepTickets = new KeepTickets(secret);
  const settings = new SettingsOfPeople(extensions, publishChange);
  const users = new CurrentUsers({ data, extensions, site, settings, twoFactor, step, notices });
  const recovery = new Recovery({ extensions, sessions, loginCodes, attempts, notices });
  const service: AccountsService = {
    ...findingPeople(retiredNames, new ShownNames(step, site)),
    staffAmong: (tx, people) => step.staffAmong(tx, people),
    hashPassword: (password) => passwords.hash(password),
    create: creatingWith({ data, passwords, retiredNames }),
    suspend: suspendingWith(sessions),
    lockCaller,
    avatarBlob,
    setRemoteLogging: (tx, personId, isOn) => saveRole(tx, personId, 'remote_logging', isOn),
    ...comingToStaff({ data, emails, retiredNames, recovery, secret, step, needsAdmin }),
    profileOf: async (tx, personId) => profileView(await findById(tx, personId)),
    sendSettings: async (tx, personId) => {
      const person = await findById(tx, personId);
      if (person) await settings.send(tx, person);
    },
    resolveCaller: (scope, request) => sessions.resolve(scope, request),
    startGuest: async (scope, request) => sessions.startGuest(scope, request),
    redeemNodeToken: (scope, token, from) => sessions.redeem(scope, token, from),
    describeCaller: (scope, caller) => describe(data, scope, caller),
  };
  const ways = {
    attempts,
    passwords,
    emails,
    users,
    twoFactor,
    step,
    loginCodes,
    keepTickets,
    retiredNames,
    recovery,
  };
  const signIn = { data, site, extensions, sessions, ...ways };
  const life = { ...signIn, notices, secret, earlierRows: notices.ownRows };
  const callHandlers = [
    ...signInHandlers(signIn),
    ...staffHandlers(signIn, secret, service.suspend),
    ...passkeyHandlers({ ...signIn, passkeys: new Passkeys(secret) }),
    ...providersHandlers({ ...signIn, identityProvidersAt, journeys: new Journeys(secret) }),
    ...passwordResetHandlers(signIn),
    ...twoFactorHandlers(signIn),
    ...deviceHandlers(data, sessions),
    ...avatarHandlers({ data, extensions, blobs, pictures, text }),
    ...currentUserHandlers({ data, site, extensions, sessions, users, settings }),
    ...lifeHandlers(life),
    ...phoneHandlers({ ...life, limits, settings }),
  ];
  return {
    name: 'accounts',
    service,
    extensionPoints,
    callHandlers,
    extensions: [...EXTENSIONS, implement(recipient, recipientsOf(settings))],
    deadlineHandlers: [...avatarDeadlines({ blobs }), ...lifeDeadlines(life)],
    subscriptions: withheldNameSubscriptions({ data, step }),
  };
}

/** Creates accounts that nobody signed up for: of the demo, and of an installation's own tools. */
function creatingWith(
  { data, passwords, retiredNames }: Pick<AccountsDependencies, 'data'> & {
    readonly passwords: Passwords;
    readonly retiredNames: RetiredNames;
  },
): AccountsService['create'] {
  return async (scope, { passwordHash, createdAt, ...signUp }) => {
    const fault = checkSignUp(signUp, dayOf(data.clock.now()));
    if (fault) throw new Error(`account ${signUp.username} refused: ${fault}`);
    const hash = passwordHash ?? (await passwords.hash(signUp.password));
    const person = await data.tx(scope, (tx) =>
      createAccount(tx, scope, signUp, {
        passwordHash: hash,
        isEmailConfirmed: true,
        retiredNames,
        ...(createdAt === undefined ? {} : { createdAt }),
      }));
    if (!person) throw new Error(`account ${signUp.username} refused: its username or email is taken`);
    return person;
  };
}

const providersHandlers = (
  parts: ProviderParts,
): CallHandler[] => [...providerHandlers(parts), providerSignUpHandler(parts)];

const lifeDeadlines = (
  parts: ErasureParts & Parameters<typeof resetDeadlines>[0],
): DeadlineHandler[] => [
  ...erasureDeadlines(parts),
  ...resetDeadlines(parts),
  ...restoreEmailDeadlines(parts.data),
  ...withheldNameDeadlines(parts),
];

type Staffing = Pick<AccountsService, 'lacksSecondStep' | 'lacksAdmin' | 'firstAdminToken' | 'appoint'>;
interface StaffingParts extends AppointParts {
  readonly secret: string;
  readonly step: RequiredStep;
  readonly needsAdmin: boolean;
}

/** Whether an admin could act, and how the first admin is appointed. */
const comingToStaff = ({ secret, step, needsAdmin, ...parts }: StaffingParts): Staffing => ({
  lacksSecondStep: async (tx, person) =>
    (await step.rolesOf(tx, person)).withheld?.includes('performer') ?? false,
  lacksAdmin: async (tx) => needsAdmin && !(await step.hasActingAdmin(tx)),
  firstAdminToken: (tx) => firstAdminToken(secret, tx),
  appoint: (scope, appointment) => appoint(parts, scope, appointment),
});

/** What admins do with accounts, and how the first admin is appointed. */
const staffHandlers = (
  parts: RoleParts & StepResetParts,
  secret: string,
  suspend: AccountsService['suspend'],
): CallHandler[] => [
  ...peopleHandlers(parts.data, suspend),
  ...lookupHandlers(parts.data),
  ...roleHandlers(parts),
  ...stepResetHandlers(parts),
  ...firstAdminHandlers(parts.data, secret),
];

/** What people do with their account as a whole. */
const lifeHandlers = (parts: OwnDataParts & ErasureParts): CallHandler[] => [
  ...waysInCheckHandlers(parts.data),
  ...becomePerformerHandlers(parts),
  ...usernameHandlers(parts),
  ...emailHandlers(parts),
  ...restoreEmailHandlers(parts),
  ...linkedHandlers(parts),
  ...ownDataHandlers(parts),
  ...deletionHandlers(parts),
];

type Finding = Pick<
  AccountsService,
  | 'isEmailConfirmed'
  | 'confirmedAmong'
  | 'findByUsername'
  | 'findForStaff'
  | 'wasErased'
  | 'findById'
  | 'findMany'
  | 'listPerformers'
  | 'adminIds'
>;

/** Finds people by the names they are shown by; admins find accounts by what is stored. */
const findingPeople = (retiredNames: RetiredNames, shown: ShownNames): Finding => ({
  isEmailConfirmed: async (tx, id) => (await findById(tx, id))?.emailConfirmedAt != null,
  confirmedAmong: async (tx, ids) =>
    new Set([...(await findMany(tx, ids)).values()]
      .flatMap(({ id, emailConfirmedAt }) => (emailConfirmedAt === null ? [] : [id]))),
  findByUsername: async (tx, username) => {
    const found = await findByName(tx, username);
    return found?.deletionRequestedAt == null ? shown.ofOne(tx, found) : null;
  },
  findForStaff: findByName,
  wasErased: async (tx, username) =>
    await findByName(tx, username) === null && retiredNames.wasPerformer(tx, username),
  findById: async (tx, id) => shown.ofOne(tx, await findById(tx, id)),
  findMany: async (tx, ids) => {
    const found = await findMany(tx, ids);
    return new Map((await shown.of(tx, [...found.values()])).map((person) => [person.id, person]));
  },
  listPerformers: async (tx, after, limit) => shown.of(tx, await listPerformers(tx, after, limit)),
  adminIds: selectAdminIds,
});

/** A suspension without a cause or a message. */
const UNTOLD: SuspensionNotice = { cause: null, message: '' };
/** Suspends and reinstates people; a suspension ends their sessions. */
const suspendingWith =
  (sessions: Sessions): AccountsService['suspend'] =>
  async (tx, personId, { suspended, actorId, reason, notice = UNTOLD }) => {
    await saveSuspension(tx, personId, suspended ? notice : null);
    if (suspended) await sessions.end(tx, personId, { allBut: null });
    const action = suspended ? 'accounts.suspend' : 'accounts.reinstate';
    await tx.audit({ action, actorId, subject: `person:${personId}`, reason });
    const person = await findById(tx, personId);
    if (person) await publishChange(tx, person);
  };
