import { REGION_CODE } from '#platform/text/codes.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { PSEUDONYM_PREFIX } from './rules/life/deletion.ts';
import { foldedOf, readAs } from './rules/life/usernames.ts';

/** Gender codes of the spec: female, male, trans, couple. */
export const GENDERS = ['f', 'm', 't', 'c'] as const;
export type GenderCode = (typeof GENDERS)[number];

/**
 * Roles a person can hold. `guest`, `member` and `performer` follow from the account and are never stored.
 */
export const ROLES = [
  'site_mod',
  'model_admin',
  'admin',
  'super_admin',
  'test_user',
  'remote_logging',
] as const;
export type RoleName = (typeof ROLES)[number];

/** Guests' usernames start with this; nobody can register one (spec 1 §4). */
export const GUEST_PREFIX = 'guest_';

/** A session is authenticated when a user exists and the username does not start with guest_ (spec 1 §4). */
export const isAuthenticated = (user: { username: string } | null | undefined): boolean =>
  !!user && !user.username.startsWith(GUEST_PREFIX);

/**
 * Roles of a caller: everybody is at least a guest; an account makes a member, type `model` a performer; the
 * other roles are stored. The four kinds of user (visitor, user, performer, staff) follow from these alone.
 */
export function rolesOf(
  account: { readonly type: AccountType; readonly roles: readonly RoleName[] } | null,
): string[] {
  if (!account) return ['guest'];
  return ['member', ...(account.type === 'model' ? ['performer'] : []), ...account.roles];
}
export const ACCOUNT_TYPES = ['user', 'model'] as const;
export type AccountType = (typeof ACCOUNT_TYPES)[number];
/** Longest reason for a suspension, for the audit log. */
export const MAX_SUSPENSION_REASON = 500;

/**
 * Names are one path segment that reads the same in every script: no dots, no look-alikes (spec 1 §2
 * /{username}).
 */
const USERNAME = /^[a-z0-9][a-z0-9_-]{2,24}$/;

/**
 * First segments of every page, present and planned (spec 1 §2, spec 2 §2, spec 3 §2), and of every other URL
 * the server answers. They win over `/{username}`, so nobody can have them. A test compares this list with
 * the route table.
 */
const RESERVED_SEGMENTS: ReadonlySet<string> = new Set([
  'account',
  'admin',
  'affiliates',
  'africa',
  'age-verification',
  'ai',
  'ai-girlfriend',
  'all',
  'all-time',
  'api',
  'asia',
  'assets',
  'auth',
  'avatar',
  'avatars',
  'bedroom',
  'billing',
  'blobs',
  'broadcast',
  'browse',
  'browse-role',
  'browse-studio',
  'build',
  'callbacks',
  'cam2cam',
  'cams',
  'canadian-cams',
  'casa-salsa',
  'ccbill',
  'central-south-america',
  'chat',
  'client',
  'colombian-cams',
  'compliance',
  'confirm-email',
  'connect',
  'consent',
  'contests',
  'control-her',
  'cookies',
  'couples',
  'dashboard',
  'dickometrics',
  'dickratings',
  'eastern-europe',
  'email',
  'embed',
  'enter',
  'entry',
  'esports',
  'exclusive-available-now',
  'exclusive-videos',
  'experiments',
  'fan-posts',
  'fanclub',
  'faq',
  'feed',
  'feel-her',
  'file',
  'files',
  'followed',
  'following',
  'for-you',
  'forgot-password',
  'free-porn',
  'free-register',
  'games',
  'girls',
  'go-live',
  'golive',
  'healthz',
  'hls',
  'home',
  'images',
  'inbox',
  'incode',
  'independent-romanian',
  'irishcurse',
  'jb-cams',
  'join',
  'julmodels',
  'kitchen',
  'language',
  'leaders',
  'legal',
  'live',
  'live-sex',
  'live-sex-cams',
  'log',
  'login',
  'logout',
  'media',
  'men',
  'messages',
  'metrics',
  'models',
  'most-liked',
  'multi-filter',
  'new',
  'notices',
  'notifications',
  'oembed',
  'offline-videos',
  'onesignal_subscribed',
  'online',
  'outbox',
  'overlay',
  'payment',
  'pg-login',
  'pictures',
  'popular',
  'porn',
  'porn-gifs',
  'portraits',
  'press',
  'previews',
  'privacy',
  'private',
  'private-shows',
  'profile',
  'promo-wheel',
  'public',
  'push',
  'rate',
  'readyz',
  'reallifecam',
  'redir',
  'report',
  'region',
  'register',
  'reset-password',
  'restore-email',
  'robots',
  'romanian-cams',
  'room',
  'rooms',
  'rtmp',
  'search',
  'settings',
  'sexwebcam',
  'sexwebcam-cams',
  'share',
  'shower',
  'shuffle',
  'signup',
  'site_config',
  'sitemap',
  'sodastars',
  'south-african-cams',
  'speed-date',
  'spy-cam-shows',
  'static',
  'stream',
  'streams',
  'studio',
  'studios',
  'subscription',
  'support',
  'swipe',
  'tag',
  'tags',
  'terms',
  'thumb',
  'thumb-tracker',
  'thumbnails',
  'thumbs',
  'thumbs-picked',
  'ticket-cam-shows',
  'tip',
  'tips',
  'tokens',
  'top',
  'top-rated',
  'top2000',
  'trans',
  'ukrainian-cams',
  'usa',
  'user',
  'users',
  'v1',
  'verify',
  'verify-age',
  'versus',
  'versus-leaderboard',
  'versus-tournament',
  'video',
  'videos',
  'view-history',
  'voyeur-cams',
  'voyeur-house',
  'well-known',
  'whep',
  'whip',
  'wifeaway',
  'ws',
  'yoti',
]);

/** Names that read as the site's own. */
const SITE_NAMES: ReadonlySet<string> = new Set([
  'administrator',
  'anonymous',
  'candela',
  'everyone',
  'guest',
  'help',
  'moderator',
  'null',
  'official',
  'operator',
  'root',
  'security',
  'staff',
  'system',
  'undefined',
  'webmaster',
  'www',
]);

/** Names that only staff could have: nobody may have a name that reads as one of them. */
const STAFF_NAMES: readonly string[] = [
  ...SITE_NAMES,
  'admin',
  'administration',
  'customersupport',
  'kundenservice',
  'kundensupport',
  'support',
].map(foldedOf);

/** Whether a first path segment is reserved for a page or the site, so that no account can have it. */
export const isReserved = (segment: string): boolean => {
  const key = segment.toLowerCase();
  return RESERVED_SEGMENTS.has(key) || SITE_NAMES.has(key);
};

/**
 * Why a username is refused, before checking whether somebody else has it; null when it is fine.
 */
export function checkUsername(username: string): 'username_invalid' | 'username_taken' | null {
  const key = normalizeUsername(username);
  if (!USERNAME.test(key)) return 'username_invalid';
  const isReservedName = key.startsWith(GUEST_PREFIX)
    || key.startsWith(PSEUDONYM_PREFIX) || isReserved(key) || STAFF_NAMES.includes(foldedOf(readAs(key)));
  return isReservedName ? 'username_taken' : null;
}

/**
 * One account per mailbox: addresses are compared in lower case. RFC 5321 §2.4 allows case to matter; no
 * provider uses that.
 */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();

/** NIST SP 800-63B §5.1.1.2: at least 8 characters, no composition rules, common passwords refused. */
export const MIN_PASSWORD_LENGTH = 8;
/** A password with fewer distinct characters is a key held down, whatever its length. */
const MIN_DISTINCT_CHARACTERS = 4;

/** The same password however the keyboard composed it (NIST SP 800-63B §5.1.1.2: NFKC before hashing). */
export const normalizePassword = (password: string): string => password.normalize('NFKC');

/**
 * Why a password cannot be chosen, or null.
 * @param isCommon whether a lower-case text is on the list of common passwords; the list stays on the server.
 */
export function checkPassword(
  password: string,
  username: string,
  isCommon: (lowerCase: string) => boolean,
): 'password_too_short' | 'password_too_common' | null {
  const characters = [...normalizePassword(password)];
  if (characters.length < MIN_PASSWORD_LENGTH) return 'password_too_short';
  const lowerCase = characters.join('').toLowerCase();
  const isOneKey = new Set(characters).size < MIN_DISTINCT_CHARACTERS;
  const isObvious = isOneKey || lowerCase.includes(normalizeUsername(username));
  return isObvious || isCommon(lowerCase) ? 'password_too_common' : null;
}

/**
 * Argon2id with OWASP's first choice of cost (Password Storage Cheat Sheet): memory in KiB, passes, lanes.
 */
export const ARGON2: PasswordCost = { memoryKib: 19_456, passes: 2, lanes: 1 };

/** What hashing a password costs under Argon2 (RFC 9106 §3.1): memory in KiB, passes over it, lanes. */
export interface PasswordCost {
  readonly memoryKib: number;
  readonly passes: number;
  readonly lanes: number;
}

/** Whether a PHC string has today's parameters; any other is renewed when its password is next seen. */
export const isCurrentHash = (phc: string, { memoryKib, passes, lanes }: PasswordCost = ARGON2): boolean =>
  phc.startsWith(`$argon2id$v=19$m=${memoryKib},t=${passes},p=${lanes}$`);

/** Everybody's minimum age (readings.md: the picker offers 18 to 99, the server checks the exact date). */
export const MIN_AGE_YEARS = 18;
export const MAX_AGE_YEARS = 99;

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Whether a text is a day of the calendar, `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  const parts = DATE.exec(text);
  if (!parts) return false;
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number];
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

/**
 * Whole years of age on a day, both `YYYY-MM-DD`. A birthday on February 29 counts as March 1 in common
 * years: the later day, so that nobody counts as of age too early.
 */
export function ageOn(birthDate: string, today: string): number {
  const years = Number(today.slice(0, 4)) - Number(birthDate.slice(0, 4));
  return today.slice(5) >= birthDate.slice(5) ? years : years - 1;
}

/** Why a birth date does not allow an account, or null. @param today `YYYY-MM-DD` in UTC. */
export function checkBirthDate(birthDate: string, today: string): 'birth_date_invalid' | 'underage' | null {
  if (!isDay(birthDate) || Number(today.slice(0, 4)) - Number(birthDate.slice(0, 4)) > MAX_AGE_YEARS) {
    return 'birth_date_invalid';
  }
  return ageOn(birthDate, today) < MIN_AGE_YEARS ? 'underage' : null;
}

/**
 * Lines shown beside a name: no control characters, and nothing that changes the direction of text that
 * follows.
 */
// oxlint-disable-next-line no-control-regex -- control characters are what this refuses
export const PLAIN_LINE = /^[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]*$/u;
/** The same with line breaks and tabs. */
// oxlint-disable-next-line no-control-regex -- control characters are what this refuses
export const PLAIN_TEXT = /^[^\u0000-\u0008\v\f\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]*$/u;
/** Longest display name. */
export const MAX_DISPLAY_NAME = 40;
/** Languages a performer speaks: ISO 639-1 codes. */
export const LANGUAGE_CODE = /^[a-z]{2}$/;
/** More languages than anybody speaks on camera. */
export const MAX_LANGUAGES = 8;

const MINUTE_S = 60;
const DAY_S = 24 * 60 * MINUTE_S;

/** A session ends after this long without a visit … */
export const SESSION_SECONDS = 30 * DAY_S;
/** … and after this long in any case (OWASP ASVS 7.3.2). */
export const SESSION_LIMIT_SECONDS = 180 * DAY_S;
/** A session is prolonged at most this often, so that reading pages does not write rows. */
export const SESSION_RENEWAL_SECONDS = DAY_S;
/** Sessions a person can have at once, on all their devices; one more ends the oldest. */
export const MAX_SESSIONS = 20;
/** Longest name of a browser and of a system; the columns of `accounts.sessions` hold no more. */
export const DEVICE_NAME_LENGTH = 40;
/** How long a browser stays known after a log-in. */
export const DEVICE_SECONDS = 365 * DAY_S;
/** A guest's signed session lasts as long as a person's. */
export const GUEST_SECONDS = SESSION_SECONDS;
/** A node token lives as long as the page needs to open its socket. */
export const NODE_TOKEN_SECONDS = 60;
/**
 * Spent node tokens forgotten with each redemption: more than one, so that the table shrinks after a rush.
 */
export const SPENT_TOKENS_SWEPT = 20;
/** A confirmation link must last for people who read mail once a week. */
export const CONFIRM_SECONDS = 7 * DAY_S;
/** A reset link is opened by somebody who has just asked for it. */
export const RESET_SECONDS = 60 * MINUTE_S;
/** Emails that strangers can cause to one address by sign-ups and resets: a few may get lost, none flood. */
export const MAILS_PER_ADDRESS = { points: 5, seconds: 60 * MINUTE_S } as const;
/** How many accounts get a reset link for an address that nobody has confirmed. */
export const MAX_UNCONFIRMED_RESETS = 3;

/** When a session that is used now ends. */
export function sessionEnd(startedAt: Date, now: Date): Date {
  const [limitMs, endMs] = [SESSION_LIMIT_SECONDS * 1000, SESSION_SECONDS * 1000];
  return new Date(Math.min(now.getTime() + endMs, startedAt.getTime() + limitMs));
}

/** Whether using a session now is worth a write. */
export const isRenewalDue = (renewedAt: Date, now: Date): boolean =>
  now.getTime() - renewedAt.getTime() >= SESSION_RENEWAL_SECONDS * 1000;

/** Failed log-ins are counted in windows of this length, which further attempts do not extend. */
export const ATTEMPT_WINDOW_SECONDS = 15 * MINUTE_S;
/**
 * Codes are also limited per day: somebody with the password and no code gets in once in 7,000 days on
 * average (three of a million codes work at a time).
 */
export const CODES_PER_DAY = { points: 50, seconds: DAY_S } as const;

/**
 * Attempts per window. An account allows ten from unknown browsers: enough for a forgotten password, not for
 * a dictionary. A known browser has its own ten, so that strangers cannot lock the owner out (OWASP device
 * cookies). An address allows what a household or office gets wrong together. A logged-in person gets ten
 * each for their password, for codes and for new passkeys, however many sessions and linked accounts they
 * try from.
 */
export const ATTEMPT_LIMITS = {
  account: 10,
  device: 10,
  address: 60,
  password: 10,
  passkey: 10,
  second_step: 10,
  email_code: 10,
} as const;
export type AttemptKind = keyof typeof ATTEMPT_LIMITS;

/** Country and state of a region such as `US-FL`, `DE` or `unknown`. */
export function placeOf(region: string): { isoCode: string | null; state: string | null } {
  const [, country = null, state = null] = REGION_CODE.exec(region) ?? [];
  return { isoCode: country, state };
}
/** How many admins are notified of something that needs a decision; an operator has a few. */
export const MAX_ADMINS_NOTIFIED = 50;
