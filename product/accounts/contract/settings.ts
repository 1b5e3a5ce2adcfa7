import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { COUNTRY_CODE, REGION_CODE } from '#platform/text/codes.ts';
import { LOCALES } from '#product/site/rules.ts';
import { z } from 'zod';
import {
  BROADCAST_CATEGORIES,
  CHAT_ALLOWED,
  CHAT_NOTICES,
  CHAT_USER_SORTS,
  FONT_FAMILIES,
  FONT_SIZES,
  HOME_LAYOUTS,
  MAX_BLOCKED_PLACES,
  MAX_DAILY_LIMIT_TOKENS,
  MAX_MOD_EXPIRE_DAYS,
  MAX_RATE_TOKENS,
  MAX_SNAPCHAT_TOKENS,
  PHONE,
  SHOW_CHANNELS,
  SNAPCHAT_DURATIONS,
  TEXT_COLOR,
  TWITTER_NAME,
  YES_NO,
} from '../rules/settings.ts';

const slice = 'accounts';
export const settingRefused = refusal({
  slice,
  code: 'setting_refused',
  kind: 'denied',
  description: 'The setting is not for this account: one of performers alone, or a level it has no right to. '
    + '`setting` names it; nothing was saved.',
});
export const placeUnknown = refusal({
  slice,
  code: 'place_unknown',
  kind: 'invalid',
  description: 'A country, state or province that is not in the lists of places. Nothing was saved.',
});

const Price = z.int().min(1).max(MAX_RATE_TOKENS);
/** YES or NO on the wire and in the database; a boolean is converted first. */
const YesNo = z.enum(YES_NO);
const YesNoInput = z.union([z.boolean(), YesNo]);

/** What everybody sets and reads in the same shape; a null price or limit means none. */
const plain = {
  /** For performers: who may write in their room. */
  chat_allowed: z.enum(CHAT_ALLOWED),
  chat_user_sort: z.enum(CHAT_USER_SORTS),
  /** How this person reads the chat. Pages adapt sizes and colours to stay readable in their theme. */
  font_family: z.enum(FONT_FAMILIES),
  text_color: z.string().regex(TEXT_COLOR),
  font_size: z.enum(FONT_SIZES),
  chat_notice: z.enum(CHAT_NOTICES),
  /** For performers: show their camera to a viewer who shows theirs. */
  cam2cam: z.boolean(),
  /** For performers: days after which an appointed moderator's rights end. */
  mod_expire: z.int().min(1).max(MAX_MOD_EXPIRE_DAYS),
  /** Percent. */
  volume_tip: z.int().min(0).max(100),
  /** Tips don't fly over the video. */
  calm_mode: z.boolean(),
  /** For performers: tokens a minute for a private show, and for spying on one; null forbids spying. */
  private_cost: Price,
  spy_cost: Price.nullable(),
  broadcast_category: z.enum(BROADCAST_CATEGORIES),
  dark_mode_enabled: z.boolean(),
  /** The person's own limit in tokens per day (UTC). Lowering it applies at once, raising it after 24 h. */
  daily_limit: z.int().min(1).max(MAX_DAILY_LIMIT_TOKENS).nullable(),
  sell_snapchat_duration: z.enum(SNAPCHAT_DURATIONS),
  sell_snapchat_price: z.int().min(1).max(MAX_SNAPCHAT_TOKENS),
  speeddate: z.boolean(),
  versus: z.boolean(),
  /** 0 visible, 1 hidden from viewers, 2 hidden from performers too. */
  invisible_mode_level: z.int().min(0).max(2),
  featured_show_notification: z.enum(SHOW_CHANNELS),
  streaming_partners_enabled: z.boolean(),
  swipe_to_browse_enabled: z.boolean(),
  home_layout: z.enum(HOME_LAYOUTS),
  /** E.164, or empty. */
  phone: z.string().max(16).regex(PHONE),
} as const;

/** Settings of a person (spec 1 §3). */
export const Settings = z.object({
  ...plain,
  chat_emoticons: YesNo,
  show_home: YesNo,
  sell_snapchat: YesNo,
  hide_linked_accounts: YesNo,
  video_player_floating_enabled: YesNo,
  /** Whether the person spends on credit and pays once a day. */
  postpay: z.boolean(),
  auto_re_ups: z.object({
    enabled: z.boolean(),
    disabled_by_user: z.boolean(),
    threshold: z.int().nullable(),
    internal_id: z.string().nullable(),
  }),
  max_linked_accounts: z.int(),
  twitter: z.object({ is_enabled: z.boolean(), is_valid: z.boolean(), username: z.string() }),
  /** The chosen language; null follows the browser. */
  locale: z.enum(LOCALES).nullable(),
});
export type SettingsView = z.infer<typeof Settings>;
/** Only the settings that somebody chose. */
export type StoredSettings = Partial<SettingsView>;

/** Where a performer is shown to nobody; `compliance` applies it. ISO 3166: `DE`, `US-FL`. */
export const BlockedPlaces = z.object({
  blocked_countries: z.array(z.string()),
  blocked_states: z.array(z.string()),
});
export type SettingValues = SettingsView & z.infer<typeof BlockedPlaces>;
export type SettingKey = keyof SettingValues;

const Change = z.object({
  ...plain,
  chat_emoticons: YesNoInput,
  show_home: YesNoInput,
  sell_snapchat: YesNoInput,
  hide_linked_accounts: YesNoInput,
  video_player_floating_enabled: YesNoInput,
  /** Turns auto re-ups off. `billing.setAutoReUp` turns them on, where the person confirms the charge. */
  auto_re_ups: z.object({ disabled_by_user: z.literal(true) }),
  twitter: z.object({ is_enabled: z.boolean(), username: z.string().max(16).regex(TWITTER_NAME) }),
  locale: z.enum(LOCALES),
  blocked_countries: z.array(z.string().max(2).regex(COUNTRY_CODE)).max(MAX_BLOCKED_PLACES),
  blocked_states: z.array(z.string().max(6).regex(REGION_CODE)).max(MAX_BLOCKED_PLACES),
}).partial();
export type SettingsInput = z.infer<typeof Change>;

export const updateSettings = call({
  name: 'accounts.updateSettings',
  method: 'POST',
  path: '/user/settings',
  access: 'member',
  credential: 'cookie',
  input: Change,
  phones: ['phone'],
  output: BlockedPlaces.extend({ settings: Settings }),
  refusals: [settingRefused, placeUnknown],
  limit: { points: 120, seconds: 60, per: 'caller' },
  summary: 'Change the own settings',
  description: 'Fields left out stay as they are; all that is sent is saved, or nothing. Every open tab '
    + 'receives `v3.user.settings`. A list of blocked places replaces the one before.',
  requirements: ['A-345'],
});

export const settingsChanged = event({
  name: 'v3.user.settings',
  socket: 'lobby',
  from: 'server',
  shape: z.object({ settings: Settings }),
  description: 'To every open tab of a person whose settings changed, wherever that happened.',
  requirements: ['A-384'],
});
