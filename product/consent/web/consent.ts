import { useSyncExternalStore } from 'react';
import type { Consent, Purpose } from '#platform/contract/context.ts';
import { readCookies, watchCookies } from '#platform/ui/faults/cookies.ts';
import {
  choiceIn, consentIn, CONSENT_COOKIE, objectsBy, PURPOSES, type StoredChoice,
} from '../rules.ts';
import { STORED_KEYS, type StoredKey } from '../rules/stored.ts';

/** Attribute of the document where nobody is asked and consent is taken as given. */
export const GIVEN = 'data-consent-given';
/** This page saved a choice; other tabs notice by the cookie. */
const CHANGED = 'candela-consent';

interface ObjectingNavigator {
  /** Global Privacy Control. */
  readonly globalPrivacyControl?: boolean;
  readonly doNotTrack?: string | null;
}

/** Whether this browser objects to being counted and followed, as it says with its requests. */
export const browserObjects = (): boolean => {
  const { globalPrivacyControl, doNotTrack } = navigator as ObjectingNavigator;
  return objectsBy({ 'sec-gpc': globalPrivacyControl === true ? '1' : undefined, dnt: doNotTrack });
};

/** What was chosen in this browser; null where nothing was. */
const browserChoice = (): StoredChoice | null =>
  choiceIn(readCookies().get(CONSENT_COOKIE) ?? null);

/** What the person of this page allows now. */
const current = (): Consent => consentIn({
  chosen: browserChoice()?.consent ?? null, asked: !document.documentElement.hasAttribute(GIVEN),
  objects: browserObjects(),
});

/**
 * What pages ask before they store, count, or load something that the site does not need. Never on the
 * server: a document is the same for everybody.
 */
export const consent = {
  allows: (purpose: Purpose): boolean => current()[purpose],
};

const subscribe = (changed: () => void): (() => void) => {
  const unwatch = watchCookies((names) => {
    if (names.includes(CONSENT_COOKIE)) changed();
  });
  addEventListener(CHANGED, changed);
  return () => {
    unwatch();
    removeEventListener(CHANGED, changed);
  };
};

/** What is allowed and whether it was chosen, as one text: the same as long as nothing changes. */
const snapshot = (): string =>
  [browserChoice() ? 'chosen' : 'unchosen', ...PURPOSES.filter((purpose) => current()[purpose])].join(' ');

/**
 * What the person allows, following their choice in every tab. While the document is rendered nothing is
 * allowed, and whether they chose is not known (null).
 */
export function useConsent(): { readonly allowed: Consent; readonly isChosen: boolean | null } {
  const words = useSyncExternalStore(subscribe, snapshot, () => '').split(' ');
  const allowed = {
    preferences: words.includes('preferences'), statistics: words.includes('statistics'),
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
    // Storage is closed to the page: nothing is in it.
  }
}

/** A choice was saved: everything that asked for consent learns of it, and what is refused is deleted. */
export function applyConsent(allowed: Consent): void {
  forgetRefused(allowed);
  dispatchEvent(new Event(CHANGED));
}
