import { DAY_MS, SECOND_MS } from '#platform/time/units.ts';
import { halfOf } from './experiments.ts';

/** Wordings of the title and description of a room that takes part; other rooms have the usual words. */
export const WORDINGS = ['a', 'b'] as const;
export type Wording = (typeof WORDINGS)[number];

/** Performers who take part at most: the specification names "about 100" (spec 2 §9). */
export const MAX_SEO_PERFORMERS = 100;
/** Longest name that is looked up; usernames are far shorter. */
export const MAX_SEO_NAME_LENGTH = 60;
/** Unknown names that a refusal repeats; whoever pasted another list recognises it by fewer. */
export const SHOWN_UNKNOWN_NAMES = 10;

/** Days of counts that are retained and shown: search engines take weeks to show other words. */
export const SEO_DAYS = 90;
export const SEO_DAYS_MS = SEO_DAYS * DAY_MS;
/** A process writes what it counted this often: a crash loses no more, and a visit costs no query. */
export const SEO_FLUSH_MS = 30 * SECOND_MS;

/** Half of the performers have each wording; one has the same for everybody and for ever. */
export const wordingOf = (performerId: number): Wording =>
  WORDINGS[halfOf(`seoWords:${performerId}`)];

const MARK = 'seo-words:';

/** What the document of a room is marked with, so that its visits are counted; null without a wording. */
export const markOf = (wording: string | null | undefined): string | null =>
  (wording ? `${MARK}${wording}` : null);

/** The wording a document was marked with; null for other marks. */
export const wordingIn = (mark: string): Wording | null =>
  WORDINGS.find((wording) => mark === markOf(wording)) ?? null;

/** Names as typed, one per line: without `@`, blanks, empty lines and repetitions; in lower case. */
export const namesTyped = (text: string): string[] =>
  [...new Set(text.split(/[\s,;]+/u).map((name) => name.replace(/^@/u, '').toLowerCase())
    .filter((name) => name !== ''))];
