import type { Consent, Purpose } from '#platform/contract/context.ts';
import { readCookies, watchCookies } from '#platform/ui/faults/cookies.ts';
import { useSyncExternalStore } from 'react';
import { choiceIn, CONSENT_COOKIE, consentIn, objectsBy, PURPOSES, type StoredChoice } from '../rules.ts';
import { STORED_KEYS, type StoredKey } from '../rules/stored.ts';

/** Attribute of a document whose reader is not asked, because consent is assumed. */
export const GIVEN = 'data-consent-given';
/** Event in this page after it saved a choice; other tabs notice by the cookie. */
const CHANGED = 'candela-consent';

interface ObjectingNavigator {
  /** Global Privacy Control. */
  readonly globalPrivacyControl?: boolean;
  readonly doNotTrack?: string | null;
}

/** Whether this browser objects to counting and tracking, as it also sends with its requests. */
export const browserObjects = (): boolean => {
  const { globalPrivacyControl, doNotTrack } = navigator as ObjectingNavigator;
  return objectsBy({ 'sec-gpc': globalPrivacyControl === true ? '1' : undefined, dnt: doNotTrack });
};

/** The choice made in this browser; null for none. */
const browserChoice = (): StoredChoice | null => choiceIn(readCookies().get(CONSENT_COOKIE) ?? null);

/** What the person of this page allows now. */
const current = (): Consent =>
  consentIn({
    chosen: browserChoice()?.consent ?? null,
    asked: !document.documentElement.hasAttribute(GIVEN),
    objects: browserObjects(),
  });

/**
 * Pages ask this before they store, count, or load something that the site does not need. Never on the
 * server, because a document is the same for everybody.
 */
export const consent = {
  allows: (purpose: Purpose): boolean => current()[purpose],
};

const subscribe = (changed: () => void): () => void => {
  const unwatch = watchCookies((names) => {
    if (names.includes(CONSENT_COOKIE)) changed();
  });
  addEventListener(CHANGED, changed);
  return () => {
    unwatch();
    removeEventListener(CHANGED, changed);
  };
};

/** What is allowed and whether it was chosen, as one text, so that it is equal while nothing changes. */
const snapshot = (): string =>
  [browserChoice() ? 'chosen' : 'unchosen', ...PURPOSES.filter((purpose) => current()[purpose])].join(' ');

/**
 * What the person allows, following changes in every tab. While the server renders, nothing is allowed, and
 * whether they chose is unknown (null).
 */
export function useConsent(): { readonly allowed: Consent; readonly isChosen: boolean | null } {
  const words = useSyncExternalStore(subscribe, snapshot, () => '').split(' ');
  const allowed = {
    preferences: words.includes('preferences'),
    statistics: words.includes('statistics'),
    marketing: words.includes('marketing'),
  } satisfies Consent;
  return { allowed, isChosen: words.includes('chosen') ? true : words.includes('unchosen') ? false : null };
}

/** Deletes what this browser stores for purposes that are not allowed. */
export function forgetRefused(allowed: Consent): void {
  for (const key of STORED_KEYS) {
    if (key.purpose !== 'necessary' && !allowed[key.purpose]) forget(key);
  }
}

function forget({ name, place }: StoredKey): void {
  try {
    if (place === 'browser') localStorage.removeItem(name);
    if (place === 'tab') sessionStorage.removeItem(name);
  } catch {
    // The page has no access to storage, so nothing is stored there.
  }
}

/**
 * After a choice was saved: notifies everything that follows consent, and deletes data of refused purposes.
 */
export function applyConsent(allowed: Consent): void {
  forgetRefused(allowed);
  dispatchEvent(new Event(CHANGED));
}
