import { MINUTE_MS } from '#platform/time/units.ts';
import { MIN_TIP_TOKENS } from '../rules.ts';

/** Spec 2 §3.11. `canceled` and `success` show for a moment, then a split is available again. */
export const SPLIT_MODES = ['available', 'proposed', 'canceled', 'success'] as const;
export type SplitMode = (typeof SPLIT_MODES)[number];
/**
 * Why a split was canceled: its time was up, somebody withdrew it, somebody could not pay, a private show
 * began, or the performer went offline.
 */
export const SPLIT_REASONS = ['timeout', 'withdrawn', 'unpaid', 'private', 'offline'] as const;
export type SplitReason = (typeof SPLIT_REASONS)[number];

/** A split waits this long for everybody to join (readings.md, Room). */
export const SPLIT_OPEN_MS = MINUTE_MS;
/** The result of a split is shown this long: time to read a line before another can be proposed. */
export const SPLIT_SHOWN_MS = 8_000;
/** A single person's split would be a tip. */
export const MIN_SPLITTERS = 2;
/** This many people can be found within a minute, and their legs fit one operation of the ledger. */
export const MAX_SPLITTERS = 20;

/** What each person pays for a split. */
export interface Shares {
  /** Tokens of each person who joins. */
  readonly share: number;
  /** Tokens of the proposer, or of the first to join: includes the remainder. */
  readonly first: number;
}

/** Divides a split: the shares add up to exactly the total. Null for less than one token a person. */
export function sharesOf(total: number, people: number): Shares | null {
  const share = Math.floor(total / people);
  return share < MIN_TIP_TOKENS ? null : { share, first: total - share * (people - 1) };
}

/** What the next person to join would pay. */
export const nextShareOf = ({ total, people, joined }: {
  readonly total: number;
  readonly people: number;
  readonly joined: number;
}): number | null => {
  const shares = sharesOf(total, people);
  return shares && (joined === 0 ? shares.first : shares.share);
};

/** The parts of a split's state that decide what somebody may do with it. */
export interface SplitState {
  readonly mode: SplitMode;
  readonly splitterIds: readonly number[];
  readonly isPrivate: boolean;
}

/** Spec 2 §4.5: can be started only while available, and never while a private show runs. */
export const startRefusal = (
  { mode, isPrivate }: SplitState,
): 'private' | 'unavailable' | null => (isPrivate ? 'private' : mode === 'available' ? null : 'unavailable');

/** Spec 2 §4.5: can be joined only while proposed, once per person, and never while a private show runs. */
export function joinRefusal(
  { mode, splitterIds, isPrivate }: SplitState,
  personId: number,
): 'private' | 'not_open' | 'joined' | null {
  if (isPrivate) return 'private';
  if (mode !== 'proposed') return 'not_open';
  return splitterIds.includes(personId) ? 'joined' : null;
}

/** A parsed `/tip_split` command; null if it is invalid. */
export type SplitCommand =
  | { readonly kind: 'start'; readonly total: number; readonly people: number }
  /** Null if no price was given: the person is asked for it. */
  | { readonly kind: 'join'; readonly price: number | null }
  | { readonly kind: 'cancel' };

/** `/tip_split 100 4`, `/tip_split join 25`, `/tip_split cancel`. @param rest the text after the name */
export function splitCommand(rest: string): SplitCommand | null {
  const words = rest.trim().toLowerCase().split(/\s+/u);
  const [first = '', second = ''] = words;
  if (words.length === 1 && first === 'cancel') return { kind: first };
  if (first === 'join' && (words.length === 1 || /^\d{1,6}$/u.test(second)) && words.length <= 2) {
    return { kind: first, price: words.length === 1 ? null : Number(second) };
  }
  if (words.length !== 2 || !/^\d{1,6}$/u.test(first) || !/^\d{1,3}$/u.test(second)) return null;
  return { kind: 'start', total: Number(first), people: Number(second) };
}
