import { z } from 'zod';
import { GENDERS } from '../rules.ts';
import { FANCLUB_LEVELS, MEMBERSHIPS } from '../rules/current-user.ts';
import { BlockedPlaces, Settings } from './settings.ts';

export const Gender = z.enum(GENDERS);

const Username = z.object({ username: z.string() });

const CheckState = z.enum(['pending', 'verified', 'failed']);

/** Links to somebody's pages elsewhere; null where there is none. */
export const SocialMedia = z.object({
  /** URL of a wish list. */
  amazon: z.string().nullable(),
  /** Names, without the at sign; the Twitter name is stored as the setting `twitter`. */
  bluesky: z.string().nullable(),
  instagram: z.string().nullable(),
  twitter: z.string().nullable(),
});

export type SocialMediaView = z.infer<typeof SocialMedia>;

/**
 * The current user as the spec names it (§3). Later slices fill their fields through `accounts.userPart`. A
 * field without an owner has a neutral value: empty, 0, null or false.
 */
export const CurrentUser = z.object({
  id: z.int().nullable(),
  username: z.string(),
  display_name: z.string(),
  /** With `geo.ip` the only fields about a person that nobody else ever gets. */
  email: z.string().nullable(),
  gender: Gender.nullable(),
  type: z.enum(['user', 'model']),
  /** Null means no membership. */
  membership: z.enum(MEMBERSHIPS).nullable(),
  is_premium: z.boolean(),
  created_at: z.string().nullable(),
  birth_date: z.string().nullable(),
  /** Where this request comes from. */
  geo: z.object({
    ip: z.string(),
    isoCode: z.string().nullable(),
    state: z.string().nullable(),
    locale: z.string(),
  }),
  /** Country of the last log-in, ISO 3166-1 alpha-2; null where unknown. */
  country_code: z.string().nullable(),
  email_confirmed: z.boolean(),
  identity_confirmed: z.boolean(),
  compliance_status: z.string().nullable(),
  compliance_reject_reason: z.string().nullable(),
  ageVerification: z.object({
    /** This browser has to prove an age in its region, and has not yet. */
    required: z.boolean(),
    /** The person's newest check with Yoti, and by support; null where they began none. */
    methods: z.object({ yoti: CheckState.nullable(), zendesk: CheckState.nullable() }),
    /** The region accepts nothing but a credit card. */
    creditCardRequired: z.boolean(),
  }),
  user_roles: z.array(z.string()),
  isAdmin: z.boolean(),
  isSuperAdmin: z.boolean(),
  /** Tags of the person's own broadcast. */
  tags: z.array(z.string()),
  /** The performers this person follows, newest first; `messaging.listFollowed` has all of them. */
  following: z.array(z.object({ followname: z.string() })),
  free_tokens_on_hold: z.int(),
  /** Unread notifications; `v3.notification.count` reports changes. */
  notificationUnreadCount: z.int(),
  /** Whether log-in takes a second step, and which; null means none. */
  has2faEnabled: z.boolean(),
  two_factor_auth_type: z.enum(['totp']).nullable(),
  /**
   * From then on staff and performers have only a member's rights, until they set up a second step or a
   * passkey. Null where none is missing.
   */
  two_factor_required_by: z.string().nullable(),
  /** The account has a second step, but this session was not opened with it: a new log-in asks for it. */
  two_factor_at_log_in: z.boolean(),
  /** After a recovery: the person has yet to confirm some ways to log in (`getWaysInCheck`). */
  ways_in_to_check: z.boolean(),
  suspension_date: z.string().nullable(),
  studio: z.object({
    id: z.int(),
    name: z.string(),
    slug: z.string(),
    is_aj_studio: z.boolean(),
    is_master_studio: z.boolean(),
    pay_program_name: z.string().nullable(),
  }).nullable(),
  is_studio_owner: z.boolean(),
  is_substudio_manager: z.boolean(),
  is_direct_pay: z.boolean(),
  is_studio_pay: z.boolean(),
  model_data: z.object({ has_payment_info: z.boolean(), geo_country: z.string().nullable() }).nullable(),
  fraud_percent: z.int().nullable(),
  canAbTest: z.boolean(),
  isSuperWhale: z.boolean(),
  isVoyeurCam: z.boolean(),
  isOnVpn: z.boolean(),
  requires_credit_card_affidavit: z.boolean(),
  showSupportPhone: z.boolean(),
  modelFanClubList: z.array(Username),
  /** A room's rules silenced this person for spam, and the mute is still on. */
  autosilenced: z.boolean(),
  avatar_url: z.string().nullable(),
  about: z.string(),
  languages: z.array(z.string()),
  /** The last log-in came from a country where tipping is closed. */
  lastLoginCountryTipBlocked: z.boolean(),
  /** The last log-in came from a country where buying is closed. */
  lastLoginCountryPurchaseBlocked: z.boolean(),
  /** Free turns of the vault wheel. */
  vault_wheel: z.object({ spins: z.int() }),
});
export type CurrentUserView = z.infer<typeof CurrentUser>;

const Money = z.object({ minor: z.int(), currency: z.string() });
/** A membership at a price that is not offered to everybody. */
const MembershipOffer = z.object({ internal_id: z.string(), membership: z.string(), price: Money });

/** Answer of GET /user/current: the user, a socket token, settings, and what later slices add. */
export const CurrentUserAnswer = z.object({
  user: CurrentUser,
  /**
   * Single use, 60 s, bound to the session: sent as `token` in `v3.authorize`. Empty where there is no
   * session yet: GET /site_config starts one.
   */
  node_token: z.string(),
  tokens: z.int(),
  /** Whether a card is saved, and whether anything was bought before. */
  has_cc: z.boolean(),
  has_purchase: z.boolean(),
  /** Ids of media this person bought. */
  media_ids: z.array(z.int()),
  fanclub_membership_list: z.array(z.object({ modelUsername: z.string(), level: z.enum(FANCLUB_LEVELS) })),
  has_fans_subscription: z.boolean(),
  settings: Settings,
  ...BlockedPlaces.shape,
  /** ISO 639-1 codes of the languages this person speaks. */
  languageList: z.array(z.string()),
  /** The last payment received. */
  lastPayment: z.object({ at: z.string(), amount: Money }).nullable(),
  socialMedia: SocialMedia,
  linkedAccounts: z.array(Username),
  /** The former membership at a lower price, and the current one at the price of its purchase. */
  premium_winback_offer: MembershipOffer.nullable(),
  premium_grandfathered_offer: MembershipOffer.nullable(),
  /** Usernames this person may send private messages to, and usernames that may send them none. */
  pm_allowed_list: z.array(Username),
  pm_blocked_list: z.array(Username),
  promoSpotSecondsLeft: z.int().nullable(),
  isAutosilenced: z.boolean(),
});
export type CurrentUserAnswerView = z.infer<typeof CurrentUserAnswer>;
