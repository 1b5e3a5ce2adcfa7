import type { CallContext, Consent } from '#platform/contract/context.ts';
import { optional, required } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import type { OwnedRows } from '#platform/data/database/owned-rows.ts';
import type { z } from 'zod';
import type { CurrentUserAnswer, CurrentUserAnswerView, CurrentUserView } from './contract/current-user.ts';
import type { SettingKey, SettingsInput, SettingValues } from './contract/settings.ts';
import type { AccountType, RoleName } from './rules.ts';
import type { Holdings } from './rules/life/deletion.ts';

import { errorsOfOwners } from './rules/owners.ts';

export const balance = required.single<(tx: Tx, personId: number) => Promise<number>>({
  name: 'accounts.balance',
  description: 'Tokens that GET /user/current shows.',
});

/** The identity fields of GET /user/current. */
export type Verification = (tx: Tx, personId: number, region: string) => Promise<
  Pick<CurrentUserView, 'compliance_status' | 'identity_confirmed'>
>;
export const verification = required.single<Verification>({
  name: 'accounts.verification',
  description: 'Identity, as GET /user/current shows it.',
});

/** The purchase fields of GET /user/current. */
export type Purchases = (tx: Tx, personId: number) => Promise<{
  readonly user: Pick<CurrentUserView, 'membership' | 'lastLoginCountryPurchaseBlocked' | 'vault_wheel'>;
  readonly purchases: PurchaseFields;
}>;
export type PurchaseFields = Pick<
  z.infer<typeof CurrentUserAnswer>,
  'has_cc' | 'has_purchase' | 'premium_winback_offer' | 'premium_grandfathered_offer' | 'lastPayment'
>;
export const purchases = required.single<Purchases>({
  name: 'accounts.purchases',
  description: 'Membership, purchases and offers of a person, as GET /user/current shows them.',
});

/** What people consent to beyond what the site needs. */
export interface PersonConsent {
  /** The person's choice; null where they have not chosen, or so long ago that they are asked again. */
  readonly chosen: (tx: Tx, personId: number) => Promise<Consent | null>;
  /** At log-in the person's choice applies to this browser; without one, the browser's becomes theirs. */
  readonly loggedIn: (tx: Tx, personId: number, context: CallContext) => Promise<void>;
}
export const personConsent = required.single<PersonConsent>({
  name: 'accounts.consent',
  description: 'What people allow, read with their session: it follows them from browser to browser.',
});

/** Runs in each log-in and sign-up, before its session begins; may set cookies of the browser. */
export type LoggedIn = (tx: Tx, personId: number, context: CallContext) => Promise<void>;
export const loggedIn = optional.many<LoggedIn>({
  name: 'accounts.loggedIn',
  description: 'What changes for a browser when somebody logs in or signs up: what they proved elsewhere '
    + 'counts here, and what the guest began is theirs.',
  byDefault: 'The browser gets nothing but its session.',
  safeBecause: 'Whoever logs in can prove everything again.',
});

/** Whether a text has a word that the operator blocked. */
export const blockedWords = required.single<(tx: Tx, text: string) => Promise<boolean>>({
  name: 'accounts.blockedWords',
  description: 'Whether what people write of themselves has a word that the operator blocked.',
});

/** Whether the caller may see somebody's avatar. */
export type AvatarAccess = (
  tx: Tx,
  context: CallContext,
  person: { readonly id: number; readonly type: AccountType; readonly inactiveSince: Date | null },
) => Promise<boolean>;
export const avatarAccess = required.single<AvatarAccess>({
  name: 'accounts.avatarAccess',
  description: 'Whether a request may see a person\'s avatar: the visibility rule for performers, the entry '
    + 'gate for everybody else.',
});

/** The person whose settings and fields are read. */
export interface Owner {
  readonly id: number;
  readonly username: string;
  readonly type: AccountType;
  readonly roles: readonly RoleName[];
}

/** Why a setting is not saved: it is not for this account, or names an unknown place. */
export type SettingFault = 'setting_refused' | 'place_unknown';

/** Settings that a slice owns: only that slice stores them, and the others read them from it. */
export interface SettingsPart {
  readonly keys: readonly SettingKey[];
  /** The values of a person; an omitted key has its default. */
  readonly read: (tx: Tx, person: Owner) => Promise<Partial<SettingValues>>;
  /** Why a change is refused, or null. All owners are asked before anything is saved. */
  readonly check: (tx: Tx, person: Owner, change: SettingsInput) => Promise<SettingFault | null>;
  /** Saves its own keys of a change. */
  readonly write: (tx: Tx, person: Owner, change: SettingsInput) => Promise<void>;
}
export const settingsPart = optional.many<SettingsPart>({
  name: 'accounts.settingsPart',
  description: 'Settings that a later slice stores. Each setting has exactly one owner.',
  byDefault: 'A setting without an owner is stored by accounts, with its check and default.',
  safeBecause: 'Such a setting has no effect but that of being read again by its own person.',
  errorsOf: errorsOfOwners,
});

/** What later slices store about a person: for the copy they download, and for erasure. */
export const personalData = optional.many<readonly OwnedRows[]>({
  name: 'accounts.personalData',
  description: 'Rows that a later slice stores of a person: what the copy has that they download, and what '
    + 'becomes of each when the person is erased.',
  byDefault: 'A slice without one stores nothing of people, or nothing they have not in another form.',
  safeBecause: 'A test names every table with a column of a person that no slice describes.',
});

/** Ends what a slice has issued on behalf of a person: keys, tokens, secret URLs. */
export type EndGrants = (tx: Tx, personId: number) => Promise<void>;
export const grants = optional.many<EndGrants>({
  name: 'accounts.grants',
  description: 'What a later slice has handed out that acts for a person, or shows what is theirs, to '
    + 'whoever has it. A recovery of the account ends it; what hands it out calls `lockCaller` first.',
  byDefault: 'Nothing of a later slice ends.',
  safeBecause: 'A test names every column with a key, a token or a digest that no slice accounts for.',
});

/** Fields of the current user, and of the answer around it, that later slices fill. */
export type AddedUserFields = Pick<
  CurrentUserView,
  | 'tags'
  | 'following'
  | 'free_tokens_on_hold'
  | 'studio'
  | 'is_studio_owner'
  | 'is_substudio_manager'
  | 'is_direct_pay'
  | 'is_studio_pay'
  | 'model_data'
  | 'fraud_percent'
  | 'isSuperWhale'
  | 'isVoyeurCam'
  | 'isOnVpn'
  | 'requires_credit_card_affidavit'
  | 'showSupportPhone'
  | 'modelFanClubList'
  | 'autosilenced'
  | 'compliance_reject_reason'
  | 'canAbTest'
  | 'ageVerification'
>;
export type AddedAnswerFields = Pick<
  CurrentUserAnswerView,
  | 'media_ids'
  | 'fanclub_membership_list'
  | 'has_fans_subscription'
  | 'linkedAccounts'
  | 'pm_allowed_list'
  | 'pm_blocked_list'
  | 'promoSpotSecondsLeft'
>;
export interface UserPart {
  readonly keys: readonly (keyof AddedUserFields | keyof AddedAnswerFields)[];
  /** @param viewed the request of the person themselves, who may not perceive everybody */
  readonly read: (
    tx: Tx,
    person: Owner,
    viewed: CallContext,
  ) => Promise<Partial<AddedUserFields & AddedAnswerFields>>;
}
export const userPart = optional.many<UserPart>({
  name: 'accounts.userPart',
  description: 'Fields of GET /user/current that a later slice knows. Each field has exactly one owner.',
  byDefault: 'A field without an owner has the value of somebody to whom nothing of it applies.',
  safeBecause: 'Empty lists, null and false give nobody a right and show nothing of anybody.',
  errorsOf: errorsOfOwners,
});

/** What the deletion of an account takes from its person, or ends. */
export interface Consequences extends Holdings {
  readonly membership: { readonly name: string; readonly endsAt: Date; readonly renews: boolean } | null;
}
/** A slice that has something to settle with a person who leaves. */
export interface ClosingPart {
  readonly keys: readonly (keyof Consequences)[];
  readonly consequences: (tx: Tx, personId: number) => Promise<Partial<Consequences>>;
  /** Runs when somebody asks for deletion, in the unit of work that hides them. */
  readonly requested?: (tx: Tx, personId: number) => Promise<void>;
  /** Runs when the deletion becomes final, before anything is erased. */
  readonly settled?: (tx: Tx, personId: number) => Promise<void>;
}
export const closingPart = optional.many<ClosingPart>({
  name: 'accounts.closingPart',
  description: 'What people read of a later slice before they delete their account, and what it settles. '
    + 'Each field has exactly one owner.',
  byDefault: 'Nothing is taken, ended or settled.',
  safeBecause: 'A slice without a part has nothing that is worth money to anybody.',
  errorsOf: errorsOfOwners,
});
