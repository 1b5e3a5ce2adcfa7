import { isOrigin } from '#platform/contract/document-policy.ts';
import { COUNTRY_CODE } from '#platform/text/codes.ts';
import { DAY_MS } from '#platform/time/units.ts';

/** The six languages; English is complete and the fallback. */
export const LOCALES = ['en', 'de', 'es', 'fr', 'it', 'nl'] as const;
export type Locale = (typeof LOCALES)[number];
export const DEFAULT_LOCALE: Locale = 'en';

export const LOCALE_NAMES: Readonly<Record<Locale, string>> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  it: 'Italiano',
  nl: 'Nederlands',
};

/** Cookies of the chosen language and theme (`dark` or `light`): the page writes, the server reads them. */
export const LOCALE_COOKIE = 'locale';
export const THEME_COOKIE = 'theme';

/** Headers of answers that differ by the caller's language: caches store one for each. */
export const BY_LANGUAGE = { vary: 'accept-language, cookie' } as const;

/** Longest Accept-Language header read; longer ones are cut (RFC 9110 §12.5.4 sets no limit). */
const MAX_ACCEPT_LANGUAGE_LENGTH = 256;

export const isLocale = (value: string): value is Locale => (LOCALES as readonly string[]).includes(value);

/** The person's choice, else the best match of Accept-Language (RFC 9110 §12.5.4), else English. */
export function chooseLocale(chosen: string | null, acceptLanguage: string | null): Locale {
  if (chosen && isLocale(chosen)) return chosen;
  if (!acceptLanguage) return DEFAULT_LOCALE;
  const ranked = acceptLanguage
    .slice(0, MAX_ACCEPT_LANGUAGE_LENGTH)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';');
      const quality = parameters.map((p) => /^\s*q=([\d.]+)$/.exec(p)?.[1]).find((q) => q !== undefined);
      const language = tag.toLowerCase().split('-')[0] ?? '';
      return { language, quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter((entry) => entry.quality > 0)
    .sort((a, b) => b.quality - a.quality);
  return ranked.map((entry) => entry.language).find(isLocale) ?? DEFAULT_LOCALE;
}

/** The spec's default colors, each with a dark variant (look.md). */
export const DEFAULT_COLOURS = {
  pink: '#F841B5',
  pink_dark: '#C4127F',
  blue: '#05B0FA',
  blue_dark: '#0573B5',
} as const;

/** The design of a site that configures nothing. */
export const DEFAULT_LOOK = {
  logo_path: null,
  logo_width: null,
  logo_height: null,
  meta_title: null,
  meta_description: null,
  h1_content: null,
  force_dark_mode: false,
  colours: DEFAULT_COLOURS,
  favicon_url: null,
  listing_names: {},
} as const;

/** Number of listings that a site may name, and characters of a name. */
export const MAX_LISTING_NAMES = 40;
export const MAX_LISTING_NAME_LENGTH = 60;
/** The last part of the address of a listing. */
export const LISTING_SLUG = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

/** The operator and site every installation has from its first migration on. */
export const DEFAULT_SCOPE = { operatorId: 1, siteId: 1 } as const;

/** `demo` on a developer's machine, `production` for real people. */
export type Mode = 'demo' | 'production';

/**
 * Whether a host name (as in a Host header, without port, lower case) is this machine (RFC 6761 §6.3,
 * RFC 5735).
 */
export const isLoopbackHost = (host: string): boolean =>
  /^(?:.+\.)?localhost$/.test(host) || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);

/**
 * Whether a host name that no site lists belongs to the default site: the published host, and in demo mode
 * every name of this machine. Any other is refused.
 */
export const isDefaultHost = (host: string, mode: Mode, publicHost: string | null): boolean =>
  host === publicHost || (mode === 'demo' && isLoopbackHost(host));

/**
 * Whether a site shows its pages without the shell: the site of the vr variant, recognized by the first
 * label of its domain name (spec 1 §2: `vr.candela.example`).
 */
export const isWithoutChrome = (domainName: string): boolean => domainName.split('.')[0] === 'vr';

/** A color of a site: six hexadecimal digits, safe to write into a style sheet. */
export const COLOUR = /^#[0-9A-Fa-f]{6}$/;

/**
 * ISO 8601 week of an instant in UTC, `2026-W03`: weeks begin on Monday, and week 1 has the year's first
 * Thursday.
 */
export function yearWeek(at: Date): string {
  const day = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate());
  const weekday = (new Date(day).getUTCDay() + 6) % 7;
  const thursday = new Date(day + (3 - weekday) * DAY_MS);
  const firstDay = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.floor((thursday.getTime() - firstDay) / DAY_MS / 7) + 1;
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
}

/** How long a resolved host name is cached, and so until a new site is reachable and a removed one gone. */
export const HOST_CACHE_MS = 10_000;
/** Cached host names at most; an installation has a few dozen, and unknown names are not cached. */
export const MAX_CACHED_HOSTS = 1_000;

/** An operator's rules for all of its sites. */
export interface SiteSettings {
  /** Where standby is allowed: sites by their domain, studios by their name. */
  readonly standby: { readonly domains: readonly string[]; readonly studios: readonly string[] };
  /**
   * Browsers show no B-frames over WebRTC: the stream is refused with instructions, or transcoded while the
   * machine has room for it and otherwise played over HLS alone.
   */
  readonly bFrames: 'refuse' | 'transcode';
  /** Space for the recordings of one performer; null for the default of `recordings`. */
  readonly recordingQuotaBytes: number | null;
  /** Address of the server for 180-degree cameras; null without one. */
  readonly dreamcamServer: string | null;
  /** ISO 3166-1 alpha-2 codes: people who last logged in there can neither tip nor be tipped, nor buy. */
  readonly tipBlockedCountries: readonly string[];
  /** The seller on receipts and legal pages; null for the operator's own name. */
  readonly seller: Company | null;
  /** Telephone number of support; null without one. */
  readonly supportPhone: string | null;
  /** For tests: chat with support is open to everyone, guests included. */
  readonly supportChatForAll: boolean;
  /** Address of the script of a support chat provider; null for the site's own chat. */
  readonly supportScript: string | null;
  /** Other origins that this script needs. */
  readonly supportOrigins: readonly string[];
  /** Host names of other sites that redirect keys may lead to, in lower case. */
  readonly redirectHosts: readonly string[];
  /** Whether disposable email addresses are refused. */
  readonly refuseDisposableEmails: boolean;
  /** Whether a mailbox is limited to a few accounts, whatever follows a plus in its addresses. */
  readonly limitMailboxes: boolean;
  /** ISO instant from which two-step log-in is required of staff and performers; null if it is not. */
  readonly twoFactorSince: string | null;
  /** Where people are asked before the site stores more than it needs; elsewhere consent is assumed. */
  readonly consentAsked: ConsentAsked;
}

/** `europe`: EU, EEA, United Kingdom and Switzerland, where the law requires it. */
export const CONSENT_ASKED = ['everywhere', 'europe'] as const;
export type ConsentAsked = (typeof CONSENT_ASKED)[number];

/** A company's registered name and postal address. */
export interface Company {
  readonly name: string;
  /** Lines of the postal address; empty for none. */
  readonly address: string;
}

/** Standby is off until an operator allows it. */
export const DEFAULT_SETTINGS: SiteSettings = {
  standby: { domains: [], studios: [] },
  bFrames: 'transcode',
  recordingQuotaBytes: null,
  dreamcamServer: null,
  // Paying for live shows of this kind is a crime there since July 2025 (Brottsbalken 6 kap. 11 §).
  tipBlockedCountries: ['SE'],
  seller: null,
  supportPhone: null,
  supportChatForAll: false,
  supportScript: null,
  supportOrigins: [],
  redirectHosts: [],
  refuseDisposableEmails: true,
  limitMailboxes: false,
  twoFactorSince: null,
  consentAsked: 'everywhere',
};
/** A telephone number as people write it: digits and separators. */
export const PHONE_NUMBER = /^\+?\d[\d ()/.-]{3,28}\d$/;
/** Fifteen digits (ITU-T E.164) and separators. */
export const MAX_PHONE_LENGTH = 30;
/** Longest name and address of a company: what fits the head of a receipt. */
export const MAX_COMPANY_LENGTH = 200;
export const MAX_ADDRESS_LENGTH = 500;
/** Most space an operator can give the recordings of one performer: 100 TB. */
export const MAX_RECORDING_QUOTA_MB = 100_000_000;
/** Longest title and description of a site's home page: search engines show less of both. */
export const MAX_META_TITLE_LENGTH = 110;
export const MAX_META_DESCRIPTION_LENGTH = 300;
export const MAX_HEADING_LENGTH = 110;
/** Long enough to be asked about later. */
export const MIN_REASON_LENGTH = 3;
export const MAX_REASON_LENGTH = 500;
/** An operator has some dozen sites and studios; a longer list is a mistake. */
export const MAX_LISTED = 200;
/** Longest domain name (RFC 1035 §2.3.4); names of studios have the same limit. */
export const MAX_LISTED_LENGTH = 253;
/** A domain in lower case. */
export const DOMAIN = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;
/** Address of a server for 180-degree cameras. */
export const DREAMCAM_ADDRESS = /^[a-z]+:\/\/[a-z0-9.-]+(:\d+)?(\/[\w./-]*)?$/;

/** Address of a third party's script: over TLS, or on this machine. */
export const SCRIPT_ADDRESS =
  /^(?:https:\/\/[a-z0-9.-]+|http:\/\/(?:localhost|127\.0\.0\.1))(?::\d{1,5})?\/[\w./?=&%~+-]*$/;
/** Longest address of a script, and the most origins that it may need besides its own. */
export const MAX_SCRIPT_LENGTH = 300;
export const MAX_SCRIPT_ORIGINS = 20;

const isScript = (address: unknown): boolean =>
  address === null
  || (typeof address === 'string' && address.length <= MAX_SCRIPT_LENGTH && SCRIPT_ADDRESS.test(address));

const isList = (list: unknown, isGood: (one: string) => boolean): boolean =>
  Array.isArray(list) && list.length <= MAX_LISTED &&
  list.every((item) =>
    typeof item === 'string' && item.length > 0 && item.length <= MAX_LISTED_LENGTH && isGood(item)
  );

/** Length as contracts count it: an emoji is one character, but two units of UTF-16. */
const lettersOf = (text: string): number => [...text].length;

const isCompany = ({ name, address }: Partial<Company>): boolean =>
  typeof name === 'string' && name.trim() !== '' && lettersOf(name) <= MAX_COMPANY_LENGTH
  && typeof address === 'string' && lettersOf(address) <= MAX_ADDRESS_LENGTH;

const CHECKS: { readonly [Name in keyof SiteSettings]: (value: SiteSettings[Name]) => boolean } = {
  standby: (rule) =>
    typeof rule === 'object' && rule !== null
    && isList(rule.domains, (domain) => DOMAIN.test(domain)) && isList(rule.studios, () => true),
  bFrames: (policy) => policy === 'refuse' || policy === 'transcode',
  recordingQuotaBytes: (bytes) => bytes === null || (Number.isSafeInteger(bytes) && bytes >= 0),
  tipBlockedCountries: (list) => isList(list, (country) => COUNTRY_CODE.test(country)),
  dreamcamServer: (address) =>
    address === null
    || (typeof address === 'string' && DREAMCAM_ADDRESS.test(address)),
  seller: (company) => company === null || (typeof company === 'object' && isCompany(company)),
  supportPhone: (number) => number === null || (typeof number === 'string' && PHONE_NUMBER.test(number)),
  supportChatForAll: (isOpen) => typeof isOpen === 'boolean',
  supportScript: isScript,
  supportOrigins: (list) => isList(list, isOrigin) && list.length <= MAX_SCRIPT_ORIGINS,
  redirectHosts: (list) => isList(list, (host) => DOMAIN.test(host)),
  refuseDisposableEmails: (isOn) => typeof isOn === 'boolean',
  limitMailboxes: (isOn) => typeof isOn === 'boolean',
  twoFactorSince: (since) =>
    since === null
    || (typeof since === 'string' && !Number.isNaN(Date.parse(since))),
  consentAsked: (where) => CONSENT_ASKED.includes(where),
};

/** Names of unknown settings and of settings with wrong values. */
export function settingsErrors(settings: object): string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const checks = CHECKS as Readonly<Record<string, (value: unknown) => boolean>>;
    return Object.hasOwn(checks, name) && checks[name]?.(value) ? [] : [name];
  });
}

/** A host name with its port, as browsers write it (`location.host`). */
export const SERVER = /^[a-z0-9.:[\]-]+$/;
/** Longest DNS name (RFC 1035 §2.3.4) and a port. */
export const MAX_SERVER_LENGTH = 260;
