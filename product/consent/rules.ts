import { NO_CONSENT, type Consent, type Purpose } from '#platform/contract/context.ts';
import { DAY_MS, SECOND_MS } from '#platform/time/units.ts';
import type { ConsentAsked } from '#product/site/rules.ts';

/** What people may allow, in the order in which they are asked. What the site needs is not asked. */
export const PURPOSES = ['preferences', 'statistics', 'marketing'] as const satisfies readonly Purpose[];

/**
 * Version of the texts that explain the purposes. Raise it to ask everybody who allowed an older text again.
 */
export const CONSENT_VERSION = 1;
/** A choice holds this long; then people are asked again (CNIL, 17 September 2020: six months). */
export const CONSENT_DAYS = 182;
/** The cookie with the choice made in a browser; scripts read it. */
export const CONSENT_COOKIE = 'consent';

/** Where a choice was made; `browser`: as a guest who then logged in. */
export type ChosenIn = 'banner' | 'settings' | 'browser';

/** A choice as stored in a browser. */
export interface StoredChoice {
  readonly consent: Consent;
  /** When it was made, in milliseconds since 1970; to the second. */
  readonly atMs: number;
  /** Whether the choice is an account's; it then counts for no other account. */
  readonly isOfAccount: boolean;
}

const LETTERS: Readonly<Record<Purpose, string>> = { preferences: 'p', statistics: 's', marketing: 'm' };
const VALUE = /^(\d{1,4})\.(p?s?m?|-)\.(\d{9,11})(\.a)?$/u;

/** The value of the cookie: version, allowed purposes, and second of the choice. */
export const cookieOf = ({ consent, atMs, isOfAccount }: StoredChoice): string => {
  const letters = PURPOSES.filter((purpose) => consent[purpose]).map((purpose) => LETTERS[purpose]).join('');
  return `${CONSENT_VERSION}.${letters || '-'}.${Math.floor(atMs / SECOND_MS)}${isOfAccount ? '.a' : ''}`;
};

const isCurrent = (version: number): boolean => version === CONSENT_VERSION;

/** Whether a choice of this version and time counts; one from the future has a wrong clock, or is forged. */
export const isInForce = (version: number, atMs: number, nowMs: number): boolean =>
  isCurrent(version) && nowMs - atMs < CONSENT_DAYS * DAY_MS && atMs - nowMs < DAY_MS;

/**
 * The choice in a cookie; null for none, or one that is broken, too old, or of another version.
 * @param nowMs left out in browsers, whose clocks may be wrong: they drop the cookie when it expires
 */
export function choiceIn(cookie: string | null, nowMs?: number): StoredChoice | null {
  const [, version, letters = '', seconds, account] = VALUE.exec(cookie ?? '') ?? [];
  const atMs = Number(seconds) * SECOND_MS;
  if (version === undefined || !isCurrent(Number(version))) return null;
  if (nowMs !== undefined && !isInForce(Number(version), atMs, nowMs)) return null;
  const allows = (purpose: Purpose): boolean => letters.includes(LETTERS[purpose]);
  const consent = {
    preferences: allows('preferences'),
    statistics: allows('statistics'),
    marketing: allows('marketing'),
  };
  return { consent, atMs, isOfAccount: account !== undefined };
}

/** Whether a browser objects to counting and tracking: Global Privacy Control, or Do Not Track. */
export const objectsBy = (
  headers: Readonly<Record<string, unknown>>,
): boolean => headers['sec-gpc'] === '1' || headers['dnt'] === '1';

/** A choice in a browser that may object: objecting refuses statistics and marketing. */
export const withObjection = (
  consent: Consent,
  objects: boolean,
): Consent => (objects ? { ...consent, statistics: false, marketing: false } : consent);

/** EU with its outermost regions and Åland; EEA; United Kingdom, its islands and Gibraltar; Switzerland. */
const EUROPE: ReadonlySet<string> = new Set([
  'AT',
  'BE',
  'BG',
  'CY',
  'CZ',
  'DE',
  'DK',
  'EE',
  'ES',
  'FI',
  'FR',
  'GR',
  'HR',
  'HU',
  'IE',
  'IT',
  'LT',
  'LU',
  'LV',
  'MT',
  'NL',
  'PL',
  'PT',
  'RO',
  'SE',
  'SI',
  'SK',
  'AX',
  'GF',
  'GP',
  'MF',
  'MQ',
  'RE',
  'YT',
  'IS',
  'LI',
  'NO',
  'GB',
  'GG',
  'GI',
  'IM',
  'JE',
  'CH',
]);

const COUNTRY = /^[A-Z]{2}(?:-|$)/u;

/** Whether people in a region are asked before anything is stored; in an unknown region they are. */
export const isAsked = (where: ConsentAsked, region: string): boolean =>
  where === 'everywhere' || !COUNTRY.test(region) || EUROPE.has(region.slice(0, 2));

const ALL: Consent = { preferences: true, statistics: true, marketing: true };

/**
 * What somebody allows: their choice. Without one, nothing where they are asked, and elsewhere everything
 * except marketing, which always needs a yes.
 */
export function consentIn({ chosen, asked, objects }: {
  readonly chosen: Consent | null;
  readonly asked: boolean;
  readonly objects: boolean;
}): Consent {
  return withObjection(chosen ?? (asked ? NO_CONSENT : { ...ALL, marketing: false }), objects);
}
