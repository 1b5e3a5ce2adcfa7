import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { InputOf } from '#platform/contract/call.ts';
import type { CallContext, Caller, Scope } from '#platform/contract/context.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { cleanLines } from '#platform/text/clean-text.ts';
import type { NoticesService } from '#product/notices/server.ts';
import type { SiteService } from '#product/site/server.ts';
import {
  aboutBlocked,
  displayNameRefused,
  getAuthState,
  getCurrentUser,
  updateProfile,
} from '../contract.ts';
import type { CurrentUserAnswerView, CurrentUserView, SocialMediaView } from '../contract/current-user.ts';
import {
  balance,
  blockedWords,
  purchases,
  userPart,
  verification,
  type AddedAnswerFields,
  type AddedUserFields,
  type PurchaseFields,
} from '../extension-points.ts';
import { GUEST_PREFIX, isAuthenticated, placeOf } from '../rules.ts';
import { displayNameOf } from '../rules/life/posing.ts';
import { isAdmin, mayUse } from '../rules/permissions.ts';
import { DEFAULT_SETTINGS, type Twitter } from '../rules/settings.ts';
import { findById, updatePerson, type Account } from '../store.ts';
import type { StoredSocialMedia } from '../store/columns.ts';
import { linkedNamesOf } from '../store/life/linked.ts';
import { findSession, steppedAtOf } from '../store/sessions.ts';
import type { RequiredStep } from './credentials/required-step.ts';
import type { TwoFactor } from './credentials/two-factor.ts';
import { lockCaller } from './credentials/ways-in.ts';
import { publishChange } from './person-changes.ts';
import { waysInOf } from './recovery/ways-in-check.ts';
import type { Sessions } from './sessions.ts';
import { settingsHandler, split, type SettingsOfPeople } from './settings.ts';

/** The answer of GET /user/current without the socket token. */
type OwnView = Omit<CurrentUserAnswerView, 'node_token'>;

interface UserViewParts {
  readonly data: Data;
  readonly site: SiteService;
  readonly extensions: Extensions;
  readonly settings: SettingsOfPeople;
  readonly twoFactor: TwoFactor;
  readonly step: RequiredStep;
  readonly notices: Pick<NoticesService, 'unreadOf'>;
}

/** The current user as on the wire, with the fields of later slices. */
export class CurrentUsers {
  readonly #parts: UserViewParts;

  constructor(parts: UserViewParts) {
    this.#parts = parts;
  }

  /** @param isStepped whether the session took a second step, where that is known; else it is looked up */
  async view(person: Account, viewed: CallContext, isStepped?: boolean): Promise<CurrentUserView> {
    return (await this.full(person, viewed, isStepped)).user;
  }

  full(person: Account, viewed: CallContext, isStepped?: boolean): Promise<OwnView> {
    const { data, site, extensions: { one, all }, settings, twoFactor, step, notices } = this.#parts;
    return data.read(viewed.scope, async (tx) => {
      // Concurrently: each owner reads its own rows, and together they take a few round trips.
      const [
        tokens,
        verified,
        { user: bought, purchases: ofPurchases },
        parts,
        values,
        { tipBlockedCountries },
        unread,
        isTwoFactorUsed,
        stepDue,
        linked,
        waysIn,
      ] = await Promise.all([
        one(balance)(tx, person.id),
        one(verification)(tx, person.id, viewed.region),
        one(purchases)(tx, person.id),
        Promise.all(all(userPart).map((part) => part.read(tx, person, viewed))),
        settings.of(tx, person),
        site.settingsIn(tx),
        notices.unreadOf(tx, person.id),
        twoFactor.isUsed(tx, person.id),
        stepDueOf(step, tx, person, viewed, isStepped),
        linkedNamesOf(tx, person.id),
        waysInOf(tx, person),
      ]);
      const added = { ...NOTHING_ADDED };
      for (const part of parts) Object.assign(added, part);
      const { ofAnswer, ofUser } = sorted(added);
      const own = split(values);
      const isHidden = own.settings.hide_linked_accounts === 'YES';
      const user = {
        ...guestView('', viewed),
        ...ofUser,
        ...personView(person),
        ...verified,
        ...bought,
        is_premium: bought.membership !== null,
        notificationUnreadCount: unread,
        lastLoginCountryTipBlocked: tipBlockedCountries.includes(person.lastLoginCountry ?? ''),
        ...stepView(isTwoFactorUsed),
        ...stepDue,
        ways_in_to_check: waysIn.length > 0,
      };
      return {
        user,
        tokens,
        ...ofPurchases,
        ...ofAnswer,
        ...own,
        linkedAccounts: isHidden ? [] : linked,
        languageList: [...person.languages],
        socialMedia: socialMediaView(person),
        isAutosilenced: user.autosilenced,
      };
    });
  }

  guest(username: string, viewed: CallContext): Promise<OwnView> {
    return this.#parts.data.read(viewed.scope, async (tx) => ({
      user: guestView(username, viewed),
      tokens: 0,
      ...NO_PURCHASES,
      ...sorted(NOTHING_ADDED).ofAnswer,
      ...split(await this.#parts.settings.of(tx, null)),
      languageList: [],
      socialMedia: socialMediaView(null),
      isAutosilenced: false,
    }));
  }
}

/** What a person says about themselves, and what the site knows about the account. */
const personView = (person: Account) => ({
  id: person.id,
  username: person.username,
  display_name: person.displayName,
  email: person.email,
  gender: person.gender,
  type: person.type,
  created_at: person.createdAt.toISOString(),
  birth_date: person.birthDate,
  country_code: person.lastLoginCountry,
  email_confirmed: person.emailConfirmedAt !== null,
  user_roles: [...person.roles],
  isAdmin: isAdmin(person.roles),
  isSuperAdmin: person.roles.includes('super_admin'),
  suspension_date: person.suspendedAt?.toISOString() ?? null,
  avatar_url: person.avatarUrl,
  about: person.about,
  languages: [...person.languages],
});

/** When a second step is due, and whether only this session lacks it. */
async function stepDueOf(
  step: RequiredStep,
  tx: Tx,
  person: Account,
  { caller }: CallContext,
  isStepped: boolean | undefined,
) {
  const steppedAt = isStepped === undefined
    ? await steppedAtOf(tx, caller.sessionId)
    : isStepped
    ? tx.now
    : null;
  const due = await step.dueIn(tx, { person, steppedAt });
  return {
    two_factor_required_by: due?.toISOString() ?? null,
    two_factor_at_log_in: due !== null && await step.isPassedBy(tx, { person, steppedAt }),
  };
}

const stepView = (isOn: boolean) => ({
  has2faEnabled: isOn,
  two_factor_auth_type: isOn ? 'totp' as const : null,
});

/** Neutral values of the fields of later slices. */
const NOTHING_ADDED: AddedUserFields & AddedAnswerFields = {
  tags: [],
  following: [],
  free_tokens_on_hold: 0,
  studio: null,
  is_studio_owner: false,
  is_substudio_manager: false,
  is_direct_pay: false,
  is_studio_pay: false,
  model_data: null,
  fraud_percent: null,
  isSuperWhale: false,
  isVoyeurCam: false,
  isOnVpn: false,
  canAbTest: false,
  ageVerification: {
    required: false,
    methods: { yoti: null, zendesk: null },
    creditCardRequired: false,
  },
  requires_credit_card_affidavit: false,
  showSupportPhone: false,
  modelFanClubList: [],
  autosilenced: false,
  compliance_reject_reason: null,
  media_ids: [],
  fanclub_membership_list: [],
  has_fans_subscription: false,
  linkedAccounts: [],
  pm_allowed_list: [],
  pm_blocked_list: [],
  promoSpotSecondsLeft: null,
};

/** Splits the added fields into those of the user and those of the answer around it. */
function sorted(added: AddedUserFields & AddedAnswerFields): {
  readonly ofUser: AddedUserFields;
  readonly ofAnswer: AddedAnswerFields;
} {
  const {
    media_ids,
    fanclub_membership_list,
    has_fans_subscription,
    linkedAccounts,
    pm_allowed_list,
    pm_blocked_list,
    promoSpotSecondsLeft,
    ...ofUser
  } = added;
  return {
    ofUser,
    ofAnswer: {
      media_ids,
      fanclub_membership_list,
      has_fans_subscription,
      linkedAccounts,
      pm_allowed_list,
      pm_blocked_list,
      promoSpotSecondsLeft,
    },
  };
}

const guestView = (username: string, { region, locale, address }: CallContext): CurrentUserView => ({
  ...sorted(NOTHING_ADDED).ofUser,
  id: null,
  username,
  display_name: username,
  email: null,
  gender: null,
  type: 'user',
  membership: null,
  is_premium: false,
  created_at: null,
  birth_date: null,
  country_code: null,
  geo: { ip: address, ...placeOf(region), locale },
  email_confirmed: false,
  identity_confirmed: false,
  compliance_status: null,
  user_roles: [],
  isAdmin: false,
  isSuperAdmin: false,
  notificationUnreadCount: 0,
  ...stepView(false),
  two_factor_required_by: null,
  two_factor_at_log_in: false,
  ways_in_to_check: false,
  suspension_date: null,
  avatar_url: null,
  about: '',
  languages: [],
  lastLoginCountryTipBlocked: false,
  lastLoginCountryPurchaseBlocked: false,
  vault_wheel: { spins: 0 },
});

const NO_PURCHASES: PurchaseFields = {
  has_cc: false,
  has_purchase: false,
  premium_winback_offer: null,
  premium_grandfathered_offer: null,
  lastPayment: null,
};

/** Pages elsewhere. The Twitter name is a separate setting, shown only while that allows it. */
function socialMediaView(person: Account | null): SocialMediaView {
  const { amazon, bluesky, instagram } = person?.socialMedia ?? {};
  const twitter: Twitter = person?.settings.twitter ?? DEFAULT_SETTINGS.twitter;
  return {
    amazon: amazon || null,
    bluesky: bluesky || null,
    instagram: instagram || null,
    twitter: twitter.is_enabled && twitter.is_valid ? twitter.username : null,
  };
}

/** What a performer's profile says beside their own words. */
export interface Profile {
  /** Pages elsewhere that they link to. */
  readonly socialMedia: SocialMediaView;
  /** Whether several people are on camera. */
  readonly isGroup: boolean;
}

export const profileView = (person: Account | null): Profile => ({
  socialMedia: socialMediaView(person),
  isGroup: person?.settings.broadcast_category === 'group',
});

/** The `user` of `v3.authorize.success`: the fields by which a client identifies its user. */
export async function describe(data: Data, scope: Scope, caller: Caller): Promise<unknown> {
  const { personId } = caller;
  const person = personId === null ? null : await data.tx(scope, (tx) => findById(tx, personId));
  const username = person?.username ?? caller.username ?? GUEST_PREFIX;
  return {
    id: personId,
    username,
    display_name: person?.displayName ?? username,
    type: person?.type ?? 'user',
    user_roles: person?.roles ?? [],
  };
}

export interface CurrentUserParts {
  readonly data: Data;
  readonly site: SiteService;
  readonly extensions: Extensions;
  readonly sessions: Sessions;
  readonly users: CurrentUsers;
  readonly settings: SettingsOfPeople;
}

/** Calls that read and change the caller's own account. */
export function currentUserHandlers(parts: CurrentUserParts): CallHandler[] {
  return [...readHandlers(parts), ...changeHandlers(parts)];
}

const readHandlers = ({ data, sessions, users }: CurrentUserParts): CallHandler[] => [
  handleCall(getCurrentUser)(async (_input, context) => {
    const { caller, scope } = context;
    const { sessionId } = caller;
    const session = caller.kind === 'person' && sessionId !== null
      ? await data.read(scope, (tx) => findSession(tx, { digest: sessionId }))
      : null;
    const view = session
      ? await users.full(session.person, context, session.steppedAt !== null)
      : await users.guest(caller.username ?? GUEST_PREFIX, context);
    return { ...view, node_token: sessions.nodeToken(scope, context, session) };
  }),
  handleCall(getAuthState)(async (_input, context) => {
    const { personId } = context.caller;
    const person = personId === null ? null : await data.tx(context.scope, (tx) => findById(tx, personId));
    const user = person ? await users.view(person, context) : null;
    return { authenticated: isAuthenticated(user), username: context.caller.username, user };
  }),
];

/** Pages elsewhere as saved: names without the at sign. */
type TypedPages = NonNullable<InputOf<typeof updateProfile>['social_media']>;
const socialMediaOf = (pages: TypedPages): StoredSocialMedia =>
  Object.fromEntries(
    Object.entries(pages).flatMap((
      [service, typed],
    ) => (typed === undefined ? [] : [[service, typed.replace(/^@/u, '')]])),
  );

const changeHandlers = ({ data, site, extensions, users, settings }: CurrentUserParts): CallHandler[] => [
  handleCall(updateProfile)(async (input, context) => {
    const { personId } = context;
    const { display_name: typedName, about: typed, social_media: pages, ...rest } = input;
    const isStaff = mayUse('moderator', context.caller.roles);
    const about = typed === undefined ? undefined : cleanLines(typed);
    const socialMedia = pages === undefined ? undefined : socialMediaOf(pages);
    const person = await data.tx(context.scope, async (tx) => {
      const { displayName } = await lockCaller(tx, context);
      const name = typedName === undefined
        ? undefined
        : displayNameOf(typedName, isStaff ? null : await site.namesIn(tx));
      // A name saved before these rules stays until it is changed.
      const isOwn = name === null && typedName === displayName;
      if (name === null && !isOwn) return 'name';
      if (about && await extensions.one(blockedWords)(tx, about)) return 'blocked';
      await updatePerson(tx, personId, { ...rest, displayName: name ?? undefined, about, socialMedia });
      const changed = await findById(tx, personId);
      if (changed) await publishChange(tx, changed);
      return changed;
    });
    if (person === 'name') return context.refuse(displayNameRefused);
    if (person === 'blocked') return context.refuse(aboutBlocked);
    return { status: 1 as const, user: await users.view(person as Account, context) };
  }),
  settingsHandler(data, settings),
];
