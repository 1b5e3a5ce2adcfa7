import { DAY_MS, SECOND_MS } from '#platform/time/units.ts';
import { halfOf } from './experiments.ts';

/** Wordings of title and description for rooms in the experiment; other rooms have the usual words. */
export const WORDINGS = ['a', 'b'] as const;
export type Wording = (typeof WORDINGS)[number];

/** Maximum performers in the experiment: the specification names "about 100" (spec 2 §9). */
export const MAX_SEO_PERFORMERS = 100;
/** Longest name that is looked up; usernames are far shorter. */
export const MAX_SEO_NAME_LENGTH = 60;
/** Unknown names that a refusal repeats: enough to recognise that the wrong list was pasted. */
export const SHOWN_UNKNOWN_NAMES = 10;

/** Days of counts that are retained and shown: search engines take weeks to adopt new words. */
export const SEO_DAYS = 90;
export const SEO_DAYS_MS = SEO_DAYS * DAY_MS;
/** How often a process writes its counts: a crash loses no more than this, and a visit costs no query. */
export const SEO_FLUSH_MS = 30 * SECOND_MS;

/** Half of the performers have each wording. It never changes, and is the same for all readers. */
export const wordingOf = (performerId: number): Wording => WORDINGS[halfOf(`seoWords:${performerId}`)];

const MARK = 'seo-words:';

/** The mark of a room's document, by which its visits are counted; null without a wording. */
export const markOf = (
  wording: string | null | undefined,
): string | null => (wording ? `${MARK}${wording}` : null);

/** The wording of a document's mark; null for other marks. */
export const wordingIn = (mark: string): Wording | null =>
  WORDINGS.find((wording) => mark === markOf(wording)) ?? null;

/** Names as typed, one per line, normalised: lower case, no `@`, blanks, empty lines or duplicates. */
export const namesTyped = (
  text: string,
): string[] => [
  ...new Set(
    text.split(/[\s,;]+/u).map((name) => name.replace(/^@/u, '').toLowerCase())
      .filter((name) => name !== ''),
  ),
];
