import { MINUTE_MS } from '#platform/time/units.ts';
import { MIN_TIP_TOKENS } from '../rules.ts';

/** Spec 2 §3.11. `canceled` and `success` show for a moment, then a split is available again. */
export const SPLIT_MODES = ['available', 'proposed', 'canceled', 'success'] as const;
export type SplitMode = (typeof SPLIT_MODES)[number];
/**
 * Why one was canceled: its time was up, somebody took it back, somebody could not pay, a private show began,
 * the performer went offline.
 */
export const SPLIT_REASONS = ['timeout', 'withdrawn', 'unpaid', 'private', 'offline'] as const;
export type SplitReason = (typeof SPLIT_REASONS)[number];

/** A split waits this long for everybody (readings.md, Room). */
export const SPLIT_OPEN_MS = MINUTE_MS;
/** How one ended shows this long: time to read a line, before the next can be proposed. */
export const SPLIT_SHOWN_MS = 8_000;
/** Alone it would be a tip. */
export const MIN_SPLITTERS = 2;
/** All of them are found within a minute, and all their legs fit one operation of the ledger. */
export const MAX_SPLITTERS = 20;

/** What each pays of a split. */
export interface Shares {
  /** Whoever joins. */
  readonly share: number;
  /** Whoever proposed it, or joins first: what does not divide comes on top. */
  readonly first: number;
}

/**
 * Divides a split: all shares together are the total, to the token. Null when there is less than one token
 * for each.
 */
export function sharesOf(total: number, people: number): Shares | null {
  const share = Math.floor(total / people);
  return share < MIN_TIP_TOKENS ? null : { share, first: total - share * (people - 1) };
}

/** What whoever joins next pays of a split. */
export const nextShareOf = ({ total, people, joined }: {
  readonly total: number; readonly people: number; readonly joined: number;
}): number | null => {
  const shares = sharesOf(total, people);
  return shares && (joined === 0 ? shares.first : shares.share);
};

/** The state of a split that decides what somebody may do with it. */
export interface SplitState {
  readonly mode: SplitMode;
  readonly splitterIds: readonly number[];
  readonly isPrivate: boolean;
}

/** Spec 2 §4.5: started only while available, and never while a private show runs. */
export const startRefusal = ({ mode, isPrivate }: SplitState): 'private' | 'unavailable' | null =>
  (isPrivate ? 'private' : mode === 'available' ? null : 'unavailable');

/** Spec 2 §4.5: joined only while proposed, once each, and never while a private show runs. */
export function joinRefusal(
  { mode, splitterIds, isPrivate }: SplitState, personId: number,
): 'private' | 'not_open' | 'joined' | null {
  if (isPrivate) return 'private';
  if (mode !== 'proposed') return 'not_open';
  return splitterIds.includes(personId) ? 'joined' : null;
}

/** What `/tip_split …` asks for; null when it cannot be read. */
export type SplitCommand =
  | { readonly kind: 'start'; readonly total: number; readonly people: number }
  /** Null for whoever names no price: they are asked for it. */
  | { readonly kind: 'join'; readonly price: number | null } | { readonly kind: 'cancel' };

/** `/tip_split 100 4`, `/tip_split join 25`, `/tip_split cancel`. @param rest what stands after the name */
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
