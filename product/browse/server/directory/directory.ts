import { isOnline, type DirectoryEntry } from '../../rules/listing/entry.ts';
import { matcherOf, type Filter } from '../../rules/listing/filters.ts';
import { isNewcomer, mixed, sorted, withNewcomers, type DirectorySort } from '../../rules/listing/ranking.ts';
import type { Bits } from './bits.ts';
import { OnlinePerformers, type Sees } from './online.ts';

/** Up to this size orders are rebuilt at every change; above it, at most once a second. */
const SMALL = 500;
const ORDER_MS = 1_000;
/** Orders change by time alone: performers who have just come online move down. */
const STALE_MS = 60_000;

export type { Sees } from './online.ts';

export interface DirectoryQuery {
  readonly filter: Filter;
  readonly sort: DirectorySort;
  /** Fixes the random order. */
  readonly seed?: number;
  readonly sees: Sees;
  readonly offset: number;
  readonly limit: number;
  /** Whether offline performers are included, after all others. */
  readonly withOffline?: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface Found {
  readonly entries: readonly DirectoryEntry[];
  /** Total number of matches. */
  readonly total: number;
}

/** The state of a directory when something was computed from it. */
export interface Moment {
  readonly version: number;
  readonly restrictions: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Everybody online in one order. */
interface Order {
  /** Positions; until the next rebuild, leaving performers are removed and new ones appended. */
  readonly positions: number[];
  /** Positions that include all newcomers, in the same order; may include others. */
  readonly newcomers: number[];
  /** The directory's version when this was sorted. */
  readonly madeOf: number;
  readonly madeAt: number;
}

/**
 * All performers of one operator, in memory. Answers listings without a query; measured with 20,000 online
 * and 200,000 in total (`bench/browse`).
 */
export class Directory {
  readonly #entries = new Map<number, DirectoryEntry>();
  readonly #byUsername = new Map<string, number>();
  readonly #online = new OnlinePerformers();
  readonly #orders = new Map<DirectorySort, Order>();
  readonly #watchers = new Set<(id: number, entry: DirectoryEntry | undefined) => void>();
  #version = 0;
  /** Grows when somebody may be shown to fewer viewers than before, or with less detail. */
  #restrictions = 0;
  #isRetired = false;

  get size(): number {
    return this.#entries.size;
  }

  get onlineCount(): number {
    return this.#online.size;
  }

  /** Grows with every change: results of an older version may be out of date. */
  get version(): number {
    return this.#version;
  }

  moment(now: number): Moment {
    return { version: this.#version, restrictions: this.#restrictions, at: now };
  }

  /**
   * Whether a result of that moment may be shown again: never after somebody was hidden or left, or
   * restricted their video, and for less than a second; with few performers only while nothing has changed.
   */
  stillHolds({ version, restrictions, at }: Moment, now: number): boolean {
    return !this.#isRetired && restrictions === this.#restrictions && Math.abs(now - at) < ORDER_MS
      && (version === this.#version || this.#online.size > SMALL);
  }

  /** Invalidates all results of this directory, because another one replaces it. */
  retire(): void {
    this.#isRetired = true;
  }

  /** Adds a performer, or replaces their entry. */
  put(entry: DirectoryEntry): void {
    const before = this.#entries.get(entry.id);
    if (before && isRestricted(before, entry)) this.#restrictions += 1;
    if (before && before.username !== entry.username) this.#forgetName(before);
    this.#entries.set(entry.id, entry);
    this.#byUsername.set(entry.username, entry.id);
    if (isOnline(entry)) this.#comes(entry);
    else this.#leaves(entry.id);
    this.#changed(entry.id, entry);
  }

  /** Calls back with every performer that changes, and without an entry when one is gone. */
  watch(watcher: (id: number, entry: DirectoryEntry | undefined) => void): void {
    this.#watchers.add(watcher);
  }

  /** Changes a part of a performer's entry, if there is one. */
  change(id: number, part: Partial<DirectoryEntry>): void {
    const entry = this.#entries.get(id);
    if (entry) this.put({ ...entry, ...part });
  }

  delete(id: number): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#restrictions += 1;
    this.#entries.delete(id);
    this.#forgetName(entry);
    this.#leaves(id);
    this.#changed(id, undefined);
  }

  /** Replaces the content of this directory with that of another. */
  become(other: Directory): void {
    for (const id of this.#entries.keys()) if (!other.#entries.has(id)) this.delete(id);
    for (const entry of other.#entries.values()) this.put(entry);
  }

  get(id: number): DirectoryEntry | undefined {
    return this.#entries.get(id);
  }

  named(username: string): DirectoryEntry | undefined {
    const id = this.#byUsername.get(username);
    return id === undefined ? undefined : this.#entries.get(id);
  }

  all(): IterableIterator<DirectoryEntry> {
    return this.#entries.values();
  }

  online(): IterableIterator<DirectoryEntry> {
    return this.#online.entries();
  }

  /** One page of a listing, and the total number of matches. */
  list({ filter, sort, seed, sees, offset, limit, withOffline = false, now }: DirectoryQuery): Found {
    const selected = this.#online.select(filter, sees, now);
    const online = selected.count();
    const entries = this.page(selected, { sort, seed, offset, limit, now });
    if (!withOffline) return { entries, total: online };
    const matches = matcherOf(filter, now);
    const offline = this.#offline(filter).filter((entry) => matches(entry) && sees(entry));
    const from = Math.max(0, offset - online);
    return {
      entries: [...entries, ...offline.slice(from, from + limit - entries.length)],
      total: online + offline.length,
    };
  }

  /** Online performers who match and may be perceived: for {@link page} and for counting. */
  select(filter: Filter, sees: Sees, now: number): Bits {
    return this.#online.select(filter, sees, now);
  }

  /** A page of these performers, in an order. */
  page(
    selected: Bits,
    { sort, seed, offset, limit, now }: Omit<DirectoryQuery, 'filter' | 'sees' | 'withOffline'>,
  ): DirectoryEntry[] {
    const entries: DirectoryEntry[] = [];
    let skipped = 0;
    for (const position of this.#ordered(selected, sort, seed, now)) {
      if (entries.length >= limit) break;
      if (skipped < offset) skipped += 1;
      else entries.push(this.#online.at(position));
    }
    return entries;
  }

  #ordered(selected: Bits, sort: DirectorySort, seed: number | undefined, now: number): Iterable<number> {
    if (sort === 'random') return shuffled(selected, this.#online, seed ?? 0);
    const { positions, newcomers } = this.#order(sort, now);
    const ranked = among(positions, selected);
    return sort !== 'recommended'
      ? ranked
      : withNewcomers(
        ranked,
        (position) => isNewcomer(this.#online.at(position), now),
        among(newcomers, selected),
      );
  }

  /** Counts online performers: see {@link OnlinePerformers}. */
  get counts(): Pick<OnlinePerformers, 'countBy' | 'countOf' | 'countWithin' | 'mostFrequent'> {
    return this.#online;
  }

  /** Calls `count` for every online performer who matches and may be perceived. */
  each(filter: Filter, sees: Sees, now: number, count: (entry: DirectoryEntry) => void): void {
    this.#online.select(filter, sees, now).forEach((position) => count(this.#online.at(position)));
  }

  #comes(entry: DirectoryEntry): void {
    const { position, isNew } = this.#online.put(entry);
    if (!isNew) return;
    for (const { positions, newcomers } of this.#orders.values()) {
      positions.push(position);
      newcomers.push(position);
    }
  }

  #leaves(id: number): void {
    const position = this.#online.delete(id);
    if (position === undefined) return;
    // The position may be reused by another performer, who must not inherit this rank.
    for (const { positions, newcomers } of this.#orders.values()) {
      positions.splice(positions.indexOf(position), 1);
      const at = newcomers.indexOf(position);
      if (at >= 0) newcomers.splice(at, 1);
    }
  }

  /** Another performer may have taken the username meanwhile. */
  #forgetName({ id, username }: DirectoryEntry): void {
    if (this.#byUsername.get(username) === id) this.#byUsername.delete(username);
  }

  #changed(id: number, entry: DirectoryEntry | undefined): void {
    this.#version += 1;
    for (const watcher of this.#watchers) watcher(id, entry);
  }

  /** Offline performers, latest first; only those with the ids of the filter, if it has any. */
  #offline({ ids }: Filter): readonly DirectoryEntry[] {
    const among = ids
      ? [...ids].map((id) => this.#entries.get(id)).filter((entry) => entry !== undefined)
      : [...this.#entries.values()];
    return among.filter((entry) => !this.#online.has(entry.id))
      .sort((a, b) => (b.lastLiveAt ?? 0) - (a.lastLiveAt ?? 0) || a.id - b.id);
  }

  #order(sort: Exclude<DirectorySort, 'random'>, now: number): Order {
    const made = this.#orders.get(sort);
    if (made && Math.abs(now - made.madeAt) < this.#maxAgeOf(made)) return made;
    const entries = sorted([...this.#online.entries()], sort, now);
    const positionsOf = (some: readonly DirectoryEntry[]): number[] =>
      some.map(({ id }) => this.#online.positionOf(id));
    const order: Order = {
      positions: positionsOf(entries),
      newcomers: positionsOf(entries.filter((one) => isNewcomer(one, now))),
      madeOf: this.#version,
      madeAt: now,
    };
    this.#orders.set(sort, order);
    return order;
  }

  /** How long an order may be used. */
  #maxAgeOf({ madeOf }: Order): number {
    if (madeOf === this.#version) return STALE_MS;
    return this.#online.size > SMALL ? ORDER_MS : 0;
  }
}

/** The entries of an order that are selected. */
function* among(ranked: readonly number[], selected: Bits): Generator<number, void> {
  for (const position of ranked) if (selected.has(position)) yield position;
}

/** Whether a change may hide a performer, or their video, from some viewer. */
const isRestricted = (before: DirectoryEntry, after: DirectoryEntry): boolean =>
  (isOnline(before) && !isOnline(after)) || (before.stream !== null && before.stream !== after.stream)
  || (!before.isLocked && after.isLocked) || (before.isOnHome && !after.isOnHome)
  || (before.status === 'online' && after.status !== 'online') || !sameState(before.state, after.state);

const sameState = (a: DirectoryEntry['state'], b: DirectoryEntry['state']): boolean =>
  a === b || (a.active === b.active && a.cleared === b.cleared && a.isHidden === b.isHidden
    && a.blockedRegions.length === b.blockedRegions.length
    && a.blockedRegions.every((region, at) => region === b.blockedRegions[at]));

/** Number of possible positions: one fits into a number together with 32 bits of another value. */
const MAX_POSITIONS = 2 ** 21;

/** These performers in the random order of a seed. No two numbers are equal, because `mixed` mixes ids. */
function shuffled(selected: Bits, online: OnlinePerformers, seed: number): readonly number[] {
  const keys: number[] = [];
  selected.forEach((position) => keys.push(mixed(seed, online.at(position).id) * MAX_POSITIONS + position));
  return [...new Float64Array(keys).sort()].map((key) => key % MAX_POSITIONS);
}
