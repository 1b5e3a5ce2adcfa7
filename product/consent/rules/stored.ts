import type { Purpose } from '#platform/contract/context.ts';

/** Where something is stored in a browser: `tab` ends with the tab. */
export type Place = 'cookie' | 'browser' | 'tab' | 'files';

/** How long it lasts at most; `always`: until it is cleared, or consent to it is withdrawn. */
export type Life = { readonly unit: 'session' } | { readonly unit: 'always' } | {
  readonly unit: 'minute' | 'day';
  readonly count: number;
};

/** What it is for, in the words of the cookie page. */
export type Use =
  | 'session'
  | 'age'
  | 'consent'
  | 'abuse'
  | 'away'
  | 'choice'
  | 'push'
  | 'notice'
  | 'tab'
  | 'offline'
  | 'watched'
  | 'tip'
  | 'offers'
  | 'advert';

/** Something that the site stores in browsers. */
export interface StoredKey {
  readonly name: string;
  readonly place: Place;
  /** `necessary` needs no consent: the site does not work without it, or the person chose it. */
  readonly purpose: 'necessary' | Purpose;
  readonly use: Use;
  readonly life: Life;
}

const SESSION: Life = { unit: 'session' };
const ALWAYS: Life = { unit: 'always' };
const days = (count: number): Life => ({ unit: 'day', count });
const minutes = (count: number): Life => ({ unit: 'minute', count });

const cookie = (name: string, use: Use, life: Life): StoredKey => ({
  name,
  place: 'cookie',
  purpose: 'necessary',
  use,
  life,
});
const inBrowser = (name: string, use: Use, purpose: StoredKey['purpose'] = 'necessary'): StoredKey => ({
  name,
  place: 'browser',
  purpose,
  use,
  life: ALWAYS,
});
const inTab = (name: string, use: Use = 'tab', purpose: StoredKey['purpose'] = 'necessary'): StoredKey => ({
  name,
  place: 'tab',
  purpose,
  use,
  life: SESSION,
});

/**
 * Everything this site stores in a browser, and the only list of it: the cookie page shows it, refused
 * purposes are deleted by it, and `npm run tidy` refuses a key that is missing here.
 *
 * Choices made with a control (look, volume, layout) and closed notices are necessary: the person asked for
 * them, and they reveal nothing. Anything derived from what people did needs consent.
 */
export const STORED_KEYS: readonly StoredKey[] = [
  cookie('session', 'session', days(30)),
  cookie('entry', 'age', days(30)),
  cookie('age_check', 'age', days(1)),
  cookie('consent', 'consent', days(182)),
  cookie('device', 'abuse', days(365)),
  cookie('room_device', 'abuse', days(365)),
  cookie('promo_device', 'abuse', days(400)),
  inBrowser('candela.device', 'abuse'),
  cookie('provider_state', 'away', minutes(15)),
  cookie('provider_proof', 'away', minutes(15)),
  cookie('payment_return', 'away', SESSION),
  cookie('locale', 'choice', days(400)),
  cookie('theme', 'choice', days(365)),
  cookie('gender', 'choice', days(365)),
  cookie('gender-hide', 'choice', days(365)),
  cookie('home_layout', 'choice', days(365)),
  inBrowser('candela.volume', 'choice'),
  inBrowser('candela.player', 'choice'),
  inBrowser('candela.chat', 'choice'),
  inBrowser('candela.swipe', 'choice'),
  inBrowser('candela.requestSound', 'choice'),
  inBrowser('candela.theatre', 'choice'),
  inBrowser('exitKey', 'choice'),
  inBrowser('exitTo', 'choice'),
  inBrowser('discreet', 'choice'),
  inBrowser('pushPlayerId', 'push'),
  inBrowser('pushReportedAt', 'push'),
  cookie('rating_reminder', 'notice', minutes(2)),
  cookie('banner', 'notice', days(365)),
  inBrowser('candela.swipe.known', 'notice'),
  inBrowser('candela.postpaySeen', 'notice'),
  inTab('typed'),
  inTab('candela.search'),
  inTab('candela.moneyQuery'),
  inTab('candela.verifyFrom'),
  inTab('reloadedFor'),
  inTab('leavingOn'),
  inTab('partsReloadedFor'),
  { name: 'assets-1', place: 'files', purpose: 'necessary', use: 'offline', life: ALWAYS },
  inBrowser('candela.guest-overlay', 'watched', 'preferences'),
  inBrowser('candela.lastTip', 'tip', 'preferences'),
  inBrowser('candela.visits', 'offers', 'marketing'),
  inTab('candela.visitCounted', 'offers', 'marketing'),
  inTab('candela.advert', 'advert', 'marketing'),
];
