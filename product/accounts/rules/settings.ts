/**
 * Settings of a person (spec 1 §3): their values and defaults. Some belong to later slices, which implement
 * `accounts.settingsPart`; the values and defaults of all are here.
 */

import { MAX_LINKED_ACCOUNTS } from './life/linked.ts';

/** Who may write in a performer's room. */
export const CHAT_ALLOWED = ['all', 'tip_anytime', 'tip_recent', 'tokens'] as const;
/** Order of the user list in a room. */
export const CHAT_USER_SORTS = ['tokens', 'username'] as const;
export type ChatUserSort = (typeof CHAT_USER_SORTS)[number];
/** Typefaces of the chat; `wide` spaces letters and words, which many find easier to read. */
export const FONT_FAMILIES = ['sans', 'serif', 'mono', 'wide'] as const;
export type FontFamily = (typeof FONT_FAMILIES)[number];
/** Tiny, small, regular, large, huge. */
export const FONT_SIZES = ['9px', '10px', '11px', '14px', '18px'] as const;
export type FontSize = (typeof FONT_SIZES)[number];
/** Lines that the chat shows beside messages: those of tips and notices, of one kind, or neither. */
export const CHAT_NOTICES = ['all', 'tips', 'notices', 'none'] as const;
export type ChatNotice = (typeof CHAT_NOTICES)[number];
export const YES_NO = ['YES', 'NO'] as const;
export type YesNo = (typeof YES_NO)[number];
/** Whether a performer is alone on camera. */
export const BROADCAST_CATEGORIES = ['solo', 'group'] as const;
/** How long a sold Snapchat account may be followed: a month, half a year, a year, for ever. */
export const SNAPCHAT_DURATIONS = ['1M', '6M', '1Y', 'FOREVER'] as const;
/** How somebody is notified of featured shows. */
export const SHOW_CHANNELS = ['email', 'sms', 'web', 'none'] as const;
/** Layouts of the home page (spec 2 §2.3). */
export const HOME_LAYOUTS = ['classic', 'custom', 'section'] as const;

/** A colour as the spec writes it. */
export const TEXT_COLOR = /^#[0-9a-f]{6}$/iu;
/** E.164: a plus, the country code, at most 15 digits. An empty text removes the number. */
export const PHONE = /^(?:\+[1-9][0-9]{6,14})?$/u;
/** A Twitter name, with or without its at sign. An empty text removes it. */
export const TWITTER_NAME = /^(?:@?[A-Za-z0-9_]{1,15})?$/u;
/** Days after which a moderator's rights end: at most a year, so that forgotten rights end. */
export const MAX_MOD_EXPIRE_DAYS = 365;
/** Highest price a minute, in tokens, as in listings. */
export const MAX_RATE_TOKENS = 999;
/** Highest price of a Snapchat account, in tokens. */
export const MAX_SNAPCHAT_TOKENS = 100_000;
/** Highest daily limit that people can set for themselves, in tokens: the highest the ledger knows. */
export const MAX_DAILY_LIMIT_TOKENS = 10_000_000;
/** More than all countries and their parts. */
export const MAX_BLOCKED_PLACES = 400;

/** Somebody's Twitter name, and whether their page links to it. */
export interface Twitter {
  readonly is_enabled: boolean;
  /** Whether there is a name that is possible at Twitter. */
  readonly is_valid: boolean;
  readonly username: string;
}

/** For guests, and for people who chose nothing; settings that only performers use are among them. */
export const DEFAULT_SETTINGS = {
  chat_allowed: 'all',
  chat_user_sort: 'tokens',
  font_family: 'sans',
  text_color: '#333333',
  font_size: '11px',
  chat_notice: 'all',
  chat_emoticons: 'YES',
  show_home: 'YES',
  cam2cam: false,
  mod_expire: 14,
  volume_tip: 70,
  calm_mode: false,
  private_cost: 30,
  spy_cost: null,
  broadcast_category: 'solo',
  dark_mode_enabled: true,
  daily_limit: null,
  postpay: false,
  auto_re_ups: { enabled: false, disabled_by_user: false, threshold: null, internal_id: null },
  sell_snapchat: 'NO',
  sell_snapchat_duration: '1M',
  sell_snapchat_price: 250,
  speeddate: false,
  versus: false,
  invisible_mode_level: 0,
  featured_show_notification: 'email',
  streaming_partners_enabled: false,
  swipe_to_browse_enabled: true,
  home_layout: 'classic',
  max_linked_accounts: MAX_LINKED_ACCOUNTS,
  twitter: { is_enabled: false, is_valid: false, username: '' },
  phone: '',
  hide_linked_accounts: 'NO',
  video_player_floating_enabled: 'YES',
  locale: null,
} as const;

/** Settings that are saved as YES or NO, whether a page sends that or a boolean (spec 1 §5). */
const SAVED_AS_WORDS = [
  'chat_emoticons',
  'hide_linked_accounts',
  'sell_snapchat',
  'show_home',
  'video_player_floating_enabled',
] as const;
type SavedAsWord = (typeof SAVED_AS_WORDS)[number];

/** A change with the booleans of {@link SAVED_AS_WORDS} as the words that are saved. */
export function asSaved<Change extends { readonly [Key in SavedAsWord]?: boolean | YesNo | undefined }>(
  change: Change,
): Omit<Change, SavedAsWord> & { readonly [Key in SavedAsWord]?: YesNo } {
  const words = SAVED_AS_WORDS.flatMap((key) => {
    const value = change[key];
    if (value === undefined) return [];
    return [[key, typeof value === 'boolean' ? wordOf(value) : value] as const];
  });
  return { ...change, ...Object.fromEntries(words) } as ReturnType<typeof asSaved<Change>>;
}

/** YES or NO. */
export const wordOf = (isOn: boolean): YesNo => (isOn ? 'YES' : 'NO');

/** A Twitter setting as it is saved: without the at sign. */
export function twitterOf({ is_enabled: isEnabled, username }: Omit<Twitter, 'is_valid'>): Twitter {
  const name = username.replace(/^@/u, '');
  return { is_enabled: isEnabled, is_valid: name !== '' && TWITTER_NAME.test(name), username: name };
}
