import { handleCall, type CallHandler } from '../../../platform/contract/bind.ts';
import type { CallContext, Caller, Scope } from '../../../platform/contract/context.ts';
import type { Extensions } from '../../../platform/contract/extension-point.ts';
import type { Data, Tx } from '../../../platform/data/data.ts';
import { cleanLines } from '../../../platform/text/clean-text.ts';
import type { SiteService } from '../../site/server.ts';
import { LOCALE_COOKIE } from '../../site/rules.ts';
import {
  aboutBlocked, confirmEmail, getAuthState, getCurrentUser, linkInvalid, personChanged, resendEmail,
  updateProfile, updateSettings,
  type CurrentUserView,
} from '../contract.ts';
import { balance, blockedWords, purchases, verification, type PurchaseFields } from '../extension-points.ts';
import {
  DEFAULT_SETTINGS, GUEST_PREFIX, isAuthenticated, placeOf, type StoredSettings,
} from '../rules.ts';
import { isAdmin } from '../rules/permissions.ts';
import { findById, findSession, mergeSettings, updatePerson, type Account } from '../store.ts';
import type { AccountEmails } from './emails.ts';
import type { Sessions } from './sessions.ts';

type ViewContext = Pick<CallContext, 'scope' | 'region' | 'locale'>;

/** The language choice lasts as long as browsers store cookies (RFC 6265bis §5.5: 400 days). */
const LOCALE_SECONDS = 400 * 24 * 3600;

/** The current user as on the wire, with the fields of later slices. */
export class CurrentUsers {
  readonly #parts: Pick<CurrentUserParts, 'data' | 'site'> & { readonly extensions: Extensions };

  constructor(parts: Pick<CurrentUserParts, 'data' | 'site'> & { readonly extensions: Extensions }) {
    this.#parts = parts;
  }

  async view(person: Account, viewed: ViewContext): Promise<CurrentUserView> {
    return (await this.full(person, viewed)).user;
  }

  async isPostpay(personId: number, { scope }: ViewContext): Promise<boolean> {
    const { data, extensions } = this.#parts;
    const bought = await data.tx(scope, (tx) => extensions.one(purchases)(tx, personId));
    return bought.purchases.postpay;
  }

  async full(
    person: Account, { scope, region, locale }: ViewContext,
  ): Promise<{ user: CurrentUserView; tokens: number; purchases: PurchaseFields }> {
    const { data, site, extensions: { one } } = this.#parts;
    const added = await data.tx(scope, async (tx) => ({
      tokens: await one(balance)(tx, person.id),
      verified: await one(verification)(tx, person.id, region),
      bought: await one(purchases)(tx, person.id),
      settings: await site.settingsIn(tx),
    }));
    const country = person.lastLoginCountry;
    const own = {
      id: person.id,
      username: person.username,
      display_name: person.displayName,
      email: person.email,
      gender: person.gender,
      type: person.type,
      created_at: person.createdAt.toISOString(),
      birth_date: person.birthDate,
      email_confirmed: person.emailConfirmedAt !== null,
      user_roles: [...person.roles],
      isAdmin: isAdmin(person.roles),
      isSuperAdmin: person.roles.includes('super_admin'),
      suspension_date: person.suspendedAt?.toISOString() ?? null,
      avatar_url: person.avatarUrl,
      about: person.about,
      languages: [...person.languages],
      lastLoginCountryTipBlocked: country !== null && added.settings.tipBlockedCountries.includes(country),
    };
    const user = { ...guestView('', region, locale), ...own, ...added.verified, ...added.bought.user };
    return { user, tokens: added.tokens, purchases: added.bought.purchases };
  }
}

const guestView = (username: string, region: string, locale: string): CurrentUserView => ({
  id: null, username, display_name: username, email: null, gender: null, type: 'user', membership: null,
  created_at: null, birth_date: null, geo: { ...placeOf(region), locale }, email_confirmed: false,
  identity_confirmed: false, compliance_status: null,
  ageVerification: { required: false, creditCardRequired: false }, user_roles: [],
  isAdmin: false, isSuperAdmin: false, suspension_date: null, avatar_url: null, about: '',
  languages: [], lastLoginCountryTipBlocked: false, lastLoginCountryPurchaseBlocked: false,
  vault_wheel: { spins: 0 },
});

const NO_PURCHASES: PurchaseFields = {
  has_cc: false, has_purchase: false, premium_winback_offer: null, premium_grandfathered_offer: null,
  postpay: false,
};

const settingsView = (stored: StoredSettings, locale: string, postpay: boolean) =>
  ({ ...DEFAULT_SETTINGS, locale, ...stored, postpay });

/** The `user` of `v3.authorize.success`: the fields by which a client identifies its user. */
export async function describe(data: Data, scope: Scope, caller: Caller): Promise<unknown> {
  const { personId } = caller;
  const person = personId === null ? null : await data.tx(scope, (tx) => findById(tx, personId));
  const username = person?.username ?? caller.username ?? GUEST_PREFIX;
  return {
    id: personId, username, display_name: person?.displayName ?? username, type: person?.type ?? 'user',
    user_roles: person?.roles ?? [],
  };
}

export interface CurrentUserParts {
  readonly data: Data;
  readonly site: SiteService;
  readonly extensions: Extensions;
  readonly sessions: Sessions;
  readonly emails: AccountEmails;
  readonly users: CurrentUsers;
}

export const publishChange = (tx: Tx, { id, username, type, suspendedAt }: Account): Promise<void> =>
  tx.publish(personChanged, `person:${id}`, {
    personId: id, username, type, isSuspended: suspendedAt !== null,
  });

/** Calls that read and change the caller's own account. */
export function currentUserHandlers(parts: CurrentUserParts): CallHandler[] {
  return [...readHandlers(parts), ...changeHandlers(parts), ...emailHandlers(parts)];
}

const readHandlers = ({ data, sessions, users }: CurrentUserParts): CallHandler[] => [
  handleCall(getCurrentUser)(async (_input, context) => {
    const { caller, scope, region, locale } = context;
    const { sessionId } = caller;
    const session = caller.kind === 'person' && sessionId !== null
      ? await data.tx(scope, (tx) => findSession(tx, { digest: sessionId })) : null;
    const { user, tokens, purchases } = session
      ? await users.full(session.person, context)
      : {
          user: guestView(caller.username ?? GUEST_PREFIX, region, locale), tokens: 0,
          purchases: NO_PURCHASES,
        };
    const { postpay, ...bought } = purchases;
    return {
      user, tokens, ...bought,
      node_token: sessions.nodeToken(scope, context, session),
      settings: settingsView(session?.person.settings ?? {}, locale, postpay),
    };
  }),
  handleCall(getAuthState)(async (_input, context) => {
    const { personId } = context.caller;
    const person = personId === null ? null : await data.tx(context.scope, (tx) => findById(tx, personId));
    const user = person ? await users.view(person, context) : null;
    return { authenticated: isAuthenticated(user), username: context.caller.username, user };
  }),
];

const changeHandlers = ({ data, extensions, users }: CurrentUserParts): CallHandler[] => [
  handleCall(updateProfile)(async (input, context) => {
    const personId = context.caller.personId as number;
    const { display_name: name, about: typed, ...rest } = input;
    const about = typed === undefined ? undefined : cleanLines(typed);
    const person = await data.tx(context.scope, async (tx) => {
      if (about && await extensions.one(blockedWords)(tx, about)) return 'blocked';
      await updatePerson(tx, personId, { ...rest, displayName: name?.trim(), about });
      const changed = await findById(tx, personId);
      if (changed) await publishChange(tx, changed);
      return changed;
    });
    if (person === 'blocked') return context.refuse(aboutBlocked);
    return { status: 1 as const, user: await users.view(person as Account, context) };
  }),
  handleCall(updateSettings)(async (input, context) => {
    const personId = context.caller.personId as number;
    const stored = await data.tx(context.scope, (tx) => mergeSettings(tx, personId, input));
    if (input.locale) {
      context.setCookie(LOCALE_COOKIE, input.locale, { maxAgeSeconds: LOCALE_SECONDS, httpOnly: false });
    }
    const isPostpay = await users.isPostpay(personId, context);
    return { settings: settingsView(stored, context.locale, isPostpay) };
  }),
];

const emailHandlers = ({ data, site, emails }: CurrentUserParts): CallHandler[] => [
  handleCall(resendEmail)(async (_input, context) => {
    const personId = context.caller.personId as number;
    const { display_name: name } = await site.viewOf(context.scope);
    const person = await data.tx(context.scope, (tx) => findById(tx, personId));
    if (person && !person.emailConfirmedAt && (await emails.mayWrite(context.scope, person.email))) {
      await data.tx(context.scope, (tx) => emails.confirm(tx, person, context, name));
    }
    return { status: 1 as const };
  }),
  handleCall(confirmEmail)(async ({ token }, { scope, refuse }) => {
    const isConfirmed = await data.tx(scope, (tx) => emails.redeemLink(tx, scope, token));
    return isConfirmed ? { status: 1 as const } : refuse(linkInvalid);
  }),
];
