import type { Json } from '#platform/data/columns.ts';
import type { SocialMediaView } from '../contract/current-user.ts';
import type { StoredSettings } from '../contract/settings.ts';
import type { AccountType, GenderCode } from '../rules.ts';
import type { ProviderName } from '../rules/providers.ts';
import type { SuspensionCause } from '../rules/staff/suspensions.ts';

/** Pages elsewhere, as chosen. */
export type StoredSocialMedia = { readonly [Name in Exclude<keyof SocialMediaView, 'twitter'>]?: string };

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'accounts.identities.provider': ProviderName;
  'accounts.people.type': AccountType;
  'accounts.people.gender': GenderCode;
  'accounts.people.settings': Json<StoredSettings>;
  'accounts.people.social_media': Json<StoredSocialMedia>;
  'accounts.people.suspension_cause': SuspensionCause;
}
